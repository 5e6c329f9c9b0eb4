-- Layout 11: where a command was run, and what network it trained on what.

ALTER TABLE runs ADD COLUMN folder TEXT NOT NULL DEFAULT '';            -- working directory of the probe on the user's machine
ALTER TABLE runs ADD COLUMN network TEXT NOT NULL DEFAULT '';           -- class of its module, several joined by +
ALTER TABLE runs ADD COLUMN input TEXT NOT NULL DEFAULT '';             -- shape of one unit of work, 3x224x224; '' where it varies
