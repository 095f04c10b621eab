"use strict";
// The sections of a report that need a journal (sections.js): how the tuning went, and what it tried.

const MIN_GAIN = 0.1; // percent; smaller gains are not drawn
const MIN_SHARE = 5e-4; // of the time; smaller shares are left out

function portfolio({ profiles }) {
  const section = new Section("portfolio", "How many kernels are enough?",
    "Speed with a limited number of product kernels, relative to the fastest finalist on each product (geometric mean). " +
    "The kernels are added one by one to the built-in ones. For the default shapes, predicted times of other shapes count, too.");
  const series = section.withJournal(profiles).map((p) => {
    const { portfolio } = p.journal;
    if (portfolio === null) section.missing.push(`${p.name}: its journal has no measured kernel.`);
    const point = (share, x) => ({ x, y: 100 * share, note: `${p.name}, ${x}: ${figure(100 * share)} %` });
    const points = (portfolio?.curve ?? []).map((share, i) => point(share, i + 1));
    if (portfolio?.built_in > 0) points.unshift(point(portfolio.built_in, 0));
    return { name: p.name, line: true, marks: true, points };
  });
  const axes = { x: { title: "product kernels", whole: true }, y: { title: "% of the fastest finalist" } };
  section.plot({ title: section.title, ...axes, series });
  return section;
}

// Updates the best times with those of a candidate. Returns true if one improved.
function improve(best, outcome) {
  let improves = false;
  for (const [shape, ns] of Object.entries(outcome.ns)) {
    if (ns >= (best.get(shape) ?? Infinity)) continue;
    best.set(shape, ns);
    improves = true;
  }
  return improves;
}

// Speed of the best candidate so far relative to the final best, over the time of the tuning.
function progressOf(outcomes) {
  const works = outcomes.filter((o) => o.result === "ok");
  const end = new Map();
  for (const o of works) improve(end, o);
  const best = new Map();
  const unseen = 0.01; // the share of a shape on which nothing was measured yet
  const share = () => Math.exp([...end].reduce((sum, [shape, ns]) =>
    sum + Math.log(best.has(shape) ? ns / best.get(shape) : unseen), 0) / end.size);
  const points = [];
  for (const [i, o] of outcomes.entries()) {
    if (o.result !== "ok" || !improve(best, o)) continue;
    const percent = 100 * share();
    if (percent < (points.at(-1)?.y ?? 0) + MIN_GAIN && percent < 100) continue;
    points.push({ x: o.at_s / 60, y: percent, note: `${o.task}: ${figure(percent)} % after ${i + 1} candidates` });
  }
  return points;
}

function progress({ profiles }) {
  const section = new Section("progress", "Progress of the search",
    "Speed of the best candidate so far of each search, relative to its final best (geometric mean over the shapes on which " +
    "candidates were tried).");
  for (const p of section.withJournal(profiles)) {
    const searched = grouped(p.journal.outcomes.filter((o) => o.is_from_search), (o) => o.task);
    const series = [...searched].map(([name, outcomes]) => ({ name, line: true, step: true, points: progressOf(outcomes) }))
      .filter(({ points }) => points.length > 0);
    if (series.length === 0) section.missing.push(`${p.name}: no candidate was measured.`);
    const axes = { x: { title: "minutes of tuning" }, y: { title: "% of the final best", from: 0, to: 100 } };
    section.plot({ title: p.name, ...axes, series });
  }
  return section;
}

function time({ profiles }) {
  const section = new Section("time", "Where the time went", "Seconds of the tuning, over all sessions.");
  const spent = section.withJournal(profiles).flatMap((p) => p.journal.spent_on
    .filter(({ seconds }) => seconds >= MIN_SHARE * p.journal.spent_s)
    .map(({ what, seconds }) => ({ what, seconds, p })).sort((a, b) => b.seconds - a.seconds));
  section.table("", ["profile", "what", "s", "%"], spent.map(({ p, what, seconds }) =>
    [p.name, what, seconds.toFixed(1), (100 * seconds / p.journal.spent_s).toFixed(1)]));
  return section;
}

// Returns the candidates of the search that found the kernel for the largest product of the op; none if that kernel was not found
// by a search.
function rivalsOf(p, op) {
  const largest = p.results.filter((r) => r.op === op && r.samples > 0).at(-1); // sorted by size
  const point = largest && p.kernels[largest.kernel]?.point;
  const trial = point && p.journal.outcomes.find((o) => o.is_from_search && o.kernel === point);
  return trial ? p.journal.outcomes.filter((o) => o.task === trial.task && o.codelet === trial.codelet) : [];
}

