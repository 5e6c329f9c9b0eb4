-- Layout 15: data-parallel trainings of several processes, on one VM or several.

ALTER TABLE runs ADD COLUMN world_size INTEGER;                         -- ranks, over all VMs
