"""What does mali-rank expect of a compiled kernel? Pure functions: no files but limits files, no program is run.

docs/mali.md writes the model down and compares it with what was published.
"""
import math
import os
import re
import shutil

def find_program():
    """tilewright of build/release, else the one in PATH; None: there is none."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(here, "..", "build", "release", "tuner", "tilewright")
    return built if os.access(built, os.X_OK) else shutil.which("tilewright")


# What the tool that compiles calls the GPUs of profiles/limits. One Midgard stands for all, one Bifrost and one Valhall, since
# Mesa makes the same code, or nearly so, for all of a family.
ISA_NAMES = {
    "mali-t604": "t860", "mali-t628": "t860", "mali-t628-2-cores": "t860", "mali-t760": "t860",
    "mali-t860": "t860", "mali-t880": "t860", "mali-g71": "g52", "mali-g72": "g52",
    "mali-g31": "g52", "mali-g51": "g52", "mali-g52": "g52", "mali-g76": "g52",
    "mali-g57": "g610", "mali-g610": "g610"}

# GFLOPS at 96, 192, 384, 768, 1440, 2880 (square), measured by others: Mali-T600 paper, Table 1.3; low-power thesis, Table 8.2.
PUBLISHED_SIZES = (96, 192, 384, 768, 1440, 2880)
PUBLISHED = {
    ("mali-t604", "scalarNN"): (2.0, 2.0, 2.0, 2.0, 2.0, 1.6),
    ("mali-t604", "scalarNT"): (2.0, 2.1, 2.1, 2.1, 2.1, 2.0),
    ("mali-t604", "blockedNN"): (8.0, 8.4, 7.6, 7.5, 7.4, 6.8),
    ("mali-t604", "blockedNT"): (11.2, 13.0, 13.2, 13.1, 13.1, 10.8),
    ("mali-t604", "cacheblockedNT"): (7.4, 8.1, 10.1, 10.0, 9.3, 9.2),
    ("mali-t628", "blocked-rm-cm"): (11.65, 13.65, 13.08, 12.90, 12.98, 2.14),
    ("mali-t628", "morton-4-2"): (13.04, 14.86, 14.19, 13.67, 13.61, 13.65),
    ("mali-t628", "morton-4-4"): (12.05, 13.93, 12.94, 12.45, 12.02, 11.98)}

# A load instruction of the later GPUs serves so many work-items a clock: unverified.
LOAD_LANES = {"bifrost": 4, "valhall": 16}
# Cycles of the load-store unit for a cache line that comes from the next cache: 64 bytes, 16 a clock; unverified.
MISS_CYCLES = 4.0
# What a kernel keeps per halving of its work-items below half of the most (codelets/model/expectation.cpp has the same).
FEWER_RESIDENTS = 0.85
# Places that a Midgard core reads side by side at full speed (likewise).
MIDGARD_STREAMS = 32
LINE_FLOATS = 16
# Arithmetic words that a Midgard kernel of dot() keeps where the compiler uses the 4-wide dot of the hardware, as ARM's does:
# Mesa computes it in parts. Counted for 2x4x2 with a Mesa that was changed: 10 words instead of 15.
DOT_KEPT = 10 / 15


def parse_limits(text):
    """The facts of a limits file: numbers, booleans, texts and lists of numbers by key."""
    facts = {}
    for line in text.splitlines():
        match = re.match(r"(\w+) = (\"[^\"]*\"|\[[^\]]*\]|\w+)", line)
        if not match:
            continue
        key, value = match.groups()
        if value[0] == '"':
            facts[key] = value[1:-1]
        elif value[0] == "[":
            facts[key] = [int(item) for item in value[1:-1].split(",")]
        else:
            facts[key] = value == "true" if value in ("true", "false") else int(value)
    return facts


def read_limits(name):
    """The facts of a known device (profiles/limits). Raises ValueError that names the known ones."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "profiles", "limits")
    if name not in ISA_NAMES:
        raise ValueError(f"'{name}' is none of {', '.join(sorted(ISA_NAMES))}")
    with open(os.path.join(folder, name + ".toml"), encoding="utf-8") as file:
        return parse_limits(file.read())


def parse_point(text):
    """Parameters of a gemm point by name, as numbers where they are; what it does not name is not there."""
    point = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if equals:
            point[name] = int(value) if value.isdigit() else value
    return point


def work_items(point):
    return point.get("work_group_m", 1) * point.get("work_group_n", 1) * point.get("work_group_k", 1)


def multiply_adds(point):
    """Of one work-item in one turn of the emitted loop."""
    product = 1
    for name in ("tile_m", "tile_n", "tile_k", "unroll_k"):
        product *= point.get(name, 1)
    return product


def lines_per_turn(point):
    """Cache lines that a work-group reads for the first time in one turn: the floats of both operands."""
    rows = point.get("work_group_m", 1) * point.get("tile_m", 1)
    columns = point.get("work_group_n", 1) * point.get("tile_n", 1)
    steps = point.get("tile_k", 1) * point.get("unroll_k", 1)
    return (rows + columns) * steps / LINE_FLOATS


