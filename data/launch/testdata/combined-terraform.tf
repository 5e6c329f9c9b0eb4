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
# Variables have no defaults: terraform apply asks for them. Its VMs cost money until terraform destroy.

terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "ami_id_1" {
  description = "AMI of us-east-1 with the driver of the GPU"
  type        = string
}

variable "subnet_id_1" {
  description = "Subnet of us-east-1"
  type        = string
}

variable "key_name_1" {
  description = "Key pair of us-east-1 to log in with"
  type        = string
}

variable "ami_id_2" {
  description = "AMI of us-west-2 with the driver of the GPU"
  type        = string
}

variable "subnet_id_2" {
  description = "Subnet of us-west-2"
  type        = string
}

variable "key_name_2" {
  description = "Key pair of us-west-2 to log in with"
  type        = string
}

provider "aws" {
  alias  = "region_1"
  region = "us-east-1"
}

provider "aws" {
  alias  = "region_2"
  region = "us-west-2"
}

resource "aws_instance" "pick_1" {
  provider      = aws.region_1
  count         = 3
  ami           = var.ami_id_1
  instance_type = "p3.2xlarge"
  subnet_id     = var.subnet_id_1
  key_name      = var.key_name_1

  instance_market_options {
    market_type = "spot"
  }

  tags = {
    "Name"              = "sweetspot-seismic-fcn-1"
    "sweetspot-model"   = "seismic/FCN"
    "sweetspot-variant" = "pruned 30 %"
  }
}

resource "aws_instance" "pick_2" {
  provider      = aws.region_2
  count         = 1
  ami           = var.ami_id_2
  instance_type = "g4dn.xlarge"
  subnet_id     = var.subnet_id_2
  key_name      = var.key_name_2

  instance_market_options {
    market_type = "spot"
  }

  tags = {
    "Name"              = "sweetspot-seismic-fcn-2"
    "sweetspot-model"   = "seismic/FCN"
    "sweetspot-variant" = "pruned 30 %"
  }
}
