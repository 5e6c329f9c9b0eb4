-- Layout 14: trainings whose scripts count steps.

ALTER TABLE runs ADD COLUMN steps REAL;                                 -- iterations the script announced, where it counts these and no epochs
ALTER TABLE validations ADD COLUMN iterations INTEGER;                  -- number of iterations before it
