#!/usr/bin/env bash
# Pick: seismic/FCN, train, variant pruned 30 % fp16, batch size 256, 13 epochs, spot
# VMs: 2× n1-highmem-8+1xV100 (1× V100-SXM2-16GB), gcp us-central1
# Price: $0.90/h each, spot (price list 2021-03-01)
# Time: 58 m 20 s, 90 % between 56 m 40 s and 1 h 00 m (measured)
# Cost: $0.88, 90 % between $0.85 and $0.91 (measured)
# Accuracy: top-1 90.0 % (measured)
# Based on: run 3; built-in library, run 17
# Picked: 2026-01-02T02:04:05Z with sweetspot 1.2.3
# Verify: sweetspot probe --name=seismic/FCN --mode=train --vm=gcp/us-central1/n1-highmem-8+1xV100 -- COMMAND
# To verify the estimate, run that on such a VM, COMMAND being the command that runs the model at batch size 256 in fp16; the probe ends by itself.
#
# The VMs that this script starts cost money until you delete them.
set -euo pipefail

: "${ZONE:?set it to a zone of us-central1}"
: "${IMAGE:?set it to an image with the driver of the GPU}"
: "${IMAGE_PROJECT:?set it to the project that holds the image}"
: "${SUBNET:?set it to a subnet of us-central1}"

case $ZONE in
  'us-central1'-*) ;;
  *) echo "ZONE must be a zone of us-central1, which the price is of" >&2; exit 2 ;;
esac
names=()
for ((i = 1; i <= 2; i++)); do
  names+=('sweetspot-seismic-fcn'"-$i")
done
gcloud compute instances create "${names[@]}" \
  --zone="$ZONE" \
  --machine-type='n1-highmem-8' \
  --accelerator='type=nvidia-tesla-v100,count=1' \
  --maintenance-policy=TERMINATE \
  --image="$IMAGE" \
  --image-project="$IMAGE_PROJECT" \
  --subnet="$SUBNET" \
  --provisioning-model=SPOT \
  --instance-termination-action=STOP \
  --labels=sweetspot-model=seismic-fcn
