#!/usr/bin/env python3
"""Unpacks the image of a tar file as a container engine does, and checks each digest: unpack.py IMAGE.tar FOLDER

Prints what a container starts, as lines for a shell: user, entrypoint with command, environment, health check.
"""

import gzip
import hashlib
import io
import json
import shlex
import sys
import tarfile

image, folder = sys.argv[1:]
files = tarfile.open(image)


def read(name):
    return files.extractfile(name).read()


def blob(described):
    kind, digest = described["digest"].split(":")
    data = read(f"blobs/{kind}/{digest}")
    assert kind == "sha256" and hashlib.sha256(data).hexdigest() == digest, digest
    assert len(data) == described["size"], digest
    return data


assert json.loads(read("oci-layout"))["imageLayoutVersion"] == "1.0.0"
(described,) = json.loads(read("index.json"))["manifests"]
manifest = json.loads(blob(described))
config = json.loads(blob(manifest["config"]))
layers = [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
for plain, diff in zip(layers, config["rootfs"]["diff_ids"], strict=True):
    assert f"sha256:{hashlib.sha256(plain).hexdigest()}" == diff, diff
    tarfile.open(fileobj=io.BytesIO(plain)).extractall(folder, numeric_owner=True)
# What `docker load` reads names the same files.
(loaded,) = json.loads(read("manifest.json"))
assert loaded["Config"].endswith(manifest["config"]["digest"].split(":")[1])
assert [name.split("/")[-1] for name in loaded["Layers"]] == [l["digest"].split(":")[1] for l in manifest["layers"]]

runs = config["config"]
print(f"user={shlex.quote(runs['User'])}")
print(f"start=({shlex.join(runs['Entrypoint'] + runs['Cmd'])})")
print(f"environment=({shlex.join(runs['Env'])})")
print(f"health=({shlex.join(runs['Healthcheck']['Test'][1:])})")
print(f"workdir={shlex.quote(runs['WorkingDir'])}")
