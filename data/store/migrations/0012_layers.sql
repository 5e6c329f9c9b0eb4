-- Layout 12: how many kernels an iteration launches at least.

ALTER TABLE runs ADD COLUMN layers REAL;                                -- convolutions and matrix products of an iteration's forward passes
