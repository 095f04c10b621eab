#!/usr/bin/env python3
"""includes_test.py SOURCE_FOLDER: tests that every header and source includes what it uses of other libraries.

Several sources of a module are compiled as one, which hides a missing include: they compile here, but not alone
(scripts/check-arm). So each name of the standard library and of other libraries must be declared by a header that is
included directly, or through headers of this project. A header NAME.hpp is also compiled alone (the
target `headers`) unless there is a NAME.cpp, which must include it first.

A name of the standard library that no file has used before must be added to the table."""
import functools
import pathlib
import re
import sys
import tempfile

AREAS = ("profiles", "codelets", "runtime", "tuner")
# Folders below which headers are included by their path.
FOLDERS = ("", "profiles/include", "runtime/include", "runtime/models", "profiles", "runtime/clblast",
           "test", "test/codelets", "test/runtime", "test/runtime/models", "test/tuner")
STANDARD = {
    "algorithm": "adjacent_find all_of any_of clamp copy copy_if copy_n count count_if equal fill fill_n find find_if find_if_not "
        "generate is_sorted lower_bound max max_element min min_element minmax_element mismatch "
        "next_permutation none_of partial_sort ranges remove remove_if replace reverse rotate search shuffle "
        "sort stable_partition stable_sort transform unique upper_bound",
    "array": "array get to_array tuple_size_v",
    "atomic": "atomic",
    "barrier": "barrier",
    "bit": "bit_cast bit_ceil bit_floor bit_width endian",
    "bitset": "bitset",
    "cctype": "isalnum isspace isupper tolower toupper",
    "charconv": "chars_format errc from_chars to_chars",
    "chrono": "chrono milli nano",
    "cmath": "abs acos acosh asin asinh atan atanh ceil copysign cos cosh erf erfc exp expm1 fabs floor fma fmod "
        "hypot isfinite isinf isnan isnormal ldexp llround log log1p log2 nan nanf nearbyint nextafter pow "
        "signbit sin sinh sqrt tan tanh trunc",
    "compare": "strong_ordering",
    "complex": "abs complex conj",
    "concepts": "integral same_as",
    "condition_variable": "condition_variable",
    "csignal": "raise signal",
    "cstddef": "byte",
    "cstdint": "int16_t int32_t int64_t int8_t intptr_t uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t",
    "cstdio": "FILE fclose ferror fflush fopen fprintf fputs fread fwrite printf puts remove rename "
        "snprintf sscanf",
    "cstdlib": "_Exit abort abs aligned_alloc atof atoi atoll free getenv malloc strtod strtof strtol strtoll "
        "strtoul strtoull system",
    "cstring": "memcmp memcpy memset strcmp strerror strlen strstr",
    "deque": "deque erase_if",
    "exception": "current_exception exception exception_ptr make_exception_ptr rethrow_exception uncaught_exceptions",
    "filesystem": "error_code filesystem",
    "fstream": "fstream ifstream ios istream ofstream ostream streamsize",
    "functional": "function greater_equal less mem_fn multiplies ref",
    "ios": "ios streamsize",
    "iosfwd": "istream ostream",
    "iostream": "cin cout endl ios istream ostream streamsize",
    "istream": "ios istream streamsize",
    "iterator": "back_inserter distance istreambuf_iterator make_move_iterator next prev",
    "limits": "numeric_limits",
    "list": "erase_if list",
    "locale": "locale tolower toupper",
    "map": "erase_if map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "lock_guard mutex unique_lock",
    "new": "bad_alloc nothrow nothrow_t",
    "numbers": "numbers",
    "numeric": "accumulate gcd inner_product iota lcm",
    "optional": "nullopt nullopt_t optional",
    "ostream": "endl ios ostream streamsize",
    "random": "minstd_rand mt19937 mt19937_64 normal_distribution random_device uniform_int_distribution "
        "uniform_real_distribution",
    "ranges": "ranges views",
    "ratio": "milli nano",
    "regex": "regex regex_match regex_replace regex_search sregex_iterator",
    "set": "erase_if set",
    "span": "as_bytes as_writable_bytes span",
    "sstream": "ios istream istringstream ostream ostringstream stringstream",
    "stdexcept": "invalid_argument length_error logic_error overflow_error runtime_error",
    "string": "erase erase_if getline stoi stol stoul stoull string to_string",
    "string_view": "string_view",
    "system_error": "errc error_code generic_category system_error",
    "thread": "this_thread thread",
    "tuple": "apply get make_tuple tie tuple tuple_size_v",
    "type_traits": "decay decay_t enable_if is_arithmetic_v is_class_v is_constructible is_convertible is_convertible_v "
        "is_enum_v is_invocable_v is_nothrow_move_constructible is_pointer_v is_same is_same_v is_void_v type_identity_t underlying_type_t",
    "unordered_map": "erase_if unordered_map",
    "utility": "cmp_equal cmp_greater cmp_greater_equal cmp_less cmp_not_equal declval exchange forward get in_range move "
        "pair swap",
    "variant": "get get_if holds_alternative monostate variant variant_alternative_t variant_size_v visit",
    "vector": "erase erase_if vector"}
