"use strict";
// Converts the data of a report (report_data.hpp) into sections of sentences, plots, tables and texts. page.js draws them.
// Texts come from untrusted files and are never interpreted as markup.

const sizeOf = ({ m, n, k }) => Math.cbrt(m * n * k); // the edge of a cube with the same number of multiply-adds
const isSquare = ({ m, n, k }) => m === n && n === k;
const shapeText = (shape) => (isSquare(shape) ? `${shape.m}` : `${shape.m}x${shape.n}x${shape.k}`);
const shapeFrom = (text) => {
  const [m, n, k] = text.split("x").map(Number);
  return { m, n, k };
};
const figure = (value) => (Math.abs(value) >= 999.5 ? value.toFixed(0) : `${Number(value.toPrecision(3))}`);
const timeText = (ns) => (ns < 1e3 ? `${figure(ns)} ns` : ns < 1e6 ? `${figure(ns / 1e3)} us`
  : ns < 1e9 ? `${figure(ns / 1e6)} ms` : `${figure(ns / 1e9)} s`);
const unique = (list) => [...new Set(list)].filter((value) => value !== "" && value != null);
const percentOf = (value, bound) => (bound > 0 ? (100 * value / bound).toFixed(0) : "-");
const percentOfPeak = (gflops, peak) => percentOf(Math.min(gflops, peak), peak);
const ratioText = (ratio) => (ratio < 0.1 ? figure(ratio) : ratio.toFixed(2));
const GFLOPS = { title: "GFLOPS", log: true };
const SIZE = { title: "cube root of m n k", log: true };

const largestOf = (list, valueOf) => list.reduce((a, b) => (a && valueOf(a) >= valueOf(b) ? a : b), undefined);
const pluralOf = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// Groups the items of a list: Map from key to items.
function grouped(list, keyOf) {
  const groups = new Map();
  for (const item of list) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}

class Section {
  constructor(id, title, text = "") {
    Object.assign(this, { id, title, text, plots: [], tables: [], texts: [], missing: [] });
  }
  // A plot without marks is omitted.
  plot(plot) {
    if ((plot.rows ?? plot.series.flatMap((s) => s.points)).length > 0) this.plots.push(plot);
  }
  table(title, head, rows) {
    if (rows.length > 0) this.tables.push({ title, head, rows });
  }
  // Returns the profiles with a journal; the section lists the others as missing.
  withJournal(profiles) {
    for (const p of profiles) if (!p.journal) this.missing.push(`${p.name}: ${p.no_journal}.`);
    return profiles.filter((p) => p.journal);
  }
  // A section that says only what is missing is empty.
  get isEmpty() {
    return [this.plots, this.tables, this.texts].every((list) => list.length === 0);
  }
}

// ---- Sections, in the order of the page

function fastestOf(p) {
  const measured = p.results.filter((r) => r.samples > 0);
  if (measured.length === 0) return `${p.name} has no measured results.`;
  const { gflops } = largestOf(measured, (r) => r.gflops);
  const percent = percentOfPeak(gflops, p.rates.peak_gflops);
  return `${p.name} was tuned on ${measured.length} products; its fastest call reaches ${figure(gflops)} GFLOPS` +
    (percent === "-" ? "." : ` (${percent} % of the peak).`);
}

function verdict({ profiles, benches }) {
  const section = new Section("verdict", "Verdict");
  const sentences = benches.filter(({ answer }) => answer.kind === "products").flatMap(verdictOf);
  sentences.push(...profiles.flatMap((p) => p.validation.map((line) => `${p.name}: ${line}.`)));
  if (sentences.length === 0) {
    sentences.push("This report has no comparison with the kernels that run without the profile. To add one, write the output " +
      "of tilewright bench --compare builtin --json to a file and name it with --bench.");
  }
  sentences.push(...profiles.map(fastestOf));
  section.text = sentences.join("\n");
  return section;
}

const measuredText = (value, textOf) => (value > 0 ? textOf(value) : "not measured");

