"""What all lowering works on: the program and the procedure under construction, places, conversions, choices from outside."""
