// page_test.js PROGRAM PROFILES ANSWERS JOURNAL: tests the texts and plots of the page of
// `tilewright report` without a browser. The arguments are those of browser_test.py.
"use strict";
const assert = require("assert");
const { execFileSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const [program, profiles, answers, journal] = process.argv.slice(2);
const page = path.join(__dirname, "../../../tuner/report/page");
const scripts = ["sections.js", "journal_sections.js", "bench_sections.js", "plots.js"]
  .map((name) => fs.readFileSync(path.join(page, name), "utf8"));
const { documentFrom, svgOf } = new Function(`${scripts.join("\n")}\nreturn { documentFrom, svgOf };`)();

// ---- An invented tuning whose search tried four neighbours of the winner.

const fields = ["tile_m", "tile_n", "vector_width", "bias"];
const outcome = (values, small, large, at_s, more = {}) => ({ kernel: `gemm ${values}`, codelet: "gemm", values, task: "NN",
  is_from_search: true, result: "ok", reason: "", took_s: 1, at_s, ns: { "64x64x64": small, "512x512x512": large }, ...more });
function result(extent, ns, kernel) {
  const gflops = 2 * extent ** 3 / ns;
  return { op: "NN", m: extent, n: extent, k: extent, gflops, low_gflops: gflops / 1.1, high_gflops: gflops * 1.1,
    roofline_gflops: 100, samples: 9, plan: `pack_b+${kernel}`, kernel };
}

const tuned = (name, more = {}) => ({ name, kind: "tuned", no_journal: "",
  device: { name: "board", vendor: "maker", driver: "driver 1", compute_units: 4, limits: { local_memory_bytes: 1024 } },
  provenance: { tool_version: "1", date: "2026-01-01", command_line: "tilewright tune", complete: true, statistic: "medians" },
  rates: { peak_gflops: 1000, peak_is_raised: false, copy_gbytes_per_s: 10, launch_ns: 1000, round_trip_ns: 0 },
  elements: "single precision", element_bytes: 4, validation: [], results: [result(64, 800, "best"), result(512, 300000, "best")],
  kernels: { best: { point: "gemm 4,4,4,none", build_options: "-DX", source: "__kernel void best()" } },
  journal: { ops: ["NN"], spent_s: 40, spent_on: [{ what: "finals", seconds: 30 }, { what: "micro-benchmarks", seconds: 10 }],
    sessions: [{ driver: "driver 2", governor: "performance" }], portfolio: { built_in: 0.5, curve: [0.9, 1] },
    finalist_failures: [["gemm odd", "did not launch"]],
    outcomes: [outcome(["1", "1", "1", "none"], 900, 9000, 10), outcome(["4", "4", "4", "none"], 800, 5000, 20),
      outcome(["4", "8", "4", "none"], 900, 10000, 30),
      outcome(["4", "4", "1", "none"], 0, 0, 40, { result: "wrong", reason: "C[0] is <b>not</b> right", ns: {}, build_log: "a log" })]
      .map((o) => ({ ...o, kernel: `gemm ${o.values.join()}` })) }, ...more });
const reportOf = (list, benches = []) => documentFrom({ made_by: "tilewright 1", codelets: { gemm: { fields, required: ["bias"] } },
  profiles: list, benches });
const sectionOf = (id, ...inputs) => reportOf(...inputs).sections.find((section) => section.id === id);
const close = (value, expected) => assert(Math.abs(value - expected) <= 1e-3 * Math.abs(expected), `${value} is not ${expected}`);

const summary = { median: 2, low: 1, high: 3 };
// A figure with this rate, whose time is 64 / rate us; a rate of 0 means not measured.
const figureWith = (kind, name, rate) => ({ kind, name, us: rate ? { median: 64 / rate, low: 64 / rate, high: 64 / rate } : null,
  rate: rate ? { median: rate, low: rate, high: rate } : undefined });
const product = (own, other) => ({ op: "NN", m: 64, n: 64, k: 64, roofline_gflops: 9, figures: [
  figureWith("tilewright", "tilewright", own), figureWith("competitor", "builtin", other),
  figureWith("competitor", "exec:bin/cublas_competitor", 0), { kind: "launch_floor", name: "launch floor", us: summary }] });
const bench = (kind, results, conditions = {}) => ({ name: `${kind}.json`,
  answer: { kind, conditions: { device: "board", ...conditions }, competitors: [], results, missing: [] } });

const tests = {
  "the device, its driver and the conditions are named"() {
    const cells = JSON.stringify(sectionOf("device", [tuned("a.toml")]).tables);
    for (const part of ["board", "maker", "driver 1; driver 2", "performance", "10 GB/s", "40 s in 1 session", "tilewright tune",
      "1000 GFLOPS in single precision", "1024 bytes, not dedicated", "not measured"]) assert(cells.includes(part), part);
  },
  "the best result of each product is drawn with its bounds"() {
    const [plot] = sectionOf("speed", [tuned("a.toml")]).plots;
    assert.deepStrictEqual(plot.series.map(({ name }) => name), ["a.toml", "a.toml: roofline of a square", "a.toml: launch floor"]);
    close(plot.series[0].points[0].y, 2 * 64 ** 3 / 800);
    close(plot.series[1].points[0].y, 64 / 6 * 10); // 2 n^3 operations on 12 n^2 bytes at 10 GB/s
    assert.strictEqual(sectionOf("speed", [tuned("a.toml", { rates: {} })]).plots[0].series.length, 1);
  },
  "shares of the peak are at most 100"() {
    const rows = sectionOf("speed", [tuned("a.toml", { rates: { peak_gflops: 700 } })]).tables[0].rows;
    assert.deepStrictEqual(rows.map((row) => row[4]), ["94", "100"]);
  },
  "the search is followed: progress, time, portfolio"() {
    const [{ points }] = sectionOf("progress", [tuned("a.toml")]).plots[0].series;
    assert.strictEqual(points.length, 2); // the third candidate was no better
    close(points[0].y, 70.27); // the geometric mean of 800 / 900 and 5000 / 9000
    close(points[1].y, 100);
    close(points[1].x, 20 / 60);
    const time = sectionOf("time", [tuned("a.toml")]);
    assert.deepStrictEqual(time.tables[0].rows.map(([, what]) => what), ["finals", "micro-benchmarks"]);
    assert.deepStrictEqual(time.tables[0].rows[0], ["a.toml", "finals", "30.0", "75.0"]);
    assert.deepStrictEqual(sectionOf("portfolio", [tuned("a.toml")]).plots[0].series[0].points.map(({ x, y }) => [x, y]),
      [[0, 50], [1, 90], [2, 100]]);
  },
  "sensitivity is of what differs from the fastest in one parameter, or has another value at least"() {
    const section = sectionOf("sensitivity", [tuned("a.toml")]);
    const markOf = (parameter, text) => {
      const found = section.plots[0].rows.find(({ label }) => label === parameter)?.marks.find((m) => m.text === text);
      return found && `${found.name} ${found.x.toFixed(1)}`;
    };
    assert.strictEqual(markOf("tile_n", "8"), "only this differs 50.0");
    assert.strictEqual(markOf("tile_n", "4"), "fastest 100.0");
    assert.strictEqual(markOf("tile_m", "1"), "best, others differ too 55.6");
    assert.strictEqual(markOf("tile_m", "8"), undefined);
    assert.deepStrictEqual(section.tables[0].rows, [["vector_width", "1", "wrong", "C[0] is <b>not</b> right"]]);
  },
  "no candidate is faster than 100 %, also if the profile has another kernel of the search"() {
    const other = tuned("a.toml", { kernels: { best: { point: "gemm 4,8,4,none" } } }); // half as fast in the search
    const marks = sectionOf("sensitivity", [other]).plots[0].rows.flatMap((row) => row.marks);
    assert(marks.some(({ name, text }) => name === "fastest" && text === "4"));
    assert(marks.every(({ x }) => x <= 100));
    // Ops whose largest product has a kernel of the same search share a plot.
    const journal = { ...tuned("a.toml").journal, ops: ["NN", "NT"] };
    const results = ["NN", "NT"].map((op) => ({ ...result(512, 300000, "best"), op }));
    assert.strictEqual(sectionOf("sensitivity", [tuned("a.toml", { journal, results })]).plots.length, 1);
    // A built-in kernel was not found by a search.
    assert.strictEqual(sectionOf("sensitivity", [tuned("a.toml", { kernels: { best: { point: "gemm other" } } })]), undefined);
  },
  "failures are listed by class, and the source is shown if it is in the data"() {
    const failures = sectionOf("failures", [tuned("a.toml")]);
    assert.deepStrictEqual(failures.tables[0].rows.map((row) => row.slice(0, 3)), [["ok", "3", "3.0"], ["wrong", "1", "1.0"]]);
    assert.deepStrictEqual(failures.tables[1].rows, [["gemm odd", "did not launch"]]);
    assert.strictEqual(failures.texts[0].text, "a log");
    const [source] = sectionOf("sources", [tuned("a.toml")]).texts;
    assert.strictEqual(source.title, "a.toml: best (NN 64, NN 512)");
    assert.strictEqual(source.text, "-DX\n\n__kernel void best()");
    assert.strictEqual(sectionOf("sources", [tuned("a.toml", { kernels: { best: { point: "gemm" } } })]), undefined);
  },
  "what the inputs do not hold has no section, and the table of the device says why"() {
    const bare = tuned("a.toml", { journal: null, no_journal: "there is no journal in its folder" });
    for (const id of ["portfolio", "progress", "time", "sensitivity", "failures", "competitors", "networks"]) {
      assert.strictEqual(sectionOf(id, [bare]), undefined, id);
    }
    assert(JSON.stringify(sectionOf("device", [bare]).tables).includes("there is no journal in its folder"));
    // Beside a profile that has a journal, the other is named.
    assert.strictEqual(sectionOf("time", [tuned("b.toml"), bare]).missing.length, 1);
    const generic = tuned("generic.toml", { kind: "generic", results: [], kernels: {}, journal: null, no_journal: "none" });
    assert.strictEqual(sectionOf("speed", [generic]), undefined);
    assert.strictEqual(reportOf([generic]).title, "tilewright: any device");
  },
  "sentences are no Markdown"() {
    for (const section of reportOf([tuned("a.toml")]).sections) {
      assert(!`${section.title}${section.text}${section.missing}`.includes("`"), section.id);
    }
  },
  "the report begins with how fast, against what, and on how many products slower"() {
    const results = [product(8, 1), product(1, 2), product(0, 1)];
    const [verdict] = reportOf([tuned("a.toml")], [bench("products", results)]).sections;
    assert.strictEqual(verdict.id, "verdict");
    const [first, second, ...more] = verdict.text.split("\n");
    assert.strictEqual(first, "products.json: tilewright reaches 2.00 times the rate of its built-in kernels (geometric mean of " +
      "2 products, end to end) and is slower on 1 of them.");
    assert.strictEqual(second, "a.toml was tuned on 2 products; its fastest call reaches 895 GFLOPS (89 % of the peak).");
    assert.strictEqual(more.length, 0);
    const [faster] = reportOf([tuned("a.toml")], [bench("products", [product(8, 1)])]).sections;
    assert(faster.text.includes("is slower on none of them"));
    assert(reportOf([tuned("a.toml")]).sections[0].text.includes("has no comparison"));
    const [validated] = reportOf([tuned("a.toml", { validation: ["calls are 1.31 x as fast", "the chosen plan"] })]).sections;
    assert.deepStrictEqual(validated.text.split("\n").slice(0, 2), ["a.toml: calls are 1.31 x as fast.", "a.toml: the chosen plan."]);
  },
  "built-in kernels may be enough, and a journal may have no kernel"() {
    const journalWith = (portfolio) => tuned("a.toml", { journal: { ...tuned("a.toml").journal, portfolio } });
    const enough = sectionOf("portfolio", [journalWith({ built_in: 1, curve: [] })]);
    assert.deepStrictEqual(enough.missing, []);
    assert.deepStrictEqual(enough.plots[0].series[0].points.map(({ x, y }) => [x, y]), [[0, 100]]);
    assert.strictEqual(sectionOf("portfolio", [journalWith(null)]), undefined);
  },
  "several profiles stand side by side"() {
    const slow = tuned("b.toml");
    for (const r of slow.results) r.gflops /= 2;
    assert.deepStrictEqual(sectionOf("device", [tuned("a.toml"), slow]).tables[0].head, ["", "a.toml", "b.toml"]);
    const section = sectionOf("comparison", [tuned("a.toml"), slow]);
    assert.deepStrictEqual(section.plots[0].series[0].points.map(({ y }) => y), [0.5, 0.5]);
    assert(section.tables[0].rows[0][3].endsWith("(0.50)"));
    assert.strictEqual(sectionOf("comparison", [tuned("a.toml")]), undefined);
  },
  "the title names each device once, also one whose name begins another's"() {
    const named = (name) => tuned("a.toml", { device: { name, limits: {} } });
    assert.strictEqual(reportOf([named("NVIDIA A100"), named("NVIDIA A10"), named("NVIDIA A100")]).title,
      "tilewright: NVIDIA A100, NVIDIA A10");
  },
  "competitors, points and networks come from answers of bench"() {
    const products = bench("products", [{ op: "NN", m: 64, n: 64, k: 64, roofline_gflops: 9, figures: [
      figureWith("tilewright", "tilewright", 2), figureWith("competitor", "exec:bin/cublas_competitor", 2)] }]);
    const points = bench("points", [{ m: 8, n: 8, k: 8, figures: [figureWith("kernel", "fast", 2), figureWith("kernel", "failed", 0)] }]);
    const net = bench("network", [{ batch: 1, figures: [{ kind: "tilewright", name: "tilewright", us: summary },
      { kind: "competitor", name: "exec:other", us: summary }, { kind: "competitor", name: "lost", us: null },
      { kind: "step", name: "first", us: summary }] }], { model: "digits" });
    const shown = sectionOf("competitors", [tuned("a.toml")], [products, points]);
    assert.deepStrictEqual(shown.plots.map(({ series }) => series.map(({ name }) => name)),
      [["tilewright", "cublas", "roofline"], ["fast"]]);
    assert.deepStrictEqual(shown.tables[0].rows, [["NN", "64", "2", "2 (1.00)"]]);
    assert.strictEqual(shown.texts[0].text, "device: board\n");
    const [plot] = sectionOf("networks", [tuned("a.toml")], [net]).plots;
    assert.strictEqual(plot.title, "network.json: digits");
    assert.deepStrictEqual(plot.series.map(({ points: [p] }) => [p.low, p.y, p.high]), [[1, 2, 3], [1, 2, 3]]);
  },
  "texts of strangers are no markup of a plot"() {
    const hostile = tuned('</title><script>alert(1)</script>"\u0001');
    for (const section of reportOf([hostile]).sections) for (const plot of section.plots) {
      const svg = svgOf(plot, 360);
      assert(!svg.includes("<script"), plot.title);
      assert(!svg.includes("\u0001"), plot.title);
    }
  },
  "texts of marks that would overlap are left out, the first stays"() {
    const marks = [100, 99.9, 50].map((x) => ({ x, name: "n", text: `v${x}` }));
    const svg = svgOf({ title: "t", x: { title: "%" }, rows: [{ label: "tile_m", marks }] }, 360);
    assert(svg.includes(">v100<") && svg.includes(">v50<") && !svg.includes(">v99.9<"));
  },
  "a plot of one point, and one of many decades, has ticks"() {
    const plotOf = (...points) =>
      ({ title: "t", x: { title: "x", log: true }, y: { title: "y" }, series: [{ name: "s", marks: true, points }] });
    assert((svgOf(plotOf({ x: 64, y: 3 }), 720).match(/class="grid"/g) ?? []).length >= 4);
    const grid = svgOf(plotOf({ x: 1e-3, y: 0 }, { x: 1e9, y: 1e9 }), 720).match(/class="grid"/g).length;
    assert(grid >= 6 && grid <= 20, `${grid} ticks`);
  },
  "pages that the program writes are drawn whole"() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "report-"));
    const run = (...args) => execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
    const made = path.join(folder, "pocl.toml");
    run("merge", journal, "--output", made);
    fs.copyFileSync(journal, `${made}.journal.jsonl`);
    const files = ["double-products", "points", "net-full-mnist", "net-partial-cifar"].map((name) => `${answers}/h200-${name}.json`);
    const html = path.join(folder, "page.html");
    run("report", made, `${profiles}/nvidia-h200.toml`, `${profiles}/generic.toml`, "--bench", ...files, "--output", html);
    const [, data] = fs.readFileSync(html, "utf8").match(/id="data">(.*?)<\/script>/s);
    const shown = documentFrom(JSON.parse(data));
    fs.rmSync(folder, { recursive: true });
    const plots = shown.sections.flatMap((section) => section.plots);
    assert(shown.sections.find(({ id }) => id === "sensitivity").plots.length > 0);
    assert(plots.length >= 12, `${plots.length} plots`);
    for (const plot of plots) for (const width of [300, 1000]) {
      const svg = svgOf(plot, width);
      assert(svg.includes('class="mark"'), `${plot.title} is empty`);
      assert(!/NaN|undefined|Infinity/.test(svg), plot.title);
    }
    assert(!/NaN|undefined|\[object/.test(JSON.stringify(shown)));
  },
};

for (const [name, test] of Object.entries(tests)) {
  try {
    test();
  } catch (error) {
    console.error(`FAILED: ${name}\n${error.stack}`);
    process.exitCode = 1;
  }
}
