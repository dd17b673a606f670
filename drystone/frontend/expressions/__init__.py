"""C expressions as side-effect free expressions of the automaton, their side effects as edges."""
