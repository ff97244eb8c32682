"""The brokers that queues.py measures: how each is configured, started, asked and ended."""

import base64
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The newest that Maven Central's mirrors serve everywhere.
ACTIVEMQ = "5.18.3"
CLIENTS_MAX = 10
START_MAX_S = 60
O_DSYNC = 0o10000


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def file_system(path: Path) -> str:
    return subprocess.run(["findmnt", "-n", "-o", "FSTYPE", "-T", path], capture_output=True, text=True, check=True).stdout.strip()


def basic(user: str, password: str) -> str:
    return "Authorization: Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class Broker:
    """A broker that this process has started."""

    name = dialect = ""

    def __init__(self, folder: Path):
        self.folder = folder
        self.address = ""
        self.process: subprocess.Popen | None = None

    @property
    def group(self) -> int:
        return self.process.pid

    def pid(self) -> int:
        """The process that has the files."""
        return self.process.pid

    def launch(self, command: list, environment: dict[str, str] | None = None, folder: Path | None = None) -> None:
        """Starts a group of processes, whose output goes to a file."""
        with (self.folder / "log.txt").open("ab") as log:
            self.process = subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env=os.environ | (environment or {}), cwd=folder)

    def wait_for(self, path: str) -> None:
        """Waits until a page is there."""
        until = time.monotonic() + START_MAX_S
        while True:
            assert self.process.poll() is None, f"it ended: {self.log_end()}"
            try:
                return self.ask("GET", path)
            except (OSError, AssertionError, http.client.HTTPException):
                assert time.monotonic() < until, f"it does not answer: {self.log_end()}"
                time.sleep(0.1)

    def ask(self, method: str, path: str, body: bytes | None = None, headers: list[str] | None = None) -> bytes:
        connection = http.client.HTTPConnection(self.address, timeout=30)
        named = dict(header.split(": ", 1) for header in (self.headers() if headers is None else headers))
        try:
            connection.request(method, path, body, named | {"Content-Type": "application/json", "ibm-mq-rest-csrf-token": "x"})
            answer = connection.getresponse()
            text = answer.read()
            self.cookie = answer.getheader("set-cookie", "").split(";")[0]
        finally:
            connection.close()
        assert answer.status < 300, f"{method} {path}: {answer.status}: {text[:300]}"
        return text

    def log_end(self) -> str:
        return "\n".join((self.folder / "log.txt").read_text(errors="replace").splitlines()[-5:])

    def synchronous_files(self) -> list[str]:
        """Files that are open so that each write is forced."""
        found = []
        for entry in Path(f"/proc/{self.pid()}/fdinfo").iterdir():
            flags = re.search(r"flags:\s+([0-7]+)", entry.read_text())
            if flags and int(flags.group(1), 8) & O_DSYNC:
                found.append(os.readlink(f"/proc/{self.pid()}/fd/{entry.name}"))
        return found

    def memory_mib(self) -> float:
        status = Path(f"/proc/{self.pid()}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


CONFIG = """
[[listener]]
address = "{address}"

[admin]
address = "{admin}"

[limits]
connections_max = 20000
connections_per_address_max = 20000

[security]
require_auth = true

[security.roles]
admin = ["operators"]

[[security.authenticator]]
kind = "basic"
users = "users.txt"

[[security.authenticator]]
kind = "token"

[[interceptor]]
name = "audit"
kind = "audit"

[interceptor.file]
path = ".gantry/audit.jsonl"

[messaging]
wait_max_ms = 600000

[store]
path = ".store/queues.store"

[queue_manager]
name = "QM1"
get_sync = "{get_sync}"
"""

SERVICE = """
ccsid = 819
[provider]
kind = "queue"
destination = "REQUESTS"
reply_destination = "REPLIES"
wait_ms = 10000
persistent = true
[request]
copybook = "ASK.cpy"
wrapper = ""
[response]
copybook = "REPLY.cpy"
wrapper = ""
"""

API = """
base_path = "/ask"
[[operation]]
method = "POST"
path = "/"
service = "ask"
"""


class Gantry(Broker):
    """The gateway with a queue manager, tokens, an audit, and a two-way service."""

    dialect = "gantry"

    def __init__(self, binary: Path, folder: Path, get_sync: str):
        super().__init__(folder)
        self.binary = binary.resolve()
        self.name = "gantry" if get_sync == "strict" else "gantry, lazy"
        self.get_sync = get_sync
        self.token = ""
        self.fresh_mib = 0.0

    def configure(self) -> None:
        for name in ("services", "apis/ask", "copybooks", ".store", ".gantry"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.address, self.admin = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        queues = [f"{name}{number}" for name in ("REQ", "REP") for number in range(CLIENTS_MAX)]
        queues += ["REQUESTS", "REPLIES", "WAITED", "DEEP"]
        texts = "".join(f'\n[[queue_manager.queue]]\nname = "{queue}"\ndepth_max = 10000000\n' for queue in queues)
        config = CONFIG.format(address=self.address, admin=self.admin, get_sync=self.get_sync)
        (self.folder / "gantry.toml").write_text(config + texts)
        (self.folder / "services/ask.toml").write_text(SERVICE)
        (self.folder / "apis/ask/api.toml").write_text(API)
        (self.folder / "copybooks/ASK.cpy").write_text("       01  ASK.\n           05  TEXT  PIC X(50).\n")
        (self.folder / "copybooks/REPLY.cpy").write_text("       01  REPLY.\n           05  TEXT  PIC X(1024).\n")
        shutil.copy(ROOT / "examples/queues/users.txt", self.folder / "users.txt")
        (self.folder / "users.txt").chmod(0o600)

    def start(self) -> None:
        new = not self.address
        if new:
            self.configure()
        self.launch([self.binary, "serve", self.folder])
        until = time.monotonic() + START_MAX_S
        while True:
            assert self.process.poll() is None, f"it ended: {self.log_end()}"
            try:
                login = json.dumps({"username": "app", "password": "passw0rd"}).encode()
                self.ask("POST", "/ibmmq/rest/v2/login", login, [])
                break
            except OSError:
                assert time.monotonic() < until, f"it does not answer: {self.log_end()}"
                time.sleep(0.05)
        self.token = self.cookie
        if new:
            self.fresh_mib = self.memory_mib()

    def headers(self) -> list[str]:
        return [f"Cookie: {self.token}"]

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def browse(self, queue: str) -> bytes:
        return self.ask("GET", f"/ibmmq/rest/v2/messaging/qmgr/QM1/queue/{queue}/message")

    def depth(self, queue: str) -> int:
        command = {"type": "runCommandJSON", "command": "display", "qualifier": "qlocal", "name": queue, "responseParameters": ["curdepth"]}
        path, body = "/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc", json.dumps(command).encode()
        answer = json.loads(self.ask("POST", path, body, [basic("admin", "passw0rd")]))
        return answer["commandResponse"][0]["parameters"]["curdepth"]

    def drain(self, bench, queue: str) -> None:
        """Gets all messages. Each must be whole and in order."""
        if depth := self.depth(queue):
            found = bench.drive(self, "get", clients=10, count=depth, queue=queue)
            if "fault" in found:
                raise SystemExit(f"queues: the gateway: {found['fault']}")
            bench.keep(kind="drain", queue=queue, figures=found)
        assert self.depth(queue) == 0, f"{queue} is not empty"

    def store_bytes(self) -> int:
        return sum(path.stat().st_blocks * 512 for path in (self.folder / ".store").iterdir())


class ActiveMq(Broker):
    """ActiveMQ Classic with its REST interface. Its journal is synced, as it is by default."""

    name, dialect = "ActiveMQ", "activemq"

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        home = self.unpacked()
        conf = self.folder / "conf"
        shutil.copytree(home / "conf", conf, dirs_exist_ok=True)
        port = free_port()
        jetty = (conf / "jetty.xml").read_text()
        (conf / "jetty.xml").write_text(re.sub(r'(name="port" value=")\d+', rf"\g<1>{port}", jetty))
        # Only REST is needed, and other ports may be taken.
        broker = (conf / "activemq.xml").read_text()
        (conf / "activemq.xml").write_text(re.sub(r"<transportConnector [^>]*/>", "", broker))
        self.address = f"127.0.0.1:{port}"
        environment = {"ACTIVEMQ_HOME": str(home), "ACTIVEMQ_BASE": str(home), "ACTIVEMQ_CONF": str(conf), "ACTIVEMQ_DATA": str(self.folder / "data")}
        (self.folder / "data").mkdir(exist_ok=True)
        self.launch([home / "bin/activemq", "console"], environment)
        self.wait_for("/api/jolokia/version")

    @staticmethod
    def unpacked() -> Path:
        """Its folder, which Maven gets once."""
        peers = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "peers"
        home = peers / f"apache-activemq-{ACTIVEMQ}"
        if not (home / "bin/activemq").exists():
            assert shutil.which("mvn") and shutil.which("java"), "mvn or java is missing: apt-get install default-jdk-headless maven"
            artifact = f"org.apache.activemq:apache-activemq:{ACTIVEMQ}:tar.gz:bin"
            command = ["mvn", "--batch-mode", "--quiet", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={peers}"]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
            with tarfile.open(peers / f"apache-activemq-{ACTIVEMQ}-bin.tar.gz") as archive:
                archive.extractall(peers, filter="data")
        return home

    def headers(self) -> list[str]:
        return [basic("admin", "admin")]

    def pid(self) -> int:
        """The virtual machine behind its script."""
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and "java" in (entry / "comm").read_text():
                if os.getpgid(int(entry.name)) == self.process.pid:
                    return int(entry.name)
        return self.process.pid


class RabbitMq(Broker):
    """RabbitMQ with its management interface and durable queues."""

    name, dialect = "RabbitMQ", "rabbitmq"
    SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        assert self.SERVER.exists(), "rabbitmq-server is missing: apt-get install rabbitmq-server"
        ports = {name: free_port() for name in ("amqp", "http", "dist", "epmd")}
        (self.folder / "enabled_plugins").write_text("[rabbitmq_management].\n")
        (self.folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{ports['amqp']}\nmanagement.tcp.ip = 127.0.0.1\nmanagement.tcp.port = {ports['http']}\n")
        self.epmd = {"ERL_EPMD_PORT": str(ports["epmd"])}
        environment = self.epmd | {
            "HOME": str(self.folder),
            "RABBITMQ_NODENAME": f"bench{ports['amqp']}@localhost",
            "RABBITMQ_MNESIA_BASE": str(self.folder / "data"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_DIST_PORT": str(ports["dist"]),
        }
        self.address = f"127.0.0.1:{ports['http']}"
        self.launch([self.SERVER], environment, self.folder)
        self.wait_for("/api/overview")
        for number in range(CLIENTS_MAX):
            for name in ("REQ", "REP"):
                self.ask("PUT", f"/api/queues/%2F/{name}{number}", b'{"durable":true}')

    def headers(self) -> list[str]:
        return [basic("guest", "guest")]

    def pid(self) -> int:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and (entry / "comm").read_text().startswith("beam"):
                if os.getpgid(int(entry.name)) == self.process.pid:
                    return int(entry.name)
        return self.process.pid

    def stop(self) -> None:
        super().stop()
        if self.process and shutil.which("epmd"):
            # The one that it has started, by its port.
            subprocess.run(["epmd", "-kill"], env=os.environ | self.epmd, capture_output=True)
