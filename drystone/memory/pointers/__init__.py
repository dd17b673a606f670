"""The parts of the points-to analysis (`memory/pointsto.py`), which is what others ask."""
