"""Large-block encoding: automata with few locations, labelled with guarded commands."""
