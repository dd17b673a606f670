"""`python -m drystone`."""

import sys

from drystone.cli.main import main

sys.exit(main())
