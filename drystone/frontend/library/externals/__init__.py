"""Functions without a body that the library does not define.

In verification tasks they return any value and do nothing else; those that are declared `const` or `pure`, the same value for the
same arguments, and nothing else anywhere. In a program of a user they may also write what they are given:
the whole object that an argument points to, unless it is const there, `extern` objects that are defined where they are,
outside of the program, errno, and what the library keeps (`state`). Where nobody can say which objects these are (the argument is
a pointer that the program computes, the object has pointers to others, a function is passed that may be called back, an address
may be in a number), what follows is unknown. They keep no pointer, and change no variable of the program that they are not given:
an assumption.
"""
