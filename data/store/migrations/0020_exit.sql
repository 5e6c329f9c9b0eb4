-- Layout 20: the exit of trainings that a probe stopped.

ALTER TABLE runs ADD COLUMN exit_s REAL;                                -- from its last step until its processes had ended; NULL of others
