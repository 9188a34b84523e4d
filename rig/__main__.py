"""`python -m rig`."""

import sys

from rig.cli import main

sys.exit(main())
