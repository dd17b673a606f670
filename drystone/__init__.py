"""drystone: a software model checker for C that verifies a program block by block."""

__version__ = "0.1.0"
