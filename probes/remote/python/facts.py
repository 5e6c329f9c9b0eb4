"""What this host reports about itself: its name, CPU and GPUs, firmware and cloud."""

import http.client
import os
import platform
import shutil
import socket
import subprocess
import threading
import time

DMI = "/sys/class/dmi/id"
METADATA = "169.254.169.254"  # the link-local address of every cloud
TIMEOUT = 1.0  # seconds for all answers together
LONGEST = 64 << 10
AZURE_TAG = "7783-7084-3265-9085-8269-3286-77"  # the chassis asset tag of every VM of Azure


def read(path, limit=1 << 20):
    try:
        with open(path, "rb") as f:
            return f.read(limit).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def gather(metadata):
    """The facts, in the shape of identity.Facts."""
    names = ("sys_vendor", "product_name", "chassis_asset_tag", "bios_vendor", "bios_version")
    facts = {name: read(os.path.join(DMI, name), 4096) for name in names}
    facts["metadata"] = ask_clouds(clouds(facts)) if metadata else {}
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    facts.update(
        host=socket.gethostname(),
        os="%s/%s" % (platform.system().lower(), machine),
        cpu=cpu(),
        cpus=os.cpu_count() or 0,
    )
    facts.update(gpus())
    return facts


def cpu():
    for line in read("/proc/cpuinfo").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return ""


def gpus():
    """The GPUs that nvidia-smi lists; their bytes are converted from MiB."""
    out = {"gpu": "", "gpu_count": 0, "gpu_mem_bytes": None}
    program = shutil.which("nvidia-smi")
    if program is None:
        return out
    query = [program, "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(
            query, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return out
    lines = said.stdout.decode("utf-8", "replace").strip().splitlines()
    if said.returncode != 0 or not lines:
        return out
    name, _, mib = lines[0].rpartition(",")
    out.update(gpu=name.strip(), gpu_count=len(lines))
    if mib.strip().isdigit():
        out["gpu_mem_bytes"] = float(mib) * (1 << 20)
    return out


def clouds(dmi):
    """Those whose metadata service may answer: the one that the firmware names, or all if
    it cannot be read."""
    vendor = (dmi["sys_vendor"] + " " + dmi["bios_vendor"] + " " + dmi["bios_version"]).lower()
    if not dmi["sys_vendor"] and not dmi["product_name"]:
        return [aws, gcp, azure]
    if "amazon" in vendor:
        return [aws]
    if "google" in vendor:
        return [gcp]
    return [azure] if dmi["chassis_asset_tag"] == AZURE_TAG else []


def ask_clouds(services):
    answers = {}
    threads = [threading.Thread(target=ask, args=(s, answers), daemon=True) for s in services]
    for t in threads:
        t.start()
    until = time.monotonic() + TIMEOUT
    for t in threads:
        t.join(max(0.0, until - time.monotonic()))
    return dict(answers)


def ask(service, answers):
    try:
        service(answers)
    except (OSError, http.client.HTTPException):
        return  # no such service here


def fetch(method, path, headers):
    """The body of a successful answer, else None: redirects are not followed."""
    connection = http.client.HTTPConnection(METADATA, timeout=TIMEOUT)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read(LONGEST + 1)
    finally:
        connection.close()
    if answer.status != 200 or len(body) > LONGEST:
        return None
    return body.decode("utf-8", "replace")


def keep(answers, name, text):
    if text is not None:
        answers[name] = text


def aws(answers):
    token = fetch("PUT", "/latest/api/token", {"X-aws-ec2-metadata-token-ttl-seconds": "60"})
    if token is not None and token.isprintable():
        headers = {"X-aws-ec2-metadata-token": token}
        keep(answers, "aws-document", fetch("GET", "/latest/dynamic/instance-identity/document", headers))


def gcp(answers):
    base, headers = "/computeMetadata/v1/instance/", {"Metadata-Flavor": "Google"}
    keep(answers, "gcp-machine-type", fetch("GET", base + "machine-type", headers))
    keep(answers, "gcp-zone", fetch("GET", base + "zone", headers))


def azure(answers):
    keep(answers, "azure-instance", fetch("GET", "/metadata/instance?api-version=2021-02-01", {"Metadata": "true"}))
