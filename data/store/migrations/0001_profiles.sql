-- Profile database of sweetspot, layout 1.
-- Times are in seconds, money in US dollars, fractions in [0,1]; NULL is unknown.

-- What is run.
CREATE TABLE models (
  id             INTEGER PRIMARY KEY,
  name           TEXT NOT NULL UNIQUE,
  dataset        TEXT NOT NULL DEFAULT '',
  task           TEXT NOT NULL DEFAULT '',
  unit           TEXT NOT NULL DEFAULT '',      -- image, token, sample
  source_file    TEXT NOT NULL DEFAULT '',
  params         REAL,
  flops_per_unit REAL
) STRICT;

-- A model and what was changed to trade accuracy for speed.
CREATE TABLE variants (
  id             INTEGER PRIMARY KEY,
  model_id       INTEGER NOT NULL REFERENCES models(id) ON DELETE CASCADE,
  name           TEXT NOT NULL DEFAULT '',      -- '' for the model as published
  precision      TEXT NOT NULL DEFAULT '',
  pruned         INTEGER NOT NULL DEFAULT 0,
  pruning_kind   TEXT NOT NULL DEFAULT '',
  pruning_ratio  REAL,
  pruning_layers TEXT NOT NULL DEFAULT ''       -- conv1=0.3;conv2=0.5
) STRICT;
CREATE INDEX variants_model ON variants(model_id);

-- VM types the user added to the built-in catalog, and their prices.
CREATE TABLE vm_types (
  id            INTEGER PRIMARY KEY,
  cloud         TEXT NOT NULL DEFAULT '',
  region        TEXT NOT NULL DEFAULT '',
  instance_type TEXT NOT NULL,
  gpu           TEXT NOT NULL DEFAULT '',
  gpu_count     INTEGER NOT NULL DEFAULT 0,
  gpu_mem_gib   REAL,                           -- per GPU
  vcpus         REAL,
  mem_gib       REAL,
  UNIQUE (cloud, region, instance_type)
) STRICT;

CREATE TABLE prices (
  vm_type_id   INTEGER NOT NULL REFERENCES vm_types(id) ON DELETE CASCADE,
  purchase     TEXT NOT NULL,                   -- on-demand, spot, reserved-1y, reserved-3y
  usd_per_hour REAL NOT NULL CHECK (usd_per_hour >= 0),
  source       TEXT NOT NULL DEFAULT '',
  as_of        TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (vm_type_id, purchase, as_of, source)
) STRICT, WITHOUT ROWID;

-- Where runs happened.
CREATE TABLE machines (
  id            INTEGER PRIMARY KEY,
  host          TEXT NOT NULL DEFAULT '',
  os            TEXT NOT NULL DEFAULT '',
  cpu           TEXT NOT NULL DEFAULT '',
  cpus          INTEGER NOT NULL DEFAULT 0,
  gpu           TEXT NOT NULL DEFAULT '',
  gpu_count     INTEGER NOT NULL DEFAULT 0,
  gpu_mem_gib   REAL,                           -- per GPU
  driver        TEXT NOT NULL DEFAULT '',
  cuda          TEXT NOT NULL DEFAULT '',
  cloud         TEXT NOT NULL DEFAULT '',       -- of the VM type; all three empty for a machine of one's own
  region        TEXT NOT NULL DEFAULT '',
  instance_type TEXT NOT NULL DEFAULT ''
) STRICT;

