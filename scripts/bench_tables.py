"""What the answers of `tilewright bench --json` say, as numbers and as Markdown tables; for scripts/performance."""
import math
import os
import tomllib


# ---- reading


def kind_of(report):
    """What a file holds: products, points or packs."""
    if "packs" in report:
        return "packs"
    if "points" in report:
        return "points"
    return "products" if "results" in report else None


def rival_name(name):
    """exec:path/cublas_rival -> cublas, old.toml -> old."""
    stem = os.path.splitext(os.path.basename(name.removeprefix("exec:")))[0]
    return stem.removesuffix("_rival") or stem


def shape_text(row):
    m, n, k = row["m"], row["n"], row["k"]
    return str(m) if m == n == k else f"{m}x{n}x{k}"


def flops(row):
    return 2.0 * row["m"] * row["n"] * row["k"]


DOUBLES = ("d", "z")  # whose products the peak of doubles bounds
BYTES = {"s": 4.0, "d": 8.0, "h": 2.0}  # of an element; the roofline does not count complex ones


def types_of(reports):
    """Of the elements of the products and points, in order: answers that do not say are of floats."""
    return sorted({report.get("precision", "s") for report in reports if kind_of(report) != "packs"})


def type_of(reports):
    return next(iter(types_of(reports)), "s")


def rates_in(report, kind):
    """What a file says. Old ones of doubles, whose rows have no roofline, and packs have the peak of floats."""
    rates = dict(report.get("rates", {}))
    if kind in DOUBLES and not any("roofline_gflops" in row for row in report.get("results", [])):
        rates.pop("peak_gflops", None)
    return rates


def rates_of(reports, profile=None):
    """(peak in GFLOPS, copy in GB/s) of the profile, else of the files; 0: not known."""
    sources = [rates_in(report, type_of(reports)) for report in reports]
    if profile:
        try:
            with open(profile, "rb") as file:
                rates = dict(tomllib.load(file).get("rates", {}))
            if type_of(reports) in DOUBLES:
                rates["peak_gflops"] = rates.get("double_peak_gflops", 0.0)
            sources.insert(0, rates)
        except (OSError, ValueError) as error:
            raise ValueError(f"--profile: {profile}: {error}") from error
    return tuple(next((rates[key] for rates in sources if rates.get(key)), 0.0)
                 for key in ("peak_gflops", "copy_gbytes_per_s"))


def roofline(row, peak, copy, kind="s"):
    """GFLOPS: A and B read once, C written once, at the rate of a copy; 0: not known."""
    if kind not in BYTES:
        return 0.0
    if copy <= 0.0:
        return peak
    m, n, k = row["m"], row["n"], row["k"]
    return min(peak, flops(row) / (BYTES[kind] * (m * k + k * n + m * n)) * copy)


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


# ---- tables


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def figure(summary, scale=1.0):
    low, median, high = (number(summary[key] * scale) for key in ("low", "median", "high"))
    return f"{median} ({low}–{high})"


def percent(value, bound):
    return f"{100 * value / bound:.0f}" if bound > 0 else "–"


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def rivals_in(results):
    """Names of all rivals, in the order in which they appear."""
    return list(dict.fromkeys(name for row in results for name in row["rivals"]))


def products_table(results, peak, copy, kind="s"):
    """A row a product: ours, shares of the roofs, each rival with its ratio, the launch's share."""
    rivals = rivals_in(results)
    header = ["op", "size", "tilewright", "% peak", "% roofline"]
    for name in rivals:
        header += [rival_name(name), "ratio"]
    header.append("% launch")
    rows = []
    for row in results:
        ours = row["gflops"]["median"]
        cells = [row["op"], shape_text(row), figure(row["gflops"]), percent(ours, peak),
                 percent(ours, roofline(row, peak, copy, kind))]
        for name in rivals:
            theirs = row["rivals"].get(name)
            cells += [figure(theirs), f"{ours / theirs['median']:.2f}"] if theirs else ["–", "–"]
        cells.append(f"{100 * min(1, row['launch_share']):.0f}" if "launch_share" in row else "–")
        rows.append(cells)
    return markdown(header, rows)