function tuningText({ kind, provenance, journal, no_journal }) {
  if (kind !== "tuned") return "not measured on a device";
  const state = provenance.complete ? "complete" : "stopped early";
  return journal ? `${state}, ${journal.spent_s.toFixed(0)} s in ${pluralOf(journal.sessions.length, "session")}`
    : `${state}; no journal: ${no_journal}`;
}

const PROPERTIES = {
  profile: (p) => p.kind,
  device: (p) => p.device.name,
  vendor: (p) => p.device.vendor,
  platform: (p) => p.device.platform,
  // A tuning may have been resumed after a change of the driver.
  driver: (p) => unique([p.device.driver, ...(p.journal?.sessions ?? []).map((s) => s.driver)]).sort().join("; "),
  "OpenCL C": (p) => p.device.opencl_c_version,
  "compute units": (p) => `${p.device.compute_units ?? 0}`,
  "maximum clock (reported by the driver)": (p) => `${p.device.max_clock_mhz ?? 0} MHz`,
  "clock governor": (p) => (p.journal
    ? unique(p.journal.sessions.map((s) => s.governor)).sort().join("; ") || "cannot be read" : `unknown: ${p.no_journal}`),
  "local memory": ({ device: { limits } }) =>
    `${limits.local_memory_bytes ?? 0} bytes${limits.local_memory_is_dedicated ? "" : ", not dedicated"}`,
  peak: ({ rates, elements }) => measuredText(rates.peak_gflops,
    (peak) => `${figure(peak)} GFLOPS in ${elements}${rates.peak_is_raised ? ", a lower bound" : ""}`),
  copy: ({ rates }) => measuredText(rates.copy_gbytes_per_s, (rate) => `${figure(rate)} GB/s`),
  "launch, in a series": ({ rates }) => measuredText(rates.launch_ns, timeText),
  "empty kernel, launch and wait": ({ rates }) => measuredText(rates.round_trip_ns, timeText),
  "made by": (p) => `tilewright ${p.provenance.tool_version}`,
  date: (p) => p.provenance.date,
  command: (p) => p.provenance.command_line,
  tuning: tuningText,
  statistic: (p) => p.provenance.statistic,
};

function device({ profiles }) {
  const section = new Section("device", "Device and conditions");
  section.table("", ["", ...profiles.map((p) => p.name)],
    Object.entries(PROPERTIES).map(([name, valueOf]) => [name, ...profiles.map((p) => valueOf(p) || "-")]));
  return section;
}

// The upper bounds of square products over their size: the roofline, and the launch overhead.
function boundsOf(p, from, to, color) {
  const { peak_gflops: peak, copy_gbytes_per_s: copy, launch_ns: launch } = p.rates;
  if (!(peak > 0)) return [];
  const sizes = Array.from({ length: 48 }, (_, i) => from * (to / from) ** (i / 47));
  const memory = (size) => (copy > 0 ? 2 * size / (3 * p.element_bytes) * copy : peak); // reads A and B, writes C
  const roofline = sizes.map((size) => ({ x: size, y: Math.min(peak, memory(size)) }));
  // A launch that takes less time than the product is not a bound.
  const floor = sizes.map((size) => ({ x: size, y: 2 * size ** 3 / launch })).filter(({ y }) => launch > 0 && y < 2 * peak);
  return [{ name: `${p.name}: roofline of a square`, line: true, dash: "6 4", color, points: roofline },
    { name: `${p.name}: launch floor`, line: true, dash: "2 3", color, points: floor }].filter((s) => s.points.length > 0);
}

