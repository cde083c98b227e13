"""What the Python tests count, and the seed of what they draw."""

import os
import random
import sys

# TENSOROP_SEED, else a new one; what fails says it.
SEED = int(os.environ.get("TENSOROP_SEED") or random.randrange(1 << 32))


class Checker:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, what, ok, detail=""):
        if ok:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED: {what}{f': {detail}' if detail != '' else ''}")

    def skip(self, reason):
        """What cannot run on this machine: tests/run.sh counts and shows it, and `tests/run.sh all` fails."""
        print(f"SKIPPED: {reason}")

    def exit(self):
        """Ends the script with the line that has the counts."""
        if self.failed:
            print(f"TENSOROP_SEED={SEED}")
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)