def ratio_lines(results):
    """For each rival the geometric mean of the ratios and their range, of each op and of all."""
    lines = []
    for name in rivals_in(results):
        parts = []
        ops = list(dict.fromkeys(row["op"] for row in results))
        for op in (ops if len(ops) > 1 else []) + ["all"]:
            ratios = ratios_to(name, [row for row in results if op in ("all", row["op"])])
            if ratios:
                parts.append(f"{op} {geometric_mean(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
        lines.append(f"- Ratio to {rival_name(name)}, geometric mean (least to greatest): {', '.join(parts)}.")
    return "\n".join(lines)


FEW = 20  # shapes that somebody wrote down
LAUNCH_BOUND = 0.3  # of a call: what takes longer to launch says more of the driver than of kernels


def classes_of(report):
    """The products of a report that are summed up together: [(what they are, rows)]."""
    rows = [row for row in report["results"] if row["gflops"]]
    shapes = {(row["m"], row["n"], row["k"]) for row in rows}
    extents = [extent for shape in shapes for extent in shape]
    sides = f"{min(extents)} to {max(extents)}" if extents else ""
    if all(m == n == k for m, n, k in shapes):
        return [(f"squares {sides}", rows)]
    if len(shapes) <= FEW:
        batches = {m for m, _, _ in shapes}
        kind = f"layers, batch {rows[0]['m']}" if len(batches) == 1 else f"shapes, {sides} a side"
        return [(f"{len(shapes)} {kind}", rows)]
    short = [row for row in rows if (row.get("launch_share") or 0.0) < LAUNCH_BOUND]
    return [(f"{len(shapes)} random shapes", rows),
            (f"of these, launch below {100 * LAUNCH_BOUND:.0f} %", short)]


def ratios_to(rival, rows):
    return [row["gflops"]["median"] / row["rivals"][rival]["median"] for row in rows if row["rivals"].get(rival)]


def summary_table(reports):
    """A row a run and class of products: to each rival the geometric mean of the ratios, the least and the greatest."""
    lines = []
    said = None
    types = {"s": [], "d": ["doubles"], "h": ["halfs"], "c": ["complex floats"], "z": ["complex doubles"]}
    for report in sorted(reports, key=lambda r: (r["device"], types[r.get("precision", "s")], r.get("date", ""))):
        where = ", ".join([report["device"]] + types[report.get("precision", "s")] + report.get("environment", [])
                          + [report.get("date", "no date").split("T")[0]])
        for what, rows in classes_of(report):
            cells = []
            for rival in sorted(rivals_in(rows), reverse=True):
                if ratios := ratios_to(rival, rows):
                    cells.append(f"{rival_name(rival)} {geometric_mean(ratios):.2f} "
                                 f"({min(ratios):.2f} to {max(ratios):.2f})")
            if cells:
                lines.append(["" if where == said else where, what, ", ".join(cells)])
                said = where
    return markdown(["device", "products", "ratios"], lines)


def points_table(report, peak):
    """A row a named point, a column a size; the best of each column is bold."""
    rows = report["results"]
    best = [max((p["median"] for p in row["gflops"].values() if p), default=0.0) for row in rows]
    table = []
    for point in report["points"]:
        cells = [point]
        for row, top in zip(rows, best):
            summary = row["gflops"].get(point)
            text = figure(summary) if summary else "–"
            cells.append(f"**{text}**" if summary and summary["median"] == top else text)
        table.append(cells)
    if peak > 0:
        table.append(["best, % peak"] + [percent(top, peak) for top in best])
    return markdown(["point"] + [shape_text(row) for row in rows], table)


def packs_table(report, copy):
    """A row a pack kernel and size: its rate beside the copy of as much and the copy of the rates."""
    rows = []
    for size in report["packs"]:
        name = f"{size['rows']}x{size['columns']}"
        rows.append([name, "*copy*", figure(size["copy_gbytes_per_s"]), "",
                     percent(size["copy_gbytes_per_s"]["median"], copy)])
        for row in size["kernels"]:
            rate = row["gbytes_per_s"]
            rows.append([name, f"`{row['kernel']}`", figure(rate),
                         f"{100 * row['share_of_copy']:.0f}" if "share_of_copy" in row else "–",
                         percent(rate["median"], copy)])
    return markdown(["matrix", "kernel", "GB/s", "% copy of as much", "% copy of the rates"], rows)


def conditions(reports, peak, copy):
    """Device, driver and version, and for each file when it was made, by which command, of which profile."""
    lines = []
    software = None
    for report in reports:
        parts = [f"{report['device']}, {report['platform']}"]
        for key, word in (("driver", "driver "), ("tool_version", "tilewright ")):
            if report.get(key):
                parts.append(word + report[key])
        if parts != software:
            lines.append("- " + "; ".join(parts) + ".")
            software = parts
        said = [report.get("date", "no date")]
        if report.get("command"):
            said[0] += f": `{' '.join(report.get('environment', []) + [report['command']])}`"
        if report.get("profile"):
            said.append(f"profile {report['profile']}, {report.get('profile_digest', 'no digest')}")
        lines.append("  - " + "; ".join(said) + ".")
        for name, details in report.get("rival_details", {}).items():
            lines.append(f"  - {rival_name(name)}: {details}.")
        for name in report.get("missing_rivals", []):
            lines.append(f"  - {rival_name(name)} was not in this build.")
    known = [f"{number(value)} {unit}" for value, unit in
             ((peak, "GFLOPS of multiply-adds"), (copy, "GB/s of a copy")) if value > 0]
    if known:
        lines.append(f"- Measured rates that shares refer to: {', '.join(known)}.")
    return "\n".join(lines)
