#!/usr/bin/env python3
"""Tests that each command of tilewright in docs/references.md runs.

  references_test.py SOURCES TILEWRIGHT quick|full

Commands run on one small size and for the shortest time. `quick` runs those that compile few kernels, `full` those that compile
dozens of kernels or run large networks. Without an OpenCL device, commands that need one are skipped (exit code 77)."""
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
PAGE = pathlib.Path(sys.argv[1]) / "docs" / "references.md"
PROGRAM, PART = sys.argv[2], sys.argv[3]
# Commands that compile dozens of kernels or measure for many seconds.
LONG = ("--points all", "devices --measure")
# Commands that the page names without arguments.
BARE = {"net", "net convert", "explain"}


def commands():
    found = re.findall(r"`tilewright ([^`]+)`", PAGE.read_text())
    return list(dict.fromkeys(found))


def quick_form(command):
    words = command.split()
    if command in BARE:
        return [*words, "--help"]
    if words[0] == "bench" and words[-1] != "list":
        return [*words, "--shapes", "128x128x128", "--seconds", "10ms"]
    if words[:2] == ["net", "bench"]:
        return [*words, "--seconds", "10ms"]
    return words


def main():
    environment = {**os.environ, "TILEWRIGHT_CACHE": "off"}
    devices = subprocess.run([PROGRAM, "devices"], capture_output=True, text=True, env=environment)
    if "no OpenCL device" in devices.stdout:
        print("SKIPPED: no OpenCL device")
        return SKIPPED
    wrong = 0
    chosen = [c for c in commands() if any(part in c for part in LONG) == (PART == "full")]
    for command in chosen:
        ran = subprocess.run([PROGRAM, *quick_form(command)], capture_output=True, text=True, env=environment)
        if ran.returncode != 0 or not ran.stdout:
            wrong += 1
            print(f"FAIL: tilewright {command}: exit code {ran.returncode}\n{ran.stderr}")
    print(f"{len(chosen)} commands, {wrong} failed")
    return 1 if wrong or not chosen else 0


sys.exit(main())
