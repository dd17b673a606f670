"""Threads: the product of their automata as an ordinary program, in which the schedule is an input.

`instances` are the threads that a program may have, each with an automaton of its own; `sharing` says which of their edges
others may notice; `product` is all of them together, one edge after the other, for engines and checks; `schedules` reads from an
execution of the product which thread went on when, so that the program itself can be run like that.
"""
