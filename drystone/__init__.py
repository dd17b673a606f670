"""drystone: a software model checker for C that verifies a program block by block."""

from drystone.base.version import __version__ as __version__