def additions(point, family):
    """Multiplications and additions that the compiler counts for one multiply-add: Midgard has no fused one."""
    if family != "midgard":
        return 1.0
    if point.get("inner") == "dot":
        return 1.25  # a product of four lanes, and its lanes added up
    return 2.0 / min(4, point.get("vector_width", 1))


def repeated(point, row, family):
    """How often the compiler put a turn of the emitted loop into its own: loops of few turns are unrolled."""
    expected = multiply_adds(point) * additions(point, family)
    return max(1, 2 ** round(math.log2(max(row["loop"]["fma"], 1) / expected)))


def residents(row, facts):
    """Work-items on a compute unit at a time, by the registers of the compiled kernel."""
    for registers, items in zip(facts["registers"], facts["resident_work_items"]):
        if row["registers"] <= registers:
            return items
    return facts["resident_work_items"][-1]


def occupancy_share(items, facts):
    enough = facts["resident_work_items"][0] / 2
    return FEWER_RESIDENTS ** max(0.0, math.log2(enough / items))


def lines_of(layout, own, count):
    """Rows of A (own: R) or columns of B (C) that lie a leading dimension apart, of `count`."""
    if layout[0] != own:
        return 1
    chunk = re.match(r"[RC](\d+)x(\d+)", layout)
    height = int(chunk[1 if own == "R" else 2]) if chunk else 1
    return math.ceil(count / height)


def streams(point, items):
    """Places that `items` resident work-items read side by side (codelets/model/cache_model.hpp has the same)."""
    groups = max(1.0, items / work_items(point))
    below = {"columns": groups, "tiled": min(groups, 8.0), "morton": math.sqrt(groups)}.get(point.get("group_order"), 1.0)
    m = point.get("work_group_m", 1) * below
    n = point.get("work_group_n", 1) * groups / below
    op = {"N": "R", "T": "C"}
    plain = [op[letter] for letter in point.get("op", "NN")]
    return (lines_of(str(point.get("layout_a", plain[0])), "R", m * point.get("tile_m", 1)) +
            lines_of(str(point.get("layout_b", plain[1])), "C", n * point.get("tile_n", 1)))


def work_group_share(point, items, facts):
    """What a kernel keeps of its speed in work-groups of this shape."""
    share = min(1.0, work_items(point) / max(1, facts["preferred_work_group_multiple"]))
    if facts["architecture"] == "midgard":
        share *= min(1.0, MIDGARD_STREAMS / streams(point, items))
    return share


def cycles(row, facts, point, dot_kept):
    """Cycles of a compute unit for one turn of one work-item, by what may bound it: arithmetic, load-store."""
    loop, times = row["loop"], repeated(point, row, facts["architecture"])
    missed = MISS_CYCLES * lines_per_turn(point) * times / work_items(point)
    if facts["architecture"] == "midgard":
        pipes = facts["fma_per_clock"] / 4
        kept = DOT_KEPT if dot_kept and point.get("inner") == "dot" else 1.0
        return kept * loop["alu_words"] / pipes, loop["ls_words"] + missed
    issued = loop["tuples"] if facts["architecture"] == "bifrost" else loop["instructions"]
    lanes = LOAD_LANES[facts["architecture"]]
    return issued / facts["fma_per_clock"], (loop["loads"] + loop["stores"]) / lanes + missed


def predict(row, facts, point, dot_kept=False):
    """What the model expects: a dictionary, or None if the kernel has no loop that multiplies.

    dot_kept: as if the compiler kept Midgard's dot (DOT_KEPT).
    """
    if not row.get("loop") or not row["loop"].get("fma"):
        return None
    arithmetic, memory = cycles(row, facts, point, dot_kept)
    macs = multiply_adds(point) * repeated(point, row, facts["architecture"])
    items = residents(row, facts)
    share = occupancy_share(items, facts) * work_group_share(point, items, facts)
    clock = 2 * macs * facts["compute_units"] * facts["clock_mhz"] / 1000
    issue = {"midgard": "alu_words", "bifrost": "tuples", "valhall": "instructions"}[facts["architecture"]]
    return {"gflops": share * clock / max(arithmetic, memory),
            "bound": "arithmetic" if arithmetic >= memory else "load-store",
            "macs_per_issue": macs / max(1, row["loop"][issue]),
            "macs_per_load": macs / max(1, row["loop"]["loads"]),
            "residents": items,
            "launches": work_items(point) <= min(items, row.get("max_work_group", items))}


def with_few_work_items(text, most=64):
    """The point with a work-group of at most so many work-items, or None if it has no more."""
    point = parse_point(text)
    m, n = point.get("work_group_m", 1), point.get("work_group_n", 1)
    if m * n <= most:
        return None
    while m * n > most:
        m, n = (m // 2, n) if m >= n else (m, n // 2)
    text = re.sub(r"work_group_m=\d+", f"work_group_m={m}", text)
    return re.sub(r"work_group_n=\d+", f"work_group_n={n}", text)


def ranks(values):
    """Ranks from 1, ties sharing their mean."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            result[i] = (at + 1 + end) / 2
        at = end
    return result


def rank_correlation(one, other):
    """Spearman's, ties by mean ranks."""
    a, b = ranks(one), ranks(other)
    mean = (len(a) + 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    spread = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return covariance / spread if spread else 0.0