function speed({ profiles }) {
  const section = new Section("speed", "GFLOPS by size",
    "Device time of the plan that runs for each product that was tuned, with packing and launches; bars are the 10th to the " +
    "90th percentile, triangles are products that are not square. The size is the cube root of m n k. The roofline is the " +
    "lesser of the measured peak and what a copy's rate allows a square product; at the launch floor a product takes no " +
    "longer than one more launch.");
  const measured = profiles.flatMap((p, color) => p.results.filter((r) => r.samples > 0).map((r) => ({ ...r, p, color })));
  for (const [op, ofOp] of grouped(measured, (r) => r.op)) {
    const series = [...grouped(ofOp, (r) => r.p)].flatMap(([p, results]) => {
      const points = results.map((r) => ({ x: sizeOf(r), y: r.gflops, low: r.low_gflops, high: r.high_gflops,
        shape: isSquare(r) ? "circle" : "triangle",
        note: `${p.name}, ${shapeText(r)}: ${figure(r.gflops)} GFLOPS, ${r.plan}` }));
      const sizes = points.map(({ x }) => x);
      return [{ name: p.name, marks: true, color: results[0].color, points },
        ...boundsOf(p, Math.min(...sizes), Math.max(...sizes), results[0].color)];
    });
    section.plot({ title: op, x: SIZE, y: GFLOPS, series });
  }
  for (const p of profiles) {
    const rows = measured.filter((r) => r.p === p).map((r) => [r.op, shapeText(r), figure(r.gflops),
      `${figure(r.low_gflops)} to ${figure(r.high_gflops)}`, percentOfPeak(r.gflops, p.rates.peak_gflops),
      percentOf(r.gflops, r.roofline_gflops), `${r.samples}`, r.plan]);
    if (rows.length === 0) section.missing.push(`${p.name}: it has no measured results.`);
    section.table(p.name,
      ["op", "m x n x k", "GFLOPS", "10th to 90th percentile", "% of peak", "% of roofline", "samples", "plan"], rows);
  }
  return section;
}

function comparison({ profiles }) {
  const section = new Section("comparison", "Profiles side by side",
    "GFLOPS of the products on which all profiles were tuned, and ratios to the first profile.");
  if (profiles.length < 2) return section;
  const keyOf = (r) => `${r.op} ${shapeText(r)}`;
  const [first, ...others] = profiles.map((p) => new Map(p.results.filter((r) => r.samples > 0).map((r) => [keyOf(r), r])));
  const common = [...first.values()].filter((r) => others.every((other) => other.has(keyOf(r))));
  if (common.length === 0) section.missing.push("The profiles have no tuned product in common.");
  for (const [op, results] of grouped(common, (r) => r.op)) {
    const series = others.map((other, i) => {
      const { name } = profiles[i + 1];
      const points = results.map((r) => ({ x: sizeOf(r), y: other.get(keyOf(r)).gflops / r.gflops }));
      for (const [j, point] of points.entries()) point.note = `${name}, ${shapeText(results[j])}: ${ratioText(point.y)}`;
      return { name, marks: true, color: i + 1, points };
    });
    section.plot({ title: `${op}: over ${profiles[0].name}`, x: SIZE, y: { title: "ratio", log: true, mark: 1 }, series });
  }
  section.table("", ["op", "m x n x k", `${profiles[0].name}, GFLOPS`, ...profiles.slice(1).map((p) => `${p.name} (ratio)`)],
    common.map((r) => [r.op, shapeText(r), figure(r.gflops), ...others.map((other) => {
      const { gflops } = other.get(keyOf(r));
      return `${figure(gflops)} (${ratioText(gflops / r.gflops)})`;
    })]));
  return section;
}

function sources({ profiles }) {
  const section = new Section("sources", "Source of the kernels",
    "The product kernels of the plans that run, with their build options.");
  for (const p of profiles) {
    for (const [name, results] of [...grouped(p.results, (r) => r.kernel)].sort()) {
      const { build_options: options, source } = p.kernels[name];
      if (source == null) continue; // only with --sources
      section.texts.push({ title: `${p.name}: ${name} (${results.map((r) => `${r.op} ${shapeText(r)}`).join(", ")})`,
        text: `${options}\n\n${source}` });
    }
  }
  return section;
}

function documentFrom(report) {
  const names = unique(report.profiles.map((p) => (p.kind === "generic" ? "any device" : p.device.name)));
  const all = [verdict, device, speed, comparison, portfolio, progress, time, sensitivity, competitors, networks, failures, sources];
  const sections = all.map((make) => make(report));
  return { title: `tilewright: ${names.join(", ")}`, madeBy: report.made_by,
    sections: sections.filter((section) => section.id === "verdict" || !section.isEmpty) };
}
