"""Many programs verified side by side: what they are, in which order and how long, what was known already, what came of each."""
