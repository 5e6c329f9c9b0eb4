"""python DIRECTORY --model file.py:factory --mode train --input 1x28x28 --batch 128"""

import sys

from sweetspot_harness.command import main

sys.exit(main())
