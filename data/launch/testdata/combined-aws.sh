#!/usr/bin/env bash
# Pick: seismic/FCN, infer, variant pruned 30 % fp16, 1,000,000 units, spot
# VMs: 3× p3.2xlarge (1× V100-SXM2-16GB), aws us-east-1
# Price: $0.90/h each, spot (price list 2021-03-01)
# VMs: 1× g4dn.xlarge (1× T4), aws us-west-2
# Price: $0.90/h each, spot (price list 2021-03-01)
# Time: 58 m 20 s, 90 % between 56 m 40 s and 1 h 00 m (measured)
# Cost: $0.88, 90 % between $0.85 and $0.91 (measured)
# Based on: run 3; built-in library, run 17
# Picked: 2026-01-02T02:04:05Z with sweetspot 1.2.3
# Verify VM type 1 of 2: sweetspot probe --name=seismic/FCN --mode=infer --vm=aws/us-east-1/p3.2xlarge -- COMMAND
# Verify VM type 2 of 2: sweetspot probe --name=seismic/FCN --mode=infer --vm=aws/us-west-2/g4dn.xlarge -- COMMAND
# To verify the estimate, run that on such a VM, COMMAND being the command that runs the model in fp16; the probe ends by itself.
#
# The VMs that this script starts cost money until you delete them.
set -euo pipefail

: "${IMAGE_ID_1:?set it to an AMI of us-east-1 with the driver of the GPU}"
: "${SUBNET_ID_1:?set it to a subnet of us-east-1}"
: "${KEY_NAME_1:?set it to a key pair of us-east-1 to log in with}"
: "${IMAGE_ID_2:?set it to an AMI of us-west-2 with the driver of the GPU}"
: "${SUBNET_ID_2:?set it to a subnet of us-west-2}"
: "${KEY_NAME_2:?set it to a key pair of us-west-2 to log in with}"

aws ec2 run-instances \
  --region='us-east-1' \
  --instance-type='p3.2xlarge' \
  --count=3 \
  --image-id="$IMAGE_ID_1" \
  --subnet-id="$SUBNET_ID_1" \
  --key-name="$KEY_NAME_1" \
  --instance-market-options=MarketType=spot \
  --tag-specifications='[{"ResourceType":"instance","Tags":[{"Key":"Name","Value":"sweetspot-seismic-fcn-1"},{"Key":"sweetspot-model","Value":"seismic/FCN"},{"Key":"sweetspot-variant","Value":"pruned 30 %"}]}]'

aws ec2 run-instances \
  --region='us-west-2' \
  --instance-type='g4dn.xlarge' \
  --count=1 \
  --image-id="$IMAGE_ID_2" \
  --subnet-id="$SUBNET_ID_2" \
  --key-name="$KEY_NAME_2" \
  --instance-market-options=MarketType=spot \
  --tag-specifications='[{"ResourceType":"instance","Tags":[{"Key":"Name","Value":"sweetspot-seismic-fcn-2"},{"Key":"sweetspot-model","Value":"seismic/FCN"},{"Key":"sweetspot-variant","Value":"pruned 30 %"}]}]'
