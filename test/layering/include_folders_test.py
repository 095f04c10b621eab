#!/usr/bin/env python3
"""include_folders_test.py SOURCES BUILD: can a source of a room include headers of exactly the rooms that its own sees?

For each room, the include folders of its compiler commands must hold the headers of the rooms that it sees, and of no
other room. So an include of any other room does not compile."""
import importlib.machinery
import importlib.util
import json
import pathlib
import shlex
import sys

sys.dont_write_bytecode = True
SOURCES, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
loader = importlib.machinery.SourceFileLoader("rooms", str(SOURCES / "scripts" / "rooms"))
rooms_script = importlib.util.module_from_spec(importlib.util.spec_from_loader("rooms", loader))
loader.exec_module(rooms_script)


def include_folders(command):
    words = shlex.split(command)
    folders = [word[2:] for word in words if word.startswith("-I") and len(word) > 2]
    folders += [path for option, path in zip(words, words[1:]) if option in ("-I", "-isystem", "-iquote")]
    return [pathlib.Path(folder) for folder in folders]


def visible(room, folders):
    """Is there a header of the room, named by its path, below one of the folders?"""
    return any(any((folder / room).glob("*.hpp")) for folder in folders)


rooms = rooms_script.declared()
headers = {room for room in rooms if any((SOURCES / room).glob("*.hpp"))} | {"profiles"}
wrong, checked = [], set()
for entry in json.loads((BUILD / "compile_commands.json").read_text()):
    file = pathlib.Path(entry["file"])
    if not file.is_relative_to(SOURCES) or file.is_relative_to(BUILD):
        continue
    room = rooms_script.room_of(str(file.relative_to(SOURCES)), rooms)
    if room is None:
        continue
    folders = include_folders(entry["command"])
    if (room, *folders) in checked:
        continue
    checked.add((room, *folders))
    common = set() if room == "profiles/base" else {"profiles", "profiles/base"}
    allowed = rooms_script.all_seen(room, rooms) | {room} | common
    wrong += [f"{entry['file']} can include headers of {other}" for other in headers - allowed if visible(other, folders)]
    wrong += [f"{entry['file']} cannot include headers of {other}, which {room} sees"
              for other in (allowed & headers) - {room} if not visible(other, folders)]
if {room for room, *_ in checked} != set(rooms):
    wrong.append(f"no compiler command for a source of: {set(rooms) - {room for room, *_ in checked}}")
print(f"{len(checked)} compiler commands of {len(rooms)} rooms")
sys.exit("\n".join(wrong) or None)
