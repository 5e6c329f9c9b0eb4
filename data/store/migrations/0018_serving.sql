-- Layout 18: loads on servers of language models.

ALTER TABLE runs ADD COLUMN serving TEXT NOT NULL DEFAULT '';           -- load and latencies, as JSON: see runs --json in docs/json.md
