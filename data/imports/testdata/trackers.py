"""Writes the runs in mlflow, mlflow-db and wandb beside it with the real packages:

    pip install mlflow-skinny==3.17.2 sqlalchemy==2.1.9 alembic==1.20.1 wandb==0.31.0
    python trackers.py OUT && gzip -9n OUT/mlflow.db

No GPU is needed: what the sensors of one would say is logged by its names.
"""
import os
import sys
import time

out = os.path.abspath(sys.argv[1])
os.makedirs(out, exist_ok=True)
os.chdir(out)
os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=out, MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR="false",
                  MLFLOW_ALLOW_FILE_STORE="true", WANDB_DISABLE_GIT="true", WANDB_DISABLE_CODE="true",
                  WANDB_X_DISABLE_MACHINE_INFO="true")
CONFIG = {"batch_size": 64, "epochs": 3, "model": "resnet18", "dataset": "CIFAR-10", "lr": 0.1}
STEPS, EPOCHS = 12, 3


def train(log):
    step = 0
    for epoch in range(EPOCHS):
        for _ in range(STEPS):
            time.sleep(0.05)
            step += 1
            log({"train/loss": 2.0 / step, "epoch": epoch}, step)
        time.sleep(0.1)
        log({"val/accuracy": 0.5 + 0.1 * epoch}, step)


def with_mlflow(uri):
    import mlflow

    mlflow.set_tracking_uri(uri)
    mlflow.set_experiment("cifar")
    with mlflow.start_run(run_name="resnet18-b64"):
        mlflow.log_params(CONFIG)
        train(lambda values, step: mlflow.log_metrics(values, step=step))
        for k in range(4):
            mlflow.log_metric("system/gpu_0_power_usage_watts", 70 + k, step=k)


def with_wandb():
    import wandb

    run = wandb.init(project="cifar", name="resnet18-b64", config=CONFIG)
    train(lambda values, step: run.log(values, step=step))
    run.finish()


def others():
    """What else a database holds: a run that failed, one that was deleted, one without metrics."""
    import mlflow

    try:
        with mlflow.start_run(run_name="fails"):
            mlflow.log_params(dict(CONFIG, batch_size=128))
            for step in range(1, 13):
                time.sleep(0.1)
                mlflow.log_metric("train/loss", float("nan") if step == 3 else 2.0 / step, step=step)
            raise MemoryError
    except MemoryError:
        pass
    with mlflow.start_run(run_name="no metrics"):
        mlflow.log_params(CONFIG)
    with mlflow.start_run(run_name="deleted") as run:
        mlflow.log_metric("train/loss", 1, step=1)
    mlflow.delete_run(run.info.run_id)


if __name__ == "__main__":
    with_mlflow("file:" + out + "/mlruns")
    with_wandb()
    with_mlflow("sqlite:///" + out + "/mlflow.db")
    others()