# Every header of a container declares these.
COMMON = {"begin", "end", "forward", "initializer_list", "move", "pair", "ptrdiff_t", "size", "size_t", "ssize", "swap"}
OTHERS = {r"\bfmt::\w": "fmt/", r"\bnlohmann::\w": "nlohmann/", r"\bCLI::\w": "CLI/", r"\bprotozero::\w": "protozero/",
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
        self.files = [path for area in AREAS + ("test",) for pattern in ("*.hpp", "*.cpp")
                      for path in sorted((self.root / area).rglob(pattern))]

    @functools.lru_cache(maxsize=None)
    def own(self, name, includer):
        """The header of this project that an include names, or None."""
        candidates = [self.root / folder / name for folder in FOLDERS] + [includer.parent / name]
        return next((path for path in candidates if path.is_file()), None)

    def external(self, file):
        """The headers of other projects that this file includes, directly or by way of headers of this project."""
        found, seen, pending = set(), {file}, [file]
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

    def faults(self, file):
        if file.suffix == ".hpp":
            folder = file.parents[2] if file.parent.parent.name == "include" else file.parent
            source = folder / f"{file.stem}.cpp"
            if source.is_file() and not file.as_posix().endswith("/" + (includes(source) or [""])[0]):
                yield f"{source} does not include its own header first"
        text, external = code(file.read_text()), self.external(file)
        for name in sorted(set(re.findall(r"\bstd::(?!__)(\w+)", text)) - COMMON):
            declared = [header for header, names in STANDARD.items() if name in names.split()]
            if not declared:
                yield f"{file}: std::{name} is not in the table of {pathlib.Path(__file__).name}"
            elif external.isdisjoint(declared):
                yield f"{file}: std::{name} needs #include <{'> or <'.join(declared)}>"
        for pattern, folder in OTHERS.items():
            used = re.search(pattern, text)
            if used and not any(name.startswith(folder) for name in external):
                yield f"{file}: {used[0]}... needs a header of {folder}"


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
        (area / "wrong.cpp").write_text('#include "tuner/base.hpp"\n#include "tuner/wrong.hpp"\n'
                                        "std::string a; std::vector<int> b; nlohmann::json c;\n")
        sources = Sources(pathlib.Path(folder))
        found = [(file.name, fault.split(" ", 1)[1].split()[0]) for file in sources.files
                 for fault in sources.faults(file)]
    expected = [("wrong.hpp", word) for word in ("does", "std::new_name", "std::set", "fmt::x...", "cl_i...")]
    expected += [("wrong.cpp", word) for word in ("std::vector", "nlohmann::j...")]
    if found != expected:
        sys.exit(f"FAIL: of the planted faults {expected} the check finds {found}")


check_the_check()
sources = Sources(pathlib.Path(sys.argv[1]))
faults = [fault for file in sources.files for fault in sources.faults(file)]
print(f"{len(sources.files)} headers and sources")
if faults or not sources.files:
    sys.exit("\n".join(faults + ["FAIL"]))
