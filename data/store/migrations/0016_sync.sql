-- Layout 16: what databases that exchange bundles have to agree on.

-- Stamps are moments whose order all databases agree on; '' is before all others.
ALTER TABLE runs ADD COLUMN content TEXT NOT NULL DEFAULT '';           -- version of what was measured, as of the last sync; '' is to be found out
ALTER TABLE runs ADD COLUMN measured TEXT NOT NULL DEFAULT '';          -- stamp of the end of its recording, or of its new beginning
ALTER TABLE runs ADD COLUMN named TEXT NOT NULL DEFAULT '';             -- stamp of its name
ALTER TABLE runs ADD COLUMN noted TEXT NOT NULL DEFAULT '';             -- stamp of its note
ALTER TABLE runs ADD COLUMN kept TEXT NOT NULL DEFAULT '';              -- stamp of its last deletion or undeletion
ALTER TABLE runs ADD COLUMN series_mark TEXT NOT NULL DEFAULT '';       -- fingerprint of the first run of its matrix, where that came from another database or is gone
ALTER TABLE picks ADD COLUMN noted TEXT NOT NULL DEFAULT '';
ALTER TABLE picks ADD COLUMN kept TEXT NOT NULL DEFAULT '';
ALTER TABLE vm_types ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
ALTER TABLE prices ADD COLUMN stamp TEXT NOT NULL DEFAULT '';

-- This database among those that it exchanges bundles with: one row.
CREATE TABLE sync_self (
  id     TEXT NOT NULL,                                                 -- its identity
  stamp  TEXT NOT NULL DEFAULT '',                                      -- the last one given or seen
  number INTEGER NOT NULL DEFAULT 0                                     -- of the last bundle written
) STRICT;
INSERT INTO sync_self (id) VALUES (lower(hex(randomblob(8))));

-- Tombstones: what is not here because it was purged, or was deleted before it came.
CREATE TABLE sync_absent (
  kind  TEXT NOT NULL,                                                  -- run, pick
  mark  TEXT NOT NULL,                                                  -- fingerprint of a run, mark of a pick
  stamp TEXT NOT NULL,                                                  -- of its last deletion or undeletion
  kept  INTEGER NOT NULL DEFAULT 0,                                     -- 1: it was undeleted elsewhere, and comes again
  PRIMARY KEY (kind, mark)
) STRICT, WITHOUT ROWID;

-- Bundles that were read or written, and the versions that are in them.
CREATE TABLE sync_bundles (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL UNIQUE,
  complete INTEGER NOT NULL DEFAULT 1                                   -- 0: something in it waits for another bundle
) STRICT;
CREATE TABLE sync_versions (
  bundle   INTEGER NOT NULL REFERENCES sync_bundles(id) ON DELETE CASCADE,
  kind     TEXT NOT NULL,
  mark     TEXT NOT NULL,
  register TEXT NOT NULL,                                               -- content, name, note, kept, value
  version  TEXT NOT NULL,
  PRIMARY KEY (kind, mark, register, version, bundle)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_versions_bundle ON sync_versions(bundle);
