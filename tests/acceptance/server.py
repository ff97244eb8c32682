"""Starts the gateway for a test and always ends it."""

import re
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

START_MAX_S = 30
STOP_MAX_S = 20


class Server:
    """The gateway with one of its examples or a folder, on free ports: `with Server(binary, "performance") as server`.

    With `configured`, it serves on the listeners of the folder.
    """

    def __init__(self, binary: Path, example: str | Path, configured: bool = False):
        self.binary = binary
        self.place = [example] if isinstance(example, Path) else ["--example", example]
        self.listen = [] if configured else ["--listen", "127.0.0.1:0"]
        self.url = ""
        self.admin = ""

    def __enter__(self) -> "Server":
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [self.binary, "serve", *self.place, *self.listen, "--admin", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        # A server that says nothing is ended, which ends the reading below.
        watchdog = threading.Timer(START_MAX_S, self._process.kill)
        watchdog.start()
        for line in self._process.stdout:
            if found := re.match(r"gantry serves on (https?://\S+)", line):
                self.url = found.group(1)
            elif found := re.match(r"metrics and health on (http://[^/\s]+)/", line):
                self.admin = found.group(1)
                break
        watchdog.cancel()
        if not self.admin:
            self.__exit__(None, None, None)
            raise AssertionError(f"the gateway did not say where it serves:\n{self.log_end()}")
        # What it prints later must not fill the pipe.
        threading.Thread(target=self._process.stdout.read, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def check_alive(self) -> None:
        """Fails if the gateway ended although nobody here asked it to."""
        code = self._process.poll()
        assert code is None, f"the gateway ended by itself with {code}:\n{self.log_end()}"

    def interrupt(self) -> int:
        """What Ctrl-C does; returns the exit code."""
        self._process.send_signal(signal.SIGINT)
        try:
            return self._process.wait(STOP_MAX_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the gateway does not end within {STOP_MAX_S} s of SIGINT") from None

    def log_end(self) -> str:
        """The last lines of its log."""
        self._log.seek(0)
        return "\n".join(self._log.read().decode(errors="replace").splitlines()[-10:])