// Returns marks for values that the fastest candidate does not have, and the failed candidates with such values.
function neighboursOf(fastest, rivals, shape, { fields, required }) {
  const marks = new Map(); // keyed by "parameter=value"
  const failed = [];
  for (const o of rivals) {
    if (o.kernel === fastest.kernel) continue;
    const different = [...fields.keys()].filter((i) => o.values[i] !== fastest.values[i]);
    const isAlone = different.length === 1;
    if (o.result !== "ok") {
      if (isAlone) failed.push([fields[different[0]], o.values[different[0]], o.result, o.reason]);
      continue;
    }
    if (!(shape in o.ns)) continue;
    const percent = 100 * fastest.ns[shape] / o.ns[shape];
    for (const i of different.filter((field) => !required.includes(fields[field]))) {
      const key = `${fields[i]}=${o.values[i]}`;
      const old = marks.get(key);
      if (old && (old.isAlone && !isAlone || old.isAlone === isAlone && old.x >= percent)) continue;
      const name = isAlone ? "only this differs" : "best, others differ too";
      const note = `${key}: ${figure(percent)} %`;
      marks.set(key, { parameter: fields[i], x: percent, text: o.values[i], isAlone, name, note });
    }
  }
  return { marks: [...marks.values()], failed };
}

function sensitivity({ profiles, codelets }) {
  const section = new Section("sensitivity", "Effect of each parameter",
    "Speed of the kernel, without packing, with other values of a parameter, relative to the fastest candidate of the search: of " +
    "the candidate that differs in this parameter only, or, if there is none, of the best candidate with this value. Of each op, " +
    "the search is shown that found the kernel for the largest product, on the largest product that it tried. A trial has only a " +
    "few samples: differences of one or two percent are noise.");
  for (const p of section.withJournal(profiles)) {
    const searches = grouped(p.journal.ops.map((op) => rivalsOf(p, op)).filter((rivals) => rivals.length > 0),
      ([{ task, codelet }]) => `${task} ${codelet}`);
    for (const [rivals] of searches.values()) addSensitivity(p, rivals, codelets, section);
  }
  return section;
}

// Draws one search, whose candidates have the same codelet.
function addSensitivity(p, rivals, codelets, section) {
  const measured = rivals.filter((o) => o.result === "ok" && Object.keys(o.ns).length > 0);
  const shape = largestOf(measured.flatMap((o) => Object.keys(o.ns)), (text) => sizeOf(shapeFrom(text)));
  const fastest = largestOf(measured.filter((o) => shape in o.ns), (o) => 1 / o.ns[shape]);
  if (!fastest) return;
  const title = `${p.name}, ${fastest.task} on ${shapeText(shapeFrom(shape))}`;
  const codelet = codelets[fastest.codelet];
  const { marks, failed } = neighboursOf(fastest, rivals, shape, codelet);
  const rows = [...grouped(marks, ({ parameter }) => parameter)].map(([label, others]) => {
    const value = fastest.values[codelet.fields.indexOf(label)];
    return { label, marks: [{ x: 100, name: "fastest", text: value, note: `${label}=${value}: the fastest` }, ...others] };
  });
  if (rows.length === 0) return;
  rows.sort((a, b) => Math.min(...a.marks.map(({ x }) => x)) - Math.min(...b.marks.map(({ x }) => x)));
  section.plot({ title, x: { title: "% of the fastest candidate" }, rows,
    colors: { fastest: "#d1242f", "only this differs": "#3f83d6", "best, others differ too": "#8c959f" } });
  section.table(`${title}: failed candidates`, ["parameter", "value", "class", "reason"], failed);
  section.texts.push({ title: `${title}: the fastest candidate`, text: fastest.kernel });
}

function failures({ profiles }) {
  const section = new Section("failures", "Candidates and failures",
    "Numbers of candidates by outcome, with the time of their trials in seconds.");
  for (const p of section.withJournal(profiles)) {
    const rows = [...grouped(p.journal.outcomes, (o) => o.result)].map(([result, outcomes]) => {
      const example = outcomes.find((o) => o.build_log) ?? outcomes[0];
      if (example.build_log) section.texts.push({ title: `${p.name}: build log of ${result}`, text: example.build_log });
      const seconds = outcomes.reduce((sum, o) => sum + o.took_s, 0).toFixed(1);
      return result === "ok" ? [result, `${outcomes.length}`, seconds, "-", "works and was measured"]
        : [result, `${outcomes.length}`, seconds, example.kernel, example.reason];
    });
    section.table(p.name, ["class", "candidates", "s", "example", "reason"], rows);
    section.table(`${p.name}: failed in the finals`, ["kernel", "reason"], p.journal.finalist_failures);
  }
  return section;
}
