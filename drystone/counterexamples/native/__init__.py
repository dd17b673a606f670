"""The compiled program: replays a counterexample, and looks for one."""
