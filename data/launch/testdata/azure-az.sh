#!/usr/bin/env bash
# Pick: seismic/FCN, train, variant pruned 30 % fp16, batch size 256, 13 epochs, reserved-1y
# VMs: 2× NC6 (1× K80), azure
# Price: $0.90/h each, reserved-1y (price list 2021-03-01)
# Time: 58 m 20 s, 90 % between 56 m 40 s and 1 h 00 m (measured)
# Cost: $0.88, 90 % between $0.85 and $0.91 (measured)
# Accuracy: top-1 90.0 % (measured)
# Based on: run 3; built-in library, run 17
# Reserved: this launches no reservation (reserved-1y); the price applies only if you have bought one.
# Picked: 2026-01-02T02:04:05Z with sweetspot 1.2.3
# Verify: sweetspot probe --name=seismic/FCN --mode=train --vm=azure//NC6 -- COMMAND
# To verify the estimate, run that on such a VM, COMMAND being the command that runs the model at batch size 256 in fp16; the probe ends by itself.
#
# The VMs that this script starts cost money until you delete them.
set -euo pipefail

: "${LOCATION:?set it to the location to launch in}"
: "${RESOURCE_GROUP:?set it to the resource group that the VMs join}"
: "${IMAGE:?set it to an image with the driver of the GPU}"
: "${SUBNET_ID:?set it to the ID of a subnet}"
: "${ADMIN_USERNAME:?set it to the user to log in as}"
: "${SSH_PUBLIC_KEY_FILE:?set it to the file of the public key to log in with}"

az vm create \
  --resource-group="$RESOURCE_GROUP" \
  --name='sweetspot-seismic-fcn' \
  --location="$LOCATION" \
  --size='Standard_NC6' \
  --count=2 \
  --image="$IMAGE" \
  --subnet="$SUBNET_ID" \
  --authentication-type=ssh \
  --admin-username="$ADMIN_USERNAME" \
  --ssh-key-values="$SSH_PUBLIC_KEY_FILE" \
  --tags=sweetspot-model=seismic-fcn
