#!/usr/bin/env python3
"""one_definition.py SOURCE_FOLDER: fails if two definitions in the product have the same qualified name.

Two classes, structs, enumerations or functions of one name are undefined behaviour as soon as a program contains both,
even if no file includes both headers, and neither the compiler nor the linker reports it. A type may not share its name
with an alias either. Functions may be overloaded. Definitions in unnamed namespaces and in functions are not compared.
Exit code 77: ctags is not installed.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

AREAS = ("profiles", "codelets", "runtime", "tuner")
TYPES = ("class", "struct", "union", "enum", "typedef")


def definitions(root, files):
    """Yields (qualified name, is it an alias, "file:line") of each definition in these files."""
    command = ["ctags", "-L", "-", "--languages=C++", "--langmap=C++:.h.hpp.cpp", "--kinds-C++=csugft",
               "--fields=+KZSns", "--output-format=json", "-f", "-"]
    listing = subprocess.run(command, input="\n".join(files), cwd=root, capture_output=True, text=True, check=True)
    for tag in map(json.loads, listing.stdout.splitlines()):
        scope = tag.get("scope", "")
        name = f"{scope}::{tag['name']}" if scope else tag["name"]
        if "__anon" in name or tag.get("scopeKind") == "function":
            continue
        if tag["kind"] == "function":
            name += re.sub(r"(?<=[\s&*>])\w+(?=[,)])", "", tag.get("signature", ""))  # without names of parameters
        elif tag["kind"] not in TYPES:
            continue
        yield name, tag["kind"] == "typedef", f"{tag['path']}:{tag['line']}"


def collisions(root, files):
    places = collections.defaultdict(list)
    for name, is_alias, place in definitions(root, files):
        places[name].append((is_alias, place))
    return {name: [place for _, place in found] for name, found in sorted(places.items())
            if len(found) > 1 and not all(is_alias for is_alias, _ in found)}


def check_the_check():
    """Are planted collisions found, and legal repetitions spared?"""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "a.hpp").write_text("""namespace t {
struct Turn { int a; };
class Declared;
inline int twice(int x) { return 2 * x; }
inline int twice(double x) { return int(2 * x); }
namespace { struct Local {}; }
}
""")
        (root / "b.cpp").write_text("""namespace t {
using Turn = float;
class Declared {};
inline int twice(int y) { return y + y; }
namespace { struct Local {}; }
namespace other { struct Turn {}; }
}
""")
        found = list(collisions(root, ["a.hpp", "b.cpp"]))
    if found != ["t::Turn", "t::twice(int )"]:
        sys.exit(f"FAIL: of the planted collisions t::Turn and t::twice the check finds {found}")


def main():
    if shutil.which("ctags") is None:
        print("SKIPPED: ctags is not installed (Debian: universal-ctags)")
        sys.exit(77)
    check_the_check()
    root = pathlib.Path(sys.argv[1])
    files = [str(path.relative_to(root)) for area in AREAS for pattern in ("*.hpp", "*.cpp")
             for path in sorted((root / area).rglob(pattern))]
    found = collisions(root, files)
    for name, places in found.items():
        print(f"{name} is defined {len(places)} times: {', '.join(places)}")
    if found or not files:
        sys.exit("FAIL: rename all but one of each, or put them into namespaces of their modules")
    print(f"{len(files)} sources")


main()
