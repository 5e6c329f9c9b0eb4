-- Layout 8: it may be unknown how long the warm-up of a run was.

DROP VIEW v_candidates;
DROP VIEW v_runs;

ALTER TABLE runs RENAME COLUMN warmup_iterations TO former_warmup_iterations;
ALTER TABLE runs RENAME COLUMN warmup_extra_s TO former_warmup_extra_s;
ALTER TABLE runs ADD COLUMN warmup_iterations INTEGER;                  -- cut after the first one
ALTER TABLE runs ADD COLUMN warmup_extra_s REAL;                        -- seconds these took beyond steady ones

-- Until now 0 was also unknown: of a run without a steady part, and of one that
-- was imported without its iterations.
UPDATE runs SET warmup_iterations = former_warmup_iterations, warmup_extra_s = former_warmup_extra_s
WHERE former_warmup_iterations <> 0 OR former_warmup_extra_s <> 0 OR steady_n > 0 AND steady_stddev_s IS NOT NULL AND iterations > 0;

ALTER TABLE runs DROP COLUMN former_warmup_iterations;
ALTER TABLE runs DROP COLUMN former_warmup_extra_s;

-- Every run that is not deleted, with the names of what it refers to and the mean of its rows.
CREATE VIEW v_runs AS
SELECT r.id, m.name AS model, r.dataset, r.unit, v.name AS variant, v.precision,
       v.pruned, v.pruning_kind, v.pruning_ratio, v.pruning_layers,
       r.mode, c.host, c.cloud, c.region,
       CASE c.instance_type WHEN '' THEN c.host ELSE c.instance_type END AS instance_type,
       c.cpu, c.cpus, c.gpu, c.gpu_count, c.gpu_mem_gib, c.driver, c.cuda,
       r.count, r.usd_per_hour, r.batch_size, r.epochs, r.iterations_per_epoch, r.train_size,
       r.command, r.framework, r.status, r.started_at, r.finished_at, r.stopped_because, r.stopped_words, r.script_exit,
       r.rejected_lines, r.spent_s, r.spent_usd,
       r.init_s, r.first_iteration_s, r.startup_s, r.steady_s, r.steady_low_s, r.steady_high_s,
       r.steady_stddev_s, r.steady_n, r.warmup_iterations, r.warmup_extra_s,
       r.first_validation_s, r.validation_s, r.total_s, r.total_stddev_s, r.total_n, r.peak_memory_bytes,
       r.energy_j_per_unit, r.average_power_w, r.energy_of, c.power_limit_w, r.input_wait,
       r.metric, r.accuracy, r.accuracy_stddev, r.higher_is_better, r.basis, r.source, r.as_of,
       r.iterations, r.iterations_sum_s / nullif(r.iterations, 0) AS iterations_mean_s,
       r.iterations_min_s, r.iterations_max_s, r.address, r.series, r.repeat, r.note
FROM runs r
JOIN variants v ON v.id = r.variant_id
JOIN models m ON m.id = v.model_id
JOIN machines c ON c.id = r.machine_id
WHERE r.deleted = 0;

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
