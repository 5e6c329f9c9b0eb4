-- Layout 4: how many iterations were done before a pause; NULL is unknown.

ALTER TABLE pauses ADD COLUMN iterations INTEGER;
