#!/usr/bin/env bash
# Pick: seismic/FCN, train, variant pruned 30 % fp16, batch size 256, 13 epochs, on-demand
# VMs: 1× p2.xlarge (1× K80), aws us-east-1
# Price: $0.90/h each, on-demand (price list 2021-03-01)
# Time: 58 m 20 s, 90 % between 56 m 40 s and 1 h 00 m (measured)
# Cost: $0.88, 90 % between $0.85 and $0.91 (measured)
# Accuracy: top-1 90.0 % (measured)
# Based on: run 3; built-in library, run 17
# Picked: 2026-01-02T02:04:05Z with sweetspot 1.2.3
# Verify: sweetspot probe --name=seismic/FCN --mode=train --vm=aws/us-east-1/p2.xlarge -- COMMAND
# To verify the estimate, run that on such a VM, COMMAND being the command that runs the model at batch size 256 in fp16; the probe ends by itself.
#
# The VMs that this script starts cost money until you delete them.
set -euo pipefail

: "${IMAGE_ID:?set it to an AMI of us-east-1 with the driver of the GPU}"
: "${SUBNET_ID:?set it to a subnet of us-east-1}"
: "${KEY_NAME:?set it to a key pair of us-east-1 to log in with}"

aws ec2 run-instances \
  --region='us-east-1' \
  --instance-type='p2.xlarge' \
  --count=1 \
  --image-id="$IMAGE_ID" \
  --subnet-id="$SUBNET_ID" \
  --key-name="$KEY_NAME" \
  --tag-specifications='[{"ResourceType":"instance","Tags":[{"Key":"Name","Value":"sweetspot-seismic-fcn"},{"Key":"sweetspot-model","Value":"seismic/FCN"},{"Key":"sweetspot-variant","Value":"pruned 30 %"}]}]'
