"""Counts tests and tells what became of each."""

import time


class Tests:
    """Counts what passes; a test is a function that raises when something is wrong."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def run(self, name: str, test, *arguments) -> None:
        begin = time.monotonic()
        try:
            test(*arguments)
        except Exception as fault:
            self.failed += 1
            print(f"FAILED  {name}: {type(fault).__name__}: {fault}", flush=True)
        else:
            self.passed += 1
            print(f"ok      {name} ({time.monotonic() - begin:.1f} s)", flush=True)
