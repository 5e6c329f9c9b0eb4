-- Layout 10: what one unit takes the network of a run, which may be another than that
-- of its model: its variant may be pruned, or a network of its own.

ALTER TABLE runs ADD COLUMN flops_per_unit REAL;                        -- operations of a forward pass, a multiply-add counting as two
ALTER TABLE runs ADD COLUMN activations_per_unit REAL;                  -- elements of the outputs of its convolutions and matrix products
ALTER TABLE runs ADD COLUMN params REAL;                                -- number of parameters
