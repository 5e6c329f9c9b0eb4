-- Layout 17: how a run trained a language model.

ALTER TABLE runs ADD COLUMN tuning TEXT NOT NULL DEFAULT '';            -- JSON, see the README; '' is other work, or unknown
