#!/usr/bin/env python3
"""Writes a container image without a base image and without a container engine: a tar file with an OCI layout, which also has the
manifest.json that `docker load` reads.

image.py --binary FILE --config FILE --certificates FOLDER --tag TAG --version V --title T --created SECONDS --output FILE
"""

import argparse
import gzip
import hashlib
import io
import json
import platform
import tarfile
import time
from pathlib import Path

USER = 10001
# Those of the OCI's specification.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
OCI = "application/vnd.oci.image"


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("binary", "config", "certificates", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("tag", "version", "title"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--created", type=int, required=True)
    parser.add_argument("--legal", type=Path, action="append", default=[])
    return parser.parse_args()


class Layer:
    """A tar file of a root file system, the same bytes for the same files."""

    def __init__(self, created):
        self.created = created
        self.bytes = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.bytes, mode="w", format=tarfile.GNU_FORMAT)

    def _add(self, name, kind, mode, owner, content=b""):
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode, entry.mtime, entry.size = kind, mode, self.created, len(content)
        entry.uid = entry.gid = owner
        self.tar.addfile(entry, io.BytesIO(content))

    def folder(self, name, mode=0o755, owner=0):
        self._add(name, tarfile.DIRTYPE, mode, owner)

    def file(self, name, content, mode=0o644):
        self._add(name, tarfile.REGTYPE, mode, 0, content)

    def end(self):
        self.tar.close()
        return self.bytes.getvalue()


def layer(given):
    made = Layer(given.created)
    for name in ("etc", "etc/gantry", "etc/ssl", "etc/ssl/certs", "usr", "usr/bin", "usr/share", "usr/share/doc", "usr/share/doc/gantry", "var", "var/cache", "var/lib"):
        made.folder(name)
    made.folder("tmp", 0o1777)
    for name in ("var/lib/gantry", "var/cache/gantry"):
        made.folder(name, 0o750, USER)
    made.file("etc/passwd", f"root:x:0:0:root:/:/none\ngantry:x:{USER}:{USER}:Gantry:/var/lib/gantry:/none\n".encode())
    made.file("etc/group", f"root:x:0:\ngantry:x:{USER}:\n".encode())
    # The C library asks DNS only after the file of hosts.
    made.file("etc/nsswitch.conf", b"hosts: files dns\n")
    made.file("etc/gantry/gantry.toml", given.config.read_bytes())
    roots = sorted(given.certificates.glob("*.crt"))
    if not roots:
        raise SystemExit(f"image.py: {given.certificates} has no certificates")
    made.file("etc/ssl/certs/ca-certificates.crt", b"".join(root.read_bytes() for root in roots))
    for text in given.legal:
        made.file(f"usr/share/doc/gantry/{text.name}", text.read_bytes())
    made.file("usr/bin/gantry", given.binary.read_bytes(), 0o755)
    return made.end()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def main():
    given = arguments()
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(given.created))
    plain = layer(given)
    packed = gzip.compress(plain, 9, mtime=0)
    config = {
        "created": created,
        "architecture": ARCHITECTURES.get(platform.machine(), platform.machine()),
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Entrypoint": ["/usr/bin/gantry"],
            "Cmd": ["serve", "/etc/gantry"],
            "WorkingDir": "/var/lib/gantry",
            "Env": ["PATH=/usr/bin", "HOME=/var/lib/gantry", "XDG_STATE_HOME=/var/lib", "XDG_CACHE_HOME=/var/cache"],
            "ExposedPorts": {"2222/tcp": {}},
            "Volumes": {"/var/lib/gantry": {}},
            "StopSignal": "SIGTERM",
            # Docker's, which OCI's specification does not have: times are in nanoseconds.
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/gantry", "health"],
                "Interval": 10_000_000_000,
                "Timeout": 5_000_000_000,
                "StartPeriod": 10_000_000_000,
                "Retries": 3,
            },
            "Labels": {
                "org.opencontainers.image.title": given.title,
                "org.opencontainers.image.version": given.version,
                "org.opencontainers.image.licenses": "Apache-2.0",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(plain)}"]},
        "history": [{"created": created, "created_by": "make packages"}],
    }
    config = json.dumps(config, sort_keys=True).encode()
    blob = lambda kind, data: {"mediaType": f"{OCI}.{kind}", "digest": f"sha256:{digest(data)}", "size": len(data)}
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{OCI}.manifest.v1+json",
        "config": blob("config.v1+json", config),
        "layers": [blob("layer.v1.tar+gzip", packed)],
    }
    manifest = json.dumps(manifest, sort_keys=True).encode()
    named = blob("manifest.v1+json", manifest)
    named["annotations"] = {
        "io.containerd.image.name": f"docker.io/library/gantry:{given.tag}",
        "org.opencontainers.image.ref.name": given.tag,
    }
    path = lambda data: f"blobs/sha256/{digest(data)}"
    loaded = [{"Config": path(config), "RepoTags": [f"gantry:{given.tag}"], "Layers": [path(packed)]}]
    whole = Layer(given.created)
    for name in ("blobs", "blobs/sha256"):
        whole.folder(name)
    for data in (config, packed, manifest):
        whole.file(path(data), data)
    whole.file("index.json", json.dumps({"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": [named]}).encode())
    whole.file("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
    whole.file("manifest.json", json.dumps(loaded).encode())
    given.output.write_bytes(whole.end())


if __name__ == "__main__":
    main()
