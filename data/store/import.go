package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"sweetspot/engine/profile"
)

// Import adds the runs, models and VM types of a set, in one transaction, and
// returns how many runs were new. Importing the same again adds nothing.
func (s *Store) Import(ctx context.Context, set *profile.Set) (imported int, err error) {
	err = s.change(ctx, "store the import", func(ctx context.Context, tx *transaction) error {
		imported = 0
		for _, vm := range set.VMTypes {
			if err := saveVMType(ctx, tx, vm); err != nil {
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
			isNew, err := importRun(ctx, tx, model, run)
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
// whether or not its energy is known: earlier versions did not read that.
func fingerprint(run profile.Run) (string, error) {
	run.ID, run.Note = 0, ""
	run.EnergyJPerUnit, run.AveragePowerW, run.EnergyOf = nil, nil, ""
	text, err := json.Marshal(run)
	if err != nil {
		return "", fmt.Errorf("a run of %s can't be imported: it holds a number that is not finite", clean(run.Model))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func importRun(ctx context.Context, tx *transaction, model profile.Model, run profile.Run) (isNew bool, err error) {
	mark, err := fingerprint(run)
	if err != nil {
		return false, err
	}
	if known, isNew, err := importedBefore(ctx, tx, mark, run); err != nil || known {
		return isNew, err
	}
	variant, machine, err := saveDescribed(ctx, tx, Description{
		Model: model, Variant: run.Variant,
		Machine: Machine{GPU: run.GPU, GPUCount: run.GPUCount, GPUMemGiB: run.GPUMemGiB, PowerLimitW: run.PowerLimitW,
			VM: profile.VMKey{Cloud: run.Cloud, Region: run.Region, InstanceType: run.InstanceType}},
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
	for i, v := range run.Validations {
		if err := insertValidation(ctx, tx, id, int64(i), v); err != nil {
			return false, err
		}
	}
	for i, p := range run.Pauses {
		if err := insertPause(ctx, tx, id, int64(i), p); err != nil {
			return false, err
		}
	}
	return true, nil
}

// importedBefore finds a run by its fingerprint; one that was deleted is there
// again and counts as new. Layouts before 5 kept one dataset and unit for all
// runs of a model, and those before 7 no power of imported runs: importing again
// gives each its own.
func importedBefore(ctx context.Context, tx *transaction, mark string, run profile.Run) (known, isNew bool, err error) {
	err = tx.QueryRowContext(ctx, "SELECT deleted > 0 FROM runs WHERE fingerprint = ?", mark).Scan(&isNew)
	if errors.Is(err, sql.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE runs SET dataset = ?, unit = ?, note = iif(note = '', ?, note), deleted = 0,
			energy_j_per_unit = coalesce(?, energy_j_per_unit), average_power_w = coalesce(?, average_power_w), energy_of = iif(? = '', energy_of, ?)
		WHERE fingerprint = ?`, clean(run.Dataset), clean(run.Unit), clean(run.Note),
		real(run.EnergyJPerUnit), real(run.AveragePowerW), clean(run.EnergyOf), clean(run.EnergyOf), mark)
	return true, isNew, err
}

// rowOf lists the columns of a run that was measured elsewhere.
func rowOf(run profile.Run) *assignments {
	status := run.Status
	if status == "" || status == profile.Running {
		status = profile.Done // nobody here goes on with it
	}
	row := &assignments{}
	row.text("dataset", run.Dataset)
	row.text("unit", run.Unit)
	row.add("mode", string(run.Mode))
	row.add("batch_size", run.BatchSize)
	row.add("count", max(run.Count, 1))
	row.add("usd_per_hour", real(run.USDPerHour))
	row.add("epochs", real(run.Epochs))
	row.add("iterations_per_epoch", real(run.IterationsPerEpoch))
	row.add("train_size", real(run.TrainSize))
	row.add("status", string(status))
	row.add("init_s", real(run.InitS))
	row.add("first_iteration_s", real(run.FirstIterationS))
	row.add("startup_s", real(run.StartupS))
	row.steady(run.Steady)
	row.add("steady_stddev_s", real(run.SteadyStdDevS))
	row.add("steady_n", run.SteadyN)
	row.add("warmup_iterations", run.WarmupIterations)
	row.add("warmup_extra_s", run.WarmupExtraS)
	row.add("first_validation_s", real(run.FirstValidationS))
	row.add("validation_s", real(run.ValidationS))
	row.add("total_s", real(run.TotalS))
	row.add("total_stddev_s", real(run.TotalStdDevS))
	row.add("total_n", run.TotalN)
	row.energy(Energy{JPerUnit: run.EnergyJPerUnit, AveragePowerW: run.AveragePowerW, Of: run.EnergyOf})
	row.add("peak_memory_bytes", real(run.PeakMemoryBytes))
	row.add("epoch_starts_s", formatStarts(run.EpochStartsS))
	row.accuracy(run.Accuracy)
	row.add("basis", run.Basis.String())
	row.text("source", run.Source)
	row.text("as_of", run.AsOf)
	row.text("note", run.Note)
	return row
}

func saveVMType(ctx context.Context, tx *transaction, vm profile.VMType) error {
	row := assignments{}
	row.text("cloud", vm.Cloud)
	row.text("region", vm.Region)
	row.text("instance_type", vm.InstanceType)
	row.text("gpu", vm.GPU)
	row.add("gpu_count", vm.GPUCount)
	row.add("gpu_mem_gib", real(vm.GPUMemGiB))
	row.add("vcpus", real(vm.VCPUs))
	row.add("mem_gib", real(vm.MemGiB))
	id, err := row.insertNumbered(ctx, tx, "vm_types", `
		ON CONFLICT (cloud, region, instance_type) DO UPDATE SET gpu = excluded.gpu, gpu_count = excluded.gpu_count,
			gpu_mem_gib = coalesce(excluded.gpu_mem_gib, gpu_mem_gib), vcpus = coalesce(excluded.vcpus, vcpus), mem_gib = coalesce(excluded.mem_gib, mem_gib)`)
	if err != nil {
		return err
	}
	for _, p := range vm.Prices {
		row := assignments{}
		row.add("vm_type_id", id)
		row.add("purchase", string(p.Purchase))
		row.add("usd_per_hour", p.USDPerHour)
		row.text("source", p.Source)
		row.text("as_of", p.AsOf)
		if err := row.insert(ctx, tx, "prices",
			" ON CONFLICT DO UPDATE SET usd_per_hour = excluded.usd_per_hour"); err != nil {
			return err
		}
	}
	return nil
}

// Discard removes a run as if it had never been recorded. Nothing brings it
// back, as [Store.Undelete] does what was deleted.
func (s *Store) Discard(ctx context.Context, id int64) error {
	return s.change(ctx, "remove a run", func(ctx context.Context, tx *transaction) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM runs WHERE id = ?", id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return fmt.Errorf("there is no run %d in %s to delete", id, s.name)
		}
		return dropUnused(ctx, tx)
	})
}
