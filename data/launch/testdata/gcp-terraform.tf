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
# Variables have no defaults: terraform apply asks for them. Its VMs cost money until terraform destroy.

terraform {
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

variable "project" {
  description = "Project to launch in"
  type        = string
}

variable "zone" {
  description = "Zone of us-central1"
  type        = string

  validation {
    condition     = startswith(var.zone, "us-central1-")
    error_message = "The zone must be in us-central1, which the price is of."
  }
}

variable "image" {
  description = "Image with the driver of the GPU"
  type        = string
}

variable "subnetwork" {
  description = "Subnetwork of us-central1"
  type        = string
}

provider "google" {
  project = var.project
}

resource "google_compute_instance" "pick" {
  count        = 2
  name         = "sweetspot-seismic-fcn-${count.index + 1}"
  machine_type = "n1-highmem-8"
  zone         = var.zone

  boot_disk {
    initialize_params {
      image = var.image
    }
  }

  network_interface {
    subnetwork = var.subnetwork
  }

  guest_accelerator {
    type  = "nvidia-tesla-v100"
    count = 1
  }

  scheduling {
    on_host_maintenance         = "TERMINATE"
    provisioning_model          = "SPOT"
    preemptible                 = true
    automatic_restart           = false
    instance_termination_action = "STOP"
  }

  labels = {
    "sweetspot-model" = "seismic-fcn"
  }

  metadata = {
    "sweetspot-model"   = "seismic/FCN"
    "sweetspot-variant" = "pruned 30 %"
  }
}
