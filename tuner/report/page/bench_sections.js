"use strict";
// The sections of a report that show answers of bench (sections.js): other libraries, named points, packs, networks.

const rivalName = (name) =>
  name.replace(/^exec:/, "").replace(/^.*\//, "").replace(/(.)\.[^.]*$/, "$1").replace(/(.)_rival$/, "$1");

function conditionsOf(answer) {
  const keys = ["device", "platform", "driver", "date", "command", "profile", "profile_digest", "unit", "environment",
    "missing_rivals", "rival_details", "missing", "crashes"];
  const isEmpty = (value) => value == null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
  const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  return keys.filter((key) => !isEmpty(answer[key])).map((key) => `${key}: ${textOf(answer[key])}\n`).join("");
}

// For each competitor the products that it and tilewright were measured on: tilewright's speed over the other's.
function ratiosByRival(results) {
  const pairs = results.filter((row) => row.gflops).flatMap((row) => Object.entries(row.rivals)
    .map(([name, other]) => ({ name, ratio: other ? row.gflops.median / other.median : 0 })));
  return grouped(pairs.filter(({ ratio }) => ratio > 0 && Number.isFinite(ratio)), ({ name }) => name);
}

function verdictOf(bench) {
  return [...ratiosByRival(bench.answer.results)].map(([name, pairs]) => {
    const mean = Math.exp(pairs.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / pairs.length);
    const slower = pairs.filter(({ ratio }) => ratio < 1).length;
    const rival = name === "builtin" ? "its built-in kernels" : rivalName(name);
    return `${bench.name}: tilewright is ${mean.toFixed(2)} x as fast as ${rival} (geometric mean of ${pairs.length} ` +
      `products, end to end) and slower on ${slower} of them.`;
  });
}

// A curve over the size of products: of each row its summary, where there is one.
function curveOf(name, rows, summaryOf) {
  const points = rows.filter(summaryOf).map((row) => {
    const { median, low, high } = summaryOf(row);
    const note = `${name}, ${shapeText(row)}: ${figure(median)} GFLOPS (${figure(low)} to ${figure(high)})`;
    return { x: sizeOf(row), y: median, low, high, note };
  });
  return { name, line: true, marks: true, points };
}

const withPoints = (series) => series.filter(({ points }) => points.length > 0);

function addProducts({ name, answer }, section) {
  const rivals = unique(answer.results.flatMap((row) => Object.keys(row.rivals))).sort();
  for (const [op, rows] of grouped(answer.results, (row) => row.op)) {
    const series = withPoints([curveOf("tilewright", rows, (row) => row.gflops),
      ...rivals.map((rival) => curveOf(rivalName(rival), rows, (row) => row.rivals[rival]))]);
    const roofline = rows.filter((row) => row.roofline_gflops).map((row) => ({ x: sizeOf(row), y: row.roofline_gflops }));
    if (series.length > 0) series.push({ name: "roofline", line: true, dash: "6 4", color: "grey", points: roofline });
    section.plot({ title: `${name}, ${op}: end to end`, x: SIZE, y: GFLOPS, series: withPoints(series) });
  }
  const ratio = (own, other) =>
    (own && other?.median > 0 ? `${figure(other.median)} (${ratioText(own.median / other.median)})` : "-");
  section.table(`${name}: GFLOPS; ratio: tilewright's over the other's`,
    ["op", "m x n x k", "tilewright", ...rivals.map((rival) => `${rivalName(rival)} (ratio)`)],
    answer.results.map((row) => [row.op, shapeText(row), row.gflops ? figure(row.gflops.median) : "-",
      ...rivals.map((rival) => ratio(row.gflops, row.rivals[rival]))]));
  if (rivals.length === 0) section.missing.push(`${name}: it has no competitors.`);
}

// More curves than the fastest eight on the largest product cannot be told apart.
function addPoints({ name, answer }, section) {
  const rates = largestOf(answer.results, sizeOf)?.gflops ?? {};
  const shown = Object.keys(rates).filter((point) => rates[point]).sort((a, b) => rates[b].median - rates[a].median);
  const series = shown.slice(0, 8).map((point) => curveOf(point, answer.results, (row) => row.gflops[point]));
  section.plot({ title: `${name}: the fastest named points, device time`, x: SIZE, y: GFLOPS, series });
}

function addPacks({ name, answer }, section) {
  const rows = answer.packs.flatMap((matrix) => matrix.kernels.map((row) => [`${matrix.rows}x${matrix.columns}`, row.kernel,
    row.gbytes_per_s ? figure(row.gbytes_per_s.median) : "-"]));
  section.table(`${name}: packs`, ["matrix", "kernel", "GB/s"], rows);
}

function addNet({ name, kind, answer }, section) {
  const isOfRivals = kind === "net_rivals";
  const forwards = answer.results.flatMap((row) => {
    const all = isOfRivals ? row.contenders : { tilewright: row, ...row.rivals };
    return Object.entries(all).map(([who, of]) => ({ who: rivalName(who), batch: row.batch, us: of?.forward_us }));
  }).filter(({ us }) => us);
  const series = [...grouped(forwards, ({ who }) => who)].map(([who, rows]) => ({ name: who, marks: true, line: true,
    points: rows.map(({ batch, us }) => ({ x: batch, y: us.median, low: us.low ?? us.least, high: us.high ?? us.greatest,
      note: `${who}, batch ${batch}: ${figure(us.median)} us` })) }));
  const about = isOfRivals ? answer.tilewright : answer;
  const axes = { x: { title: "batch", log: true }, y: { title: "us, forward pass", log: true } };
  section.plot({ title: `${name}: ${about.model}`, ...axes, series });
  section.texts.push({ title: `${name}: conditions`, text: conditionsOf(about) });
}

function rivals({ benches }) {
  const section = new Section("rivals", "In comparison with other libraries",
    "Answers of tilewright bench --json: medians, bars are the 10th to the 90th percentile, all in turns in one run.");
  const add = { products: addProducts, points: addPoints, packs: addPacks };
  const shown = benches.filter(({ kind }) => add[kind]);
  for (const bench of shown) {
    add[bench.kind](bench, section);
    section.texts.push({ title: `${bench.name}: conditions`, text: conditionsOf(bench.answer) });
  }
  if (shown.length === 0) section.missing.push("No answer of tilewright bench --json was given (--bench FILE).");
  return section;
}

function nets({ benches }) {
  const section = new Section("nets", "Neural networks",
    "Wall time of a forward pass; bars are the range of the turns, or the 10th to the 90th percentile.");
  const shown = benches.filter(({ kind }) => kind === "net" || kind === "net_rivals");
  for (const bench of shown) addNet(bench, section);
  if (shown.length === 0) section.missing.push("No answer of tilewright mlp bench --json was given (--bench FILE).");
  return section;
}
