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
# Variables have no defaults: terraform apply asks for them. Its VMs cost money until terraform destroy.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "ami_id" {
  description = "AMI of us-east-1 with the driver of the GPU"
  type        = string
}

variable "subnet_id" {
  description = "Subnet of us-east-1"
  type        = string
}

variable "key_name" {
  description = "Key pair of us-east-1 to log in with"
  type        = string
}

provider "aws" {
  region = "us-east-1"
}

resource "aws_instance" "pick" {
  count         = 1
  ami           = var.ami_id
  instance_type = "p2.xlarge"
  subnet_id     = var.subnet_id
  key_name      = var.key_name

  tags = {
    "Name"              = "sweetspot-seismic-fcn"
    "sweetspot-model"   = "seismic/FCN"
    "sweetspot-variant" = "pruned 30 %"
  }
}