-- One measurement: variant x machine x batch size x mode, and its summary.
CREATE TABLE runs (
  id                   INTEGER PRIMARY KEY AUTOINCREMENT,
  variant_id           INTEGER NOT NULL REFERENCES variants(id),
  machine_id           INTEGER NOT NULL REFERENCES machines(id),
  mode                 TEXT NOT NULL,           -- train, infer
  batch_size           INTEGER NOT NULL DEFAULT 0,   -- global in train mode, per GPU in infer mode; 0 unknown
  count                INTEGER NOT NULL DEFAULT 1,   -- VMs
  usd_per_hour         REAL,                    -- of one VM
  epochs               REAL,
  iterations_per_epoch REAL,
  train_size           REAL,
  command              TEXT NOT NULL DEFAULT '[]',   -- JSON array of words
  framework            TEXT NOT NULL DEFAULT '',

  status               TEXT NOT NULL,           -- running, done, oom, failed, interrupted
  started_at           TEXT NOT NULL DEFAULT '',     -- RFC 3339, UTC
  finished_at          TEXT NOT NULL DEFAULT '',
  heartbeat_ms         INTEGER NOT NULL DEFAULT 0,   -- Unix time of the recorder's last commit
  stopped_because      TEXT NOT NULL DEFAULT '',
  script_exit          INTEGER,
  rejected_lines       INTEGER NOT NULL DEFAULT 0,
  spent_s              REAL,
  spent_usd            REAL,

  init_s               REAL,
  first_iteration_s    REAL,
  startup_s            REAL,                    -- init + first iteration where only the sum is known
  steady_s             REAL,                    -- mean of the steady iterations, with its 90 % interval
  steady_low_s         REAL,
  steady_high_s        REAL,
  steady_basis         TEXT NOT NULL DEFAULT '',
  steady_stddev_s      REAL,
  steady_n             INTEGER NOT NULL DEFAULT 0,
  warmup_iterations    INTEGER NOT NULL DEFAULT 0,
  warmup_extra_s       REAL NOT NULL DEFAULT 0,
  first_validation_s   REAL,
  validation_s         REAL,
  total_s              REAL,
  total_stddev_s       REAL,
  total_n              INTEGER NOT NULL DEFAULT 0,
  peak_memory_bytes    REAL,                    -- per GPU
  metric               TEXT,                    -- NULL where accuracy is unknown
  accuracy             REAL,
  accuracy_stddev      REAL,
  higher_is_better     INTEGER,
  accuracy_basis       TEXT,

  basis                TEXT NOT NULL,
  source               TEXT NOT NULL DEFAULT '',
  as_of                TEXT NOT NULL DEFAULT '',
  fingerprint          TEXT UNIQUE,             -- of an imported run, so that importing twice adds nothing

  -- Sums over the rows of iterations, kept by whoever appends them.
  iterations           INTEGER NOT NULL DEFAULT 0,
  iterations_sum_s     REAL NOT NULL DEFAULT 0,
  iterations_sum_s2    REAL NOT NULL DEFAULT 0,
  iterations_min_s     REAL,
  iterations_max_s     REAL
) STRICT;
CREATE INDEX runs_variant ON runs(variant_id);
CREATE INDEX runs_machine ON runs(machine_id);

