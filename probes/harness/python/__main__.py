"""python DIRECTORY --model file.py:factory --mode train --input 1x28x28 --batch 128"""

import sys

if sys.argv[1:2] == ["--selftest"]:
    from sweetspot_harness.selftest import main
else:
    from sweetspot_harness.command import main

sys.exit(main())
