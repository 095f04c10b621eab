#!/usr/bin/env python3
"""Does a new step of a call touch at most three files of the runtime?

  added_step_test.py SOURCES COMPILER FLAG...

Adds a made-up step to a copy of the sources: C is packed once more, behind all others. All sources that go through the
list of steps must compile with it, where a step that a switch forgets is an error: kernels are loaded, launched,
explained and their times added up by such loops. Sources that name single steps mean those.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES, COMPILER, *FLAGS = sys.argv[1:]
del sys.argv[1:]
MOST_FILES = 3

# File: what stands there, and what takes its place.
ADDED = {
    "runtime/plan/steps.hpp": [
        ("kReduce, kFinish }", "kReduce, kFinish, kCopyC }"),
        ("std::array<StepFacts, 7>", "std::array<StepFacts, 8>"),
        ('"bias and activation after it", false}',
         '"bias and activation after it", false},\n     {CallStep::kCopyC, "copy_c", "C is copied after it", true}')],
    "runtime/plan/operands.cpp": [
        ("      return finish(kernel);\n",
         "      return finish(kernel);\n"
         "    case CallStep::kCopyC:\n"
         "      return pack(kernel, *places.between, shape.m, shape.n, call_.c, between());\n")],
    "runtime/plan/plan.cpp": [
        ("  const Commands commands = commands_of(plan);\n  plan.times.launches_ns",
         "  if (!find_pack(plan, CallStep::kCopyC, plain_, storage_c(record, problem_.shape),\n"
         "                 {problem_.shape.m, problem_.shape.n}, problem_.c)) {\n"
         "    return std::nullopt;\n"
         "  }\n"
         "  const Commands commands = commands_of(plan);\n  plan.times.launches_ns")]}


class AddedStep(unittest.TestCase):
    def test_three_files_are_enough(self):
        self.assertLessEqual(len(ADDED), MOST_FILES)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(pathlib.Path(SOURCES) / "runtime", pathlib.Path(folder) / "runtime")
            for file, places in ADDED.items():
                path = pathlib.Path(folder) / file
                text = path.read_text()
                for before, after in places:
                    self.assertEqual(text.count(before), 1, f"{file}: {before}")
                    text = text.replace(before, after)
                path.write_text(text)
            looping = [path for path in sorted(pathlib.Path(folder).rglob("*.cpp")) if "kCallSteps" in path.read_text()]
            self.assertGreater(len(looping), len(ADDED))
            for path in looping:
                # The copy's headers come first.
                done = subprocess.run([COMPILER, f"-I{folder}", *FLAGS, "-fsyntax-only", "-Wall", "-Werror", path],
                                      stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)


unittest.main()
