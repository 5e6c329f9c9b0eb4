"""Writes the runs in mlflow and wandb beside it with the real packages:

    pip install mlflow-skinny==3.17.2 wandb==0.31.0
    python trackers.py OUT

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


if __name__ == "__main__":
    with_mlflow("file:" + out + "/mlruns")
    with_wandb()
    try:
        with_mlflow("sqlite:///" + out + "/mlflow.db")
    except Exception as error:  # mlflow-skinny without SQLAlchemy and Alembic
        print("no mlflow.db:", error)
