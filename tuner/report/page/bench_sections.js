"use strict";
// The sections of a report that show output of bench (sections.js): other libraries, published kernels, networks.

const competitorName = (name) =>
  name.replace(/^exec:/, "").replace(/^.*\//, "").replace(/(.)\.[^.]*$/, "$1").replace(/(.)_competitor$/, "$1");

function conditionsOf({ conditions, competitors, missing }) {
  const isEmpty = (value) => value == null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
  const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const lines = Object.entries({ ...conditions, competitors, missing }).filter(([, value]) => !isEmpty(value));
  return lines.map(([key, value]) => `${key}: ${textOf(value)}\n`).join("");
}

// Returns the measured figures of a result.
const measuredOf = (result, ...kinds) => result.figures.filter(({ kind, us }) => us && kinds.includes(kind));
// Returns the figure of tilewright or of the competitor with that name.
const figureOf = (result, name) => measuredOf(result, "tilewright", "competitor").find((figure) => figure.name === name);
const competitorsOf = ({ results }) =>
  unique(results.flatMap((result) => measuredOf(result, "competitor").map(({ name }) => name))).sort();

// tilewright's rate divided by the competitor's.
const ratioOf = (own, other) => (own && other ? other.us.median / own.us.median : 0);

function verdictOf({ name, answer }) {
  return competitorsOf(answer).flatMap((competitor) => {
    const ratios = answer.results.map((result) => ratioOf(figureOf(result, "tilewright"), figureOf(result, competitor)))
      .filter((ratio) => ratio > 0 && Number.isFinite(ratio));
    if (ratios.length === 0) return [];
    const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
    const slower = ratios.filter((ratio) => ratio < 1).length;
    const other = competitor === "builtin" ? "its built-in kernels" : competitorName(competitor);
    return `${name}: tilewright reaches ${mean.toFixed(2)} times the rate of ${other} (geometric mean of ` +
      `${pluralOf(ratios.length, "product")}, end to end) and is slower on ${slower === 0 ? "none" : slower} of them.`;
  });
}

// Returns a curve of rates over the size of products, from the results that have the figure.
function curveOf(name, results, figureIn) {
  const points = results.filter((result) => figureIn(result)?.rate).map((result) => {
    const { median, low, high } = figureIn(result).rate;
    const note = `${name}, ${shapeText(result)}: ${figure(median)} GFLOPS (${figure(low)} to ${figure(high)})`;
    return { x: sizeOf(result), y: median, low, high, note };
  });
  return { name, line: true, marks: true, points };
}

const withPoints = (series) => series.filter(({ points }) => points.length > 0);

function addProducts({ name, answer }, section) {
  const competitors = competitorsOf(answer);
  for (const [op, results] of grouped(answer.results, (result) => result.op)) {
    const series = withPoints(["tilewright", ...competitors].map((who) =>
      curveOf(competitorName(who), results, (result) => figureOf(result, who))));
    const roofline = results.filter((result) => result.roofline_gflops)
      .map((result) => ({ x: sizeOf(result), y: result.roofline_gflops }));
    if (series.length > 0) series.push({ name: "roofline", line: true, dash: "6 4", color: "grey", points: roofline });
    section.plot({ title: `${name}, ${op}: end to end`, x: SIZE, y: GFLOPS, series: withPoints(series) });
  }
  const rateText = (found) => (found?.rate ? figure(found.rate.median) : "-");
  const cellOf = (own, other) => (own && other ? `${rateText(other)} (${ratioText(ratioOf(own, other))})` : rateText(other));
  section.table(`${name}: GFLOPS; ratio: tilewright's rate divided by the competitor's`,
    ["op", "m x n x k", "tilewright", ...competitors.map((who) => `${competitorName(who)} (ratio)`)],
    answer.results.map((result) => {
      const own = figureOf(result, "tilewright");
      return [result.op, shapeText(result), rateText(own), ...competitors.map((who) => cellOf(own, figureOf(result, who)))];
    }));
  if (competitors.length === 0) section.missing.push(`${name}: nothing was compared.`);
}

// Shows only the eight fastest on the largest product: more curves cannot be distinguished.
function addPoints({ name, answer }, section) {
  const largest = largestOf(answer.results, sizeOf);
  const shown = (largest ? measuredOf(largest, "kernel") : []).sort((a, b) => a.us.median - b.us.median).slice(0, 8);
  const series = shown.map((point) => curveOf(point.name, answer.results,
    (result) => measuredOf(result, "kernel").find((other) => other.name === point.name)));
  section.plot({ title: `${name}: the fastest kernels, device time`, x: SIZE, y: GFLOPS, series });
}

function addNetwork({ name, answer }, section) {
  const forwards = answer.results.flatMap((result) => measuredOf(result, "tilewright", "competitor")
    .map((forward) => ({ who: competitorName(forward.name), batch: result.batch, us: forward.us })));
  const series = [...grouped(forwards, ({ who }) => who)].map(([who, rows]) => ({ name: who, marks: true, line: true,
    points: rows.map(({ batch, us }) => ({ x: batch, y: us.median, low: us.low, high: us.high,
      note: `${who}, batch ${batch}: ${figure(us.median)} us` })) }));
  const axes = { x: { title: "batch", log: true }, y: { title: "us, forward pass", log: true } };
  section.plot({ title: `${name}: ${answer.conditions.model}`, ...axes, series });
}

function addAnswers(section, benches, adders, noneText) {
  const shown = benches.filter(({ answer }) => adders[answer.kind]);
  for (const bench of shown) {
    adders[bench.answer.kind](bench, section);
    section.texts.push({ title: `${bench.name}: conditions`, text: conditionsOf(bench.answer) });
  }
  if (shown.length === 0) section.missing.push(noneText);
  return section;
}

function competitors({ benches }) {
  const section = new Section("competitors", "Comparison with other libraries",
    "Output of tilewright bench --json: medians; bars are the 10th to the 90th percentile. All were measured alternately in " +
    "one run.");
  return addAnswers(section, benches, { products: addProducts, points: addPoints },
    "The report was made without output of tilewright bench --json (--bench FILE).");
}

function networks({ benches }) {
  const section = new Section("networks", "Neural networks",
    "Wall time of a forward pass; bars are the 10th to the 90th percentile, or the range of all rounds.");
  return addAnswers(section, benches, { network: addNetwork },
    "The report was made without output of tilewright net bench --json (--bench FILE).");
}