-- Every iteration time as it came.
CREATE TABLE iterations (
  run_id  INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,                     -- 0, 1, … in order of arrival
  epoch   INTEGER NOT NULL,
  idx     INTEGER NOT NULL,
  rank    INTEGER NOT NULL,
  seconds REAL NOT NULL,
  units   REAL NOT NULL,
  t       REAL NOT NULL,                        -- since the process began
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE validations (
  run_id           INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  seq              INTEGER NOT NULL,
  epoch            INTEGER NOT NULL,
  seconds          REAL NOT NULL,
  metric           TEXT NOT NULL DEFAULT '',
  value            REAL,
  higher_is_better INTEGER NOT NULL DEFAULT 1,
  units            REAL,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE pauses (
  run_id  INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  t       REAL NOT NULL,
  seconds REAL NOT NULL,
  kind    TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory (
  run_id      INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  seq         INTEGER NOT NULL,
  t           REAL NOT NULL,
  peak_bytes  REAL NOT NULL,
  total_bytes REAL NOT NULL,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE telemetry (
  run_id       INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  seq          INTEGER NOT NULL,
  t            REAL NOT NULL,
  gpu          INTEGER NOT NULL,
  utilisation  REAL,
  memory_bytes REAL,
  watts        REAL,
  celsius      REAL,
  throttle     TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE log_lines (
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  seq    INTEGER NOT NULL,
  t      REAL NOT NULL,
  level  TEXT NOT NULL DEFAULT '',
  text   TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- Candidates the user chose, with the query that led to them. query and
-- candidate are the JSON; the columns before them repeat what one asks for.
CREATE TABLE picks (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at    TEXT NOT NULL,                  -- RFC 3339, UTC
  name          TEXT NOT NULL DEFAULT '',
  model         TEXT NOT NULL DEFAULT '',
  variant       TEXT NOT NULL DEFAULT '',
  mode          TEXT NOT NULL DEFAULT '',
  cloud         TEXT NOT NULL DEFAULT '',       -- of the first VM type of the configuration
  region        TEXT NOT NULL DEFAULT '',
  instance_type TEXT NOT NULL DEFAULT '',
  count         INTEGER,
  batch_size    INTEGER,
  epochs        REAL,
  units         REAL,
  purchase      TEXT NOT NULL DEFAULT '',
  time_s        REAL,
  cost_usd      REAL,
  metric        TEXT NOT NULL DEFAULT '',
  accuracy      REAL,
  basis         TEXT NOT NULL DEFAULT '',       -- of the time
  query         TEXT NOT NULL,
  candidate     TEXT NOT NULL
) STRICT;

-- Every run with the names of what it refers to and the mean of its rows.
CREATE VIEW v_runs AS
SELECT r.id, m.name AS model, m.dataset, m.unit, v.name AS variant, v.precision,
       v.pruned, v.pruning_kind, v.pruning_ratio, v.pruning_layers,
       r.mode, c.host, c.cloud, c.region,
       CASE c.instance_type WHEN '' THEN c.host ELSE c.instance_type END AS instance_type,
       c.cpu, c.cpus, c.gpu, c.gpu_count, c.gpu_mem_gib, c.driver, c.cuda,
       r.count, r.usd_per_hour, r.batch_size, r.epochs, r.iterations_per_epoch, r.train_size,
       r.command, r.framework, r.status, r.started_at, r.finished_at, r.stopped_because, r.script_exit,
       r.rejected_lines, r.spent_s, r.spent_usd,
       r.init_s, r.first_iteration_s, r.startup_s, r.steady_s, r.steady_low_s, r.steady_high_s,
       r.steady_stddev_s, r.steady_n, r.warmup_iterations, r.warmup_extra_s,
       r.first_validation_s, r.validation_s, r.total_s, r.total_stddev_s, r.total_n, r.peak_memory_bytes,
       r.metric, r.accuracy, r.accuracy_stddev, r.higher_is_better, r.basis, r.source, r.as_of,
       r.iterations, r.iterations_sum_s / nullif(r.iterations, 0) AS iterations_mean_s,
       r.iterations_min_s, r.iterations_max_s
FROM runs r
JOIN variants v ON v.id = r.variant_id
JOIN models m ON m.id = v.model_id
JOIN machines c ON c.id = r.machine_id;

-- One row per run that a ranking can use: what was run where, at what price,
-- how long it takes to start and per iteration, and how good it is. A price the
-- run does not name is the newest on-demand price of its VM type, if known.
CREATE VIEW v_candidates AS
SELECT id, model, dataset, variant, precision, mode, cloud, region, instance_type, gpu, gpu_count, count, batch_size,
       coalesce(usd_per_hour, (
         SELECT p.usd_per_hour FROM vm_types t JOIN prices p ON p.vm_type_id = t.id
         WHERE t.cloud = v_runs.cloud AND t.region = v_runs.region AND t.instance_type = v_runs.instance_type AND p.purchase = 'on-demand'
         ORDER BY p.as_of DESC LIMIT 1)) AS usd_per_hour,
       epochs, iterations_per_epoch,
       init_s, first_iteration_s, coalesce(startup_s, init_s + first_iteration_s) AS startup_s,
       steady_s, steady_low_s, steady_high_s, steady_n, validation_s, total_s, peak_memory_bytes,
       metric, accuracy, higher_is_better, basis, source, as_of
FROM v_runs
WHERE status <> 'failed' AND (steady_s IS NOT NULL OR total_s IS NOT NULL);
