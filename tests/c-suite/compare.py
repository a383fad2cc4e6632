#!/usr/bin/env python3
"""Compares a record of a suite with a new one: names of programs that failed on no earlier run end it with status 1.

Usage: compare.py RECORD NEW
"""
import json
import pathlib
import sys


def main() -> int:
    known, found = (pathlib.Path(name) for name in sys.argv[1:3])
    if not known.exists():
        print(f"{known}: no record yet")
        return 0
    old, new = (json.loads(it.read_text()) for it in (known, found))
    worse = [
        f"{kind}: {name}"
        for kind in ("apg_alone_fails", "false_errors")
        for name in new[kind]
        if name not in old[kind]
    ]
    print("\n".join(worse) or "not worse than recorded")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
