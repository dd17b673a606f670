"""Predicate abstraction: a state is a location and a Boolean combination of predicates that holds there."""
