"""Says, with SkyPilot's own code, what it makes of tasks.

The clouds that the arguments name count as set up. For each path of a task that
it reads it writes a line of JSON: what the optimizer chose, or, for a path after
"load ", only that the task is valid; "error" otherwise.
"""
import json
import os
import sys

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # SkyPilot prints, too

from sky import check, global_user_state, optimizer
from sky.clouds.cloud import CloudCapability
from sky.server.requests.requests import RequestStatus
from sky.skylet import constants
from sky.skylet.job_lib import JobStatus
from sky.utils import dag_utils
from sky.utils.status_lib import ClusterStatus


def judged(path, whole):
    # Each time: a server looks itself which clouds are set up, when it starts.
    global_user_state.set_enabled_clouds(sys.argv[1:], CloudCapability.COMPUTE, "default")
    global_user_state.set_allowed_clouds(check._get_workspace_allowed_clouds("default"), "default")
    dag = dag_utils.load_chain_dag_from_yaml(path, env_overrides=[("COMMAND", "true")])
    (task,) = dag.tasks
    task.expand_and_validate_workdir()
    of_all = task.resources if isinstance(task.resources, (list, set)) else [task.resources]
    stop = next(iter(of_all)).autostop_config
    said = {"name": task.name, "run": task.run, "setup": task.setup, "workdir": task.workdir, "resources": len(of_all),
            "autostop": [stop.idle_minutes, stop.down, stop.wait_for and stop.wait_for.value] if stop else None}
    if whole:
        optimizer.Optimizer.optimize(dag, quiet=True)
        best = task.best_resources
        said.update(cloud=str(best.cloud).lower(), region=best.region, instance_type=best.instance_type,
                    accelerators=best.accelerators, spot=best.use_spot,
                    usd_per_hour=best.get_cost(3600))
    return said


words = {"clouds": constants.ALL_CLOUDS, "clusters": [s.value for s in ClusterStatus],
         "jobs": [s.value for s in JobStatus], "requests": [s.value for s in RequestStatus]}
print(json.dumps(words), file=answers, flush=True)
for line in sys.stdin:
    path = line.rstrip("\n")
    try:
        said = judged(path.removeprefix("load "), not path.startswith("load "))
    except Exception as err:  # whatever SkyPilot raises is its answer
        said = {"error": f"{type(err).__name__}: {err}"}
    print(json.dumps(said), file=answers, flush=True)
