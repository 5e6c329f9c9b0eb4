-- Layout 3: when epochs began and evaluations ended, in seconds from the run's start.

ALTER TABLE runs ADD COLUMN epoch_starts_s TEXT NOT NULL DEFAULT '';    -- of each epoch: 3.2;232;462.5
ALTER TABLE validations ADD COLUMN at_s REAL;
