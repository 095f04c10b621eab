#!/usr/bin/env python3
"""include_folders_test.py SOURCES BUILD: tests that a module can include headers of the modules that it depends on only.

For each module, the include folders in its compiler commands must contain the headers of the modules that it DEPENDS on
(cmake/modules.cmake), and of no other module. Then an include of any other module does not compile."""
import importlib.machinery
import importlib.util
import json
import pathlib
import shlex
import sys

sys.dont_write_bytecode = True
SOURCES, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
loader = importlib.machinery.SourceFileLoader("modules", str(SOURCES / "scripts" / "modules"))
modules_script = importlib.util.module_from_spec(importlib.util.spec_from_loader("modules", loader))
loader.exec_module(modules_script)


def include_folders(command):
    words = shlex.split(command)
    folders = [word[2:] for word in words if word.startswith("-I") and len(word) > 2]
    folders += [path for option, path in zip(words, words[1:]) if option in ("-I", "-isystem", "-iquote")]
    return [pathlib.Path(folder) for folder in folders]


def visible(module, folders):
    """Returns whether one of the folders contains a header of the module, at the path of the module."""
    return any(any((folder / module).glob("*.hpp")) for folder in folders)


modules = modules_script.declared()
headers = {module for module in modules if any((SOURCES / module).glob("*.hpp"))} | {"profiles"}
wrong, checked = [], set()
for entry in json.loads((BUILD / "compile_commands.json").read_text()):
    file = pathlib.Path(entry["file"])
    # Sources that are compiled as one are in the build folder of their module.
    top = next((folder for folder in (BUILD, SOURCES) if file.is_relative_to(folder)), None)
    if top is None:
        continue
    module = modules_script.owner(str(file.relative_to(top)), modules)
    if module is None:
        continue
    folders = include_folders(entry["command"])
    if (module, *folders) in checked:
        continue
    checked.add((module, *folders))
    common = set() if module == "profiles/base" else {"profiles", "profiles/base"}
    allowed = modules_script.all_dependencies(module, modules) | {module} | common
    wrong += [f"{entry['file']} can include headers of {other}" for other in headers - allowed if visible(other, folders)]
    wrong += [f"{entry['file']} cannot include headers of {other}, which {module} sees"
              for other in (allowed & headers) - {module} if not visible(other, folders)]
if {module for module, *_ in checked} != set(modules):
    wrong.append(f"no compiler command for a source of: {set(modules) - {module for module, *_ in checked}}")
print(f"{len(checked)} compiler commands of {len(modules)} modules")
sys.exit("\n".join(wrong) or None)
