-- Layout 13: what a script needs elsewhere: packages, and memory whatever the batch.

ALTER TABLE runs ADD COLUMN packages TEXT NOT NULL DEFAULT '';          -- distributions that it had imported, name==version, separated by spaces
ALTER TABLE runs ADD COLUMN state_bytes REAL;                           -- weights, gradients and the optimizer's state on one device
