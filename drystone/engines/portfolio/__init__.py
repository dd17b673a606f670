"""`auto`: which engines look at a program, in which order, in turns of which length."""
