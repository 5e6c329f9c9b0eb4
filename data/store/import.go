package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"sweetspot/engine/profile"
)

// Import adds the runs, models and VM types of a set, in one transaction, and
// returns how many runs were new. Importing the same again adds nothing.
func (s *Store) Import(ctx context.Context, set *profile.Set) (imported int, err error) {
	err = s.change(ctx, "store the import", func(ctx context.Context, tx *transaction) error {
		imported = 0
		for _, vm := range set.VMTypes {
			if err := s.saveVMType(ctx, tx, vm); err != nil {
				return err
			}
		}
		models := make(map[string]profile.Model, len(set.Models))
		for _, m := range set.Models {
			models[m.Name] = m
		}
		for _, run := range set.Runs {
			model, ok := models[run.Model]
			if !ok {
				model = profile.Model{Name: run.Model, Dataset: run.Dataset, Unit: run.Unit}
			}
			isNew, err := s.importRun(ctx, tx, model, run)
			if err != nil {
				return err
			}
			if isNew {
				imported++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return imported, nil
}

// fingerprint is the same for the same run, whatever number and note it has, and
// whether or not its command, work and energy are known: earlier versions did not read them.
func fingerprint(run profile.Run) (string, error) {
	run.ID, run.Note, run.Work, run.Command, run.Folder = 0, "", profile.Work{}, nil, ""
	run.Packages, run.Tuning = nil, nil
	run.EnergyJPerUnit, run.AveragePowerW, run.EnergyOf = nil, nil, ""
	// Earlier versions did not tell 0 from unknown.
	run.WarmupIterations, run.WarmupExtraS = cmp.Or(run.WarmupIterations, new(0)), cmp.Or(run.WarmupExtraS, new(0.0))
	text, err := json.Marshal(run)
	if err != nil {
		return "", fmt.Errorf("a run of %s can't be imported: it holds a number that is not finite", clean(run.Model))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func (s *Store) importRun(ctx context.Context, tx *transaction, model profile.Model, run profile.Run) (isNew bool, err error) {
	mark, err := fingerprint(run)
	if err != nil {
		return false, err
	}
	known, isNew, err := importedBefore(ctx, tx, mark, run)
	if err == nil && isNew {
		err = s.stampKept(ctx, tx, mark)
	}
	if err != nil || known {
		return isNew, err
	}
	work := run.Work
	if run.Variant.Pruning != nil {
		work.Params = nil
	}
	if model.Name, err = nameOf(ctx, tx, model.Name, work, 0); err != nil {
		return false, err
	}
	variant, machine, err := saveDescribed(ctx, tx, Description{
		Model: model, Variant: run.Variant,
		Machine: Machine{GPU: run.GPU, GPUCount: run.GPUCount, CPUs: run.CPUs, NoGPU: run.NoGPU, GPUMemGiB: run.GPUMemGiB,
			PowerLimitW: run.PowerLimitW,
			VM:          profile.VMKey{Cloud: run.Cloud, Region: run.Region, InstanceType: run.InstanceType}},
	})
	if err != nil {
		return false, err
	}
	row := rowOf(run)
	row.add("variant_id", variant)
	row.add("machine_id", machine)
	row.add("fingerprint", mark)
	id, err := row.insertNumbered(ctx, tx, "runs", "")
	if err != nil {
		return false, err
	}
	rows := runRows{tx: tx, run: id, next: map[string]int64{}}
	validations := slices.Concat(run.Untrained, run.Validations)
	if err := rows.append(ctx, Batch{Validations: validations, Pauses: run.Pauses}); err != nil {
		return false, err
	}
	return true, s.raise(ctx, tx, mark)
}

// importedBefore finds a run by its fingerprint; one that was deleted is there
// again and counts as new. Layouts before 5 kept one dataset and unit for all
// runs of a model, those before 7 no power of imported runs, those before 10 no work,
// those before 11 no command, those before 13 no packages,
// those before 17 no tuning: importing again gives each its own.
func importedBefore(ctx context.Context, tx *transaction, mark string, run profile.Run) (known, isNew bool, err error) {
	err = tx.QueryRowContext(ctx, "SELECT deleted > 0 FROM runs WHERE fingerprint = ?", mark).Scan(&isNew)
	if errors.Is(err, sql.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE runs SET dataset = ?, unit = ?, note = iif(note = '', ?, note), deleted = 0, content = '',
			energy_j_per_unit = coalesce(?, energy_j_per_unit), average_power_w = coalesce(?, average_power_w),
			energy_of = iif(? = '', energy_of, ?), flops_per_unit = coalesce(?, flops_per_unit),
			activations_per_unit = coalesce(?, activations_per_unit), params = coalesce(?, params),
			command = iif(? = '[]', command, ?), folder = iif(? = '', folder, ?), network = iif(? = '', network, ?),
			input = iif(? = '', input, ?), layers = coalesce(?, layers), state_bytes = coalesce(?, state_bytes),
			packages = iif(? = '', packages, ?), tuning = iif(? = '', tuning, ?)
		WHERE fingerprint = ?`, clean(run.Dataset), clean(run.Unit), clean(run.Note),
		real(run.EnergyJPerUnit), real(run.AveragePowerW), clean(run.EnergyOf), clean(run.EnergyOf),
		real(run.Work.FLOPs), real(run.Work.Activations), real(run.Work.Params),
		formatCommand(run.Command), formatCommand(run.Command), clean(run.Folder), clean(run.Folder),
		clean(run.Work.Network), clean(run.Work.Network), clean(run.Work.Input), clean(run.Work.Input),
		real(run.Work.Layers), real(run.Work.StateBytes), formatPackages(run.Packages), formatPackages(run.Packages),
		profile.FormatTuning(run.Tuning), profile.FormatTuning(run.Tuning), mark)
	return true, isNew, err
}

// rowOf lists the columns of a run that was measured elsewhere.
func rowOf(run profile.Run) *assignments {
	if run.Status == "" || run.Status == profile.Running {
		run.Status = profile.Done // nobody here goes on with it
	}
	run.Count = max(run.Count, 1)
	row := &assignments{}
	row.from(run, "dataset", "unit", "mode", "batch_size", "count", "world_size", "usd_per_hour", "epochs",
		"iterations_per_epoch", "train_size", "steps", "schedule", "init_s", "startup_s", "total_stddev_s", "total_n",
		"basis", "source", "as_of", "note", "folder", "framework", "input_wait")
	row.add("command", formatCommand(run.Command))
	row.add("packages", formatPackages(run.Packages))
	row.add("tuning", profile.FormatTuning(run.Tuning))
	row.add("sizes", profile.FormatSizes(run.Sizes))
	row.add("serving", profile.FormatServing(run.Serving))
	row.work(run.Work)
	row.summary(run)
	row.add("epoch_starts_s", formatStarts(run.EpochStartsS))
	return row
}

func (s *Store) saveVMType(ctx context.Context, tx *transaction, vm profile.VMType) error {
	stamp, err := s.tick(ctx, tx)
	if err != nil {
		return err
	}
	row := assignments{}
	row.add("stamp", stamp)
	row.from(vm, "cloud", "region", "instance_type", "gpu", "gpu_count", "gpu_mem_gib", "vcpus", "mem_gib")
	id, err := row.insertNumbered(ctx, tx, "vm_types", `
		ON CONFLICT (cloud, region, instance_type) DO UPDATE SET gpu = excluded.gpu, gpu_count = excluded.gpu_count,
			gpu_mem_gib = coalesce(excluded.gpu_mem_gib, gpu_mem_gib), vcpus = coalesce(excluded.vcpus, vcpus),
			mem_gib = coalesce(excluded.mem_gib, mem_gib), stamp = iif((gpu, gpu_count, gpu_mem_gib, vcpus, mem_gib) IS
			(excluded.gpu, excluded.gpu_count, coalesce(excluded.gpu_mem_gib, gpu_mem_gib), coalesce(excluded.vcpus, vcpus),
			coalesce(excluded.mem_gib, mem_gib)), stamp, excluded.stamp)`)
	if err != nil {
		return err
	}
	for _, p := range vm.Prices {
		row := assignments{}
		row.add("vm_type_id", id)
		row.add("stamp", stamp)
		row.from(p)
		if err := row.insert(ctx, tx, "prices", " ON CONFLICT DO UPDATE SET usd_per_hour = excluded.usd_per_hour, "+
			"stamp = iif(usd_per_hour = excluded.usd_per_hour, stamp, excluded.stamp)"); err != nil {
			return err
		}
	}
	return nil
}

// Discard removes a run as if it had never been recorded. Nothing brings it
// back, as [Store.Undelete] does what was deleted.
func (s *Store) Discard(ctx context.Context, id int64) error {
	return s.change(ctx, "remove a run", func(ctx context.Context, tx *transaction) error {
		if err := s.buryExchanged(ctx, tx, id); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, "DELETE FROM runs WHERE id = ?", id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return s.absent(RunTable, id)
		}
		return dropUnused(ctx, tx)
	})
}
