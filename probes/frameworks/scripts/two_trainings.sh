#!/bin/bash
# A training and then a second one, as a run.sh has them: bash two_trainings.sh PYTHON
set -e
cd "$(dirname "$0")"
"${1:-python3}" dcgan_like.py --niter 3
"${1:-python3}" steps_option.py --steps 30
