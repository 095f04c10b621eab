#!/usr/bin/env python3
"""headers_test.py SOURCE_FOLDER: does every header include what it needs?

A header NAME.hpp is compiled alone (the target `headers`) unless there is a NAME.cpp, which must include it first. These
sources have a precompiled header, which would hide a missing include of the standard library or of another project.
So each name of these libraries in a header must be declared by a header that is included directly, or by way of headers
of this project. A name of the standard library that no header has used before must be added to the table."""
import functools
import pathlib
import re
import sys
import tempfile

AREAS = ("profiles", "codelets", "runtime", "tuner")
# Folders below which headers are included by their path.
FOLDERS = ("", "profiles/include", "runtime/include", "runtime/models", "profiles")
STANDARD = {
    "algorithm": "all_of any_of clamp copy count_if equal find find_if max min sort",
    "array": "array get", "atomic": "atomic", "bit": "bit_cast", "bitset": "bitset", "charconv": "from_chars to_chars", "chrono": "chrono",
    "cmath": "abs acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp expm1 floor fmod isfinite isnan log log1p "
             "nearbyint pow sin sinh sqrt tan tanh",
    "compare": "strong_ordering", "complex": "abs complex", "concepts": "integral same_as",
    "cstdint": "int16_t int32_t int64_t int8_t uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "cstddef": "byte", "cstdio": "FILE", "cstring": "memcpy memset strlen", "deque": "deque",
    "exception": "exception exception_ptr", "filesystem": "filesystem", "functional": "function",
    "initializer_list": "initializer_list", "iosfwd": "istream ostream", "istream": "istream", "iterator": "back_inserter",
    "limits": "numeric_limits", "list": "list", "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr", "mutex": "lock_guard mutex",
    "optional": "nullopt nullopt_t optional", "ostream": "ostream", "random": "mt19937 mt19937_64 random_device", "set": "set",
    "span": "span", "sstream": "istringstream ostringstream", "stdexcept": "invalid_argument runtime_error",
    "string": "getline string to_string", "string_view": "string_view", "tuple": "apply get make_tuple tie tuple",
    "type_traits": "is_convertible_v is_invocable_v is_same_v", "unordered_map": "unordered_map",
    "utility": "cmp_not_equal exchange forward get in_range move pair swap",
    "variant": "get get_if holds_alternative monostate variant visit", "vector": "vector"}
# Every header of a container declares these.
COMMON = {"begin", "end", "forward", "move", "pair", "ptrdiff_t", "size", "size_t", "swap"}
OTHERS = {r"\bfmt::\w": "fmt/", r"\bnlohmann::\w": "nlohmann/", r"\bCLI::\w": "CLI/", r"\bonnx::\w": "onnx/",
          r"\bcl::\w|\b(cl|CL)_\w": "CL/"}


def code(text):
    """The text without comments and string literals."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(\\.|[^"\\\n])*"', " ", text, flags=re.S)


@functools.lru_cache(maxsize=None)
def includes(path):
    text = path.read_text()
    return [next(filter(None, pair)) for pair in re.findall(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', text, re.M)]


class Sources:
    def __init__(self, root):
        self.root = root.resolve()
        self.headers = [path for area in AREAS for path in sorted((self.root / area).rglob("*.hpp"))]

    @functools.lru_cache(maxsize=None)
    def own(self, name, includer):
        """The header of this project that an include names, or None."""
        candidates = [self.root / folder / name for folder in FOLDERS] + [includer.parent / name]
        return next((path for path in candidates if path.is_file()), None)

    def external(self, header):
        """The headers of other projects that this one includes, directly or by way of headers of this project."""
        found, seen, pending = set(), {header}, [header]
        while pending:
            includer = pending.pop()
            for name in includes(includer):
                own = self.own(name, includer)
                if own is None:
                    found.add(name)
                elif own not in seen:
                    seen.add(own)
                    pending.append(own)
        return found

    def faults(self, header):
        folder = header.parents[2] if header.parent.parent.name == "include" else header.parent
        source = folder / f"{header.stem}.cpp"
        if source.is_file():
            first = (includes(source) or [""])[0]
            if not header.as_posix().endswith("/" + first):
                yield f"{source} does not include its own header first"
        text, external = code(header.read_text()), self.external(header)
        for name in sorted(set(re.findall(r"\bstd::(\w+)", text)) - COMMON):
            declared = [file for file, names in STANDARD.items() if name in names.split()]
            if not declared:
                yield f"{header}: std::{name} is not in the table of {pathlib.Path(__file__).name}"
            elif external.isdisjoint(declared):
                yield f"{header}: std::{name} needs #include <{'> or <'.join(declared)}>"
        for pattern, folder in OTHERS.items():
            used = re.search(pattern, text)
            if used and not any(name.startswith(folder) for name in external):
                yield f"{header}: {used[0]}... needs a header of {folder}"


def check_the_check():
    """Are planted faults found, and nothing else?"""
    with tempfile.TemporaryDirectory() as folder:
        area = pathlib.Path(folder) / "tuner"
        area.mkdir()
        (area / "right.hpp").write_text('#include <vector>\n#include "tuner/base.hpp"\n'
                                        "std::vector<std::string> right(std::size_t);  // no std::map\n")
        (area / "right.cpp").write_text('#include "tuner/right.hpp"\n#include "tuner/base.hpp"\n')
        (area / "base.hpp").write_text("#include <string>\nstd::string base();\n")
        (area / "wrong.hpp").write_text('#include "tuner/base.hpp"\nstd::set<cl_int> wrong(std::new_name, fmt::x);\n')
        (area / "wrong.cpp").write_text('#include "tuner/base.hpp"\n#include "tuner/wrong.hpp"\n')
        sources = Sources(pathlib.Path(folder))
        found = [(header.name, fault.split(" ", 1)[1].split()[0]) for header in sources.headers
                 for fault in sources.faults(header)]
    expected = [("wrong.hpp", word) for word in ("does", "std::new_name", "std::set", "fmt::x...", "cl_i...")]
    if found != expected:
        sys.exit(f"FAIL: of the planted faults {expected} the check finds {found}")


check_the_check()
sources = Sources(pathlib.Path(sys.argv[1]))
faults = [fault for header in sources.headers for fault in sources.faults(header)]
print(f"{len(sources.headers)} headers")
if faults or not sources.headers:
    sys.exit("\n".join(faults + ["FAIL"]))
