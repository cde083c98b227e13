"""What the Python tests count."""

import sys


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

    def exit(self):
        """Ends the script with the line that has the counts."""
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)
