-- Layout 19: trainings whose steps are unequal work.

ALTER TABLE runs ADD COLUMN schedule TEXT NOT NULL DEFAULT '';          -- how the work of a step changes, in words; '' where it is not known to
