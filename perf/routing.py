#!/usr/bin/env python3
"""Counts the instructions of routing a request among 1, 10, 100 and 1,000 APIs, one by one.

The benchmark `routing` of the crate `api` sends itself SIGUSR1 before and behind what is counted; this program steps it
with ptrace in between, which needs no counters of the processor. Linux on x86-64 or aarch64. ROUTING_MAX_RATIO
(default 1.05) is how much more 1,000 APIs may need than one; beyond it the exit code is 1.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys

TRACEME, CONT, SINGLESTEP = 0, 7, 9
ROUNDS_OF_THREE = 60
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, pid, data=0):
    if libc.ptrace(request, pid, None, data) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")


def stopped(pid):
    """The signal at which the process stands; none if it has ended."""
    _, status = os.waitpid(pid, 0)
    if os.WIFSTOPPED(status):
        return os.WSTOPSIG(status)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
        return None
    sys.exit(f"routing: the benchmark ended with status {status}")


def instructions(program, apis):
    pid = os.fork()
    if pid == 0:
        ptrace(TRACEME, 0)
        os.execv(program, [program, str(apis)])
    stopped(pid)  # at its exec
    ptrace(CONT, pid)
    while (at := stopped(pid)) != signal.SIGUSR1:
        if at is None:
            sys.exit("routing: no SIGUSR1 came")
        ptrace(CONT, pid, at)
    count = 0
    while True:
        ptrace(SINGLESTEP, pid)
        at = stopped(pid)
        if at == signal.SIGUSR1:
            break
        count += 1
    ptrace(CONT, pid)
    while stopped(pid) is not None:
        ptrace(CONT, pid)
    return count


def build():
    command = ["cargo", "bench", "-q", "-p", "api", "--bench", "routing", "--no-run", "--message-format=json"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for message in map(json.loads, lines):
        if message.get("executable") and message["target"]["name"] == "routing":
            return message["executable"]
    sys.exit("routing: cargo built no benchmark")


def main():
    program = build()
    counts = {apis: instructions(program, apis) / ROUNDS_OF_THREE for apis in (1, 10, 100, 1000)}
    for apis, count in counts.items():
        print(f"{apis:5} APIs: {count:7.1f} instructions a request, {count / counts[1]:.3f} times one API")
    if counts[1000] > counts[1] * float(os.environ.get("ROUTING_MAX_RATIO", "1.05")):
        sys.exit("routing: 1,000 APIs cost more than is allowed")


main()
