"use strict";
// Draws a plot as SVG text.
//
// Curves: {title, x, y, series: [{name, points: [{x, y, low, high, shape, note}], line, step, marks, dash, color}]}. Rows:
// {title, x, rows: [{label, marks: [{x, name, text, note}]}], colors}. x and y: {title, log, whole, from, to, mark}. Colors
// are CSS colors or places in COLORS; without one a name gets the next.

const COLORS = ["#3f83d6", "#d9622b", "#3d9a50", "#9467bd", "#b0891e", "#d14d8b", "#2aa1a1", "#8c959f", "#7f6a3f", "#c94c4c",
  "#6b8e23", "#5b5bd6"];
const RIGHT = 14; // pixels, as all lengths below
const TOP = 10;
const LETTER = 6.6; // width of a letter of the 12 pixel font, about

function escaped(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const notOfXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
  return `${text}`.replace(/[&<>"]/g, (c) => names[c]).replace(notOfXml, "\ufffd");
}

// Returns an SVG element as text; children are texts of elements.
function tag(name, attributes, ...children) {
  const listed = Object.entries(attributes).filter(([, value]) => value != null)
    .map(([key, value]) => ` ${key}="${escaped(typeof value === "number" ? Number(value.toFixed(1)) : value)}"`);
  return `<${name}${listed.join("")}>${children.flat().join("")}</${name}>`;
}
const label = (text, attributes) => tag("text", { fill: "currentColor", ...attributes }, escaped(text));
const titled = (note) => (note ? tag("title", {}, escaped(note)) : "");
const shortened = (text, width) =>
  (text.length * LETTER <= width ? text : `${text.slice(0, Math.max(1, width / LETTER - 1))}…`);
const path = (d, attributes) => tag("path", { d: d.replace(/-?\d+\.\d+/g, (n) => Number(n).toFixed(1)), ...attributes });
const GRID = { class: "grid", stroke: "currentColor", "stroke-opacity": 0.12 };

// Returns a function from values to pixels.
function scaleOf(values, { log, from, to, mark }, start, end) {
  const all = [...values, from, to, mark].filter((v) => Number.isFinite(v) && (!log || v > 0));
  const bend = log ? Math.log : (v) => v;
  let low = bend(Math.min(...all));
  let high = bend(Math.max(...all));
  const margin = high > low ? 0.04 * (high - low) : log ? 0.5 : 1;
  if (from == null) low -= margin;
  if (to == null) high += margin;
  const scale = (v) => start + (end - start) * (bend(v) - low) / (high - low);
  const unbend = log ? Math.exp : (v) => v;
  return Object.assign(scale, { low: unbend(low), high: unbend(high) });
}

function ticksOf({ low, high }, { log, whole }, most) {
  if (log) {
    const decades = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) decades.push(10 ** power);
    for (const digits of [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]]) {
      const ticks = decades.flatMap((d) => digits.map((digit) => digit * d)).filter((v) => v >= low && v <= high);
      if (ticks.length >= 3) return ticks.filter((_, i) => i % Math.ceil(ticks.length / most) === 0);
    }
  }
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(whole ? 1 : 0, [1, 2, 5, 10].map((digit) => digit * power).find((s) => s >= rough));
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; ++i) ticks.push(i * step);
  return ticks;
}
const tickText = (value) => `${Number(value.toPrecision(4))}`;

// Grid, labels and title of the x axis of an area.
function xAxis(scale, axis, area) {
  const middle = (area.left + area.right) / 2;
  const ticks = ticksOf(scale, axis, Math.max(2, Math.floor((area.right - area.left) / 80)));
  return [ticks.map((v) => path(`M${scale(v)} ${area.top}V${area.bottom}`, GRID) +
    label(tickText(v), { x: scale(v), y: area.bottom + 16, "text-anchor": "middle" })),
  label(axis.title, { x: middle, y: area.bottom + 34, "text-anchor": "middle" })];
}

function yAxis(scale, axis, area) {
  const middle = (area.top + area.bottom) / 2;
  return [ticksOf(scale, axis, 6).map((v) => path(`M${area.left} ${scale(v)}H${area.right}`, GRID) +
    label(tickText(v), { x: area.left - 6, y: scale(v) + 4, "text-anchor": "end" })),
  label(axis.title, { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` })];
}

// A line of samples and names below the plot. Returns its elements and its height.
function legendOf(entries, width, top) {
  const drawn = [];
  let x = 0;
  let y = top;
  for (const { name, color, dash, line } of entries) {
    const text = shortened(name, width - 30);
    const length = 30 + text.length * LETTER;
    if (x > 0 && x + length > width) [x, y] = [0, y + 18];
    drawn.push(line ? path(`M${x} ${y}h18`, { stroke: color, "stroke-width": 2, "stroke-dasharray": dash })
      : tag("circle", { cx: x + 9, cy: y, r: 4, fill: color }), label(text, { x: x + 23, y: y + 4 }));
    x += length + 12;
  }
  return { drawn, height: y + 14 - top };
}

function mark({ x, y, shape, note }, color) {
  return shape === "triangle"
    ? tag("path", { class: "mark", d: `M${x.toFixed(1)} ${(y - 5).toFixed(1)}l4.5 8h-9z`, fill: color }, titled(note))
    : tag("circle", { class: "mark", cx: x, cy: y, r: 3.6, fill: color }, titled(note));
}

function curve({ points, line, step, marks, dash, color }) {
  if (points.length === 0) return [];
  const [first, ...others] = points;
  const d = `M${first.x} ${first.y}${others.map(({ x, y }) => (step ? `H${x}V${y}` : `L${x} ${y}`)).join("")}`;
  const look = { class: "mark", fill: "none", stroke: color, "stroke-width": dash ? 1.2 : 1.6, "stroke-dasharray": dash };
  const bars = points.filter(({ low }) => low != null)
    .map(({ x, low, high }) => path(`M${x} ${low}V${high}`, { stroke: color }));
  return [line ? path(d, look) : "", bars, marks ? points.map((point) => mark(point, color)) : ""].flat();
}

function wrapped(plot, width, height, ...drawn) {
  return tag("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, color: "#222222",
    role: "img", "aria-label": plot.title, "font-family": "system-ui, sans-serif", "font-size": 12 }, ...drawn);
}

function colorsOf(names, given = {}) {
  const colors = { ...given };
  let next = 0;
  for (const name of names) {
    const color = colors[name];
    colors[name] = typeof color === "string" ? color : COLORS[(color ?? next++) % COLORS.length];
  }
  return colors;
}

function curvesSvg(plot, width) {
  const area = { left: 62, right: width - RIGHT, top: TOP, bottom: 300 };
  const points = plot.series.flatMap((s) => s.points);
  const x = scaleOf(points.map((p) => p.x), plot.x, area.left, area.right);
  const y = scaleOf(points.flatMap((p) => [p.y, p.low, p.high]), plot.y, area.bottom, area.top);
  const colors = colorsOf(plot.series.map((s) => s.name), Object.fromEntries(plot.series.map((s) => [s.name, s.color])));
  const placed = (p) => ({ ...p, x: x(p.x), y: y(p.y), ...(p.low == null ? {} : { low: y(p.low), high: y(p.high) }) });
  const series = plot.series.map((s) =>
    ({ ...s, color: colors[s.name], points: [...s.points].sort((a, b) => a.x - b.x).map(placed) }));
  const legend = legendOf(series, width, area.bottom + 54);
  const line = plot.y.mark == null ? ""
    : path(`M${area.left} ${y(plot.y.mark)}H${area.right}`, { stroke: "grey", "stroke-dasharray": "6 4" });
  return wrapped(plot, width, area.bottom + 50 + legend.height, xAxis(x, plot.x, area), yAxis(y, plot.y, area), line,
    series.flatMap(curve), legend.drawn);
}

// Returns the marks of a row with their texts. If texts would overlap, only the first is kept.
function rowMarks(marks, x, y, colors) {
  const taken = [];
  return marks.map((m) => {
    const half = (m.text ?? "").length * 2.6 + 3;
    const isFree = m.text && taken.every(([from, to]) => x(m.x) + half < from || x(m.x) - half > to);
    if (isFree) taken.push([x(m.x) - half, x(m.x) + half]);
    return mark({ x: x(m.x), y: y + 3, note: m.note }, colors[m.name]) +
      (isFree ? label(m.text, { x: x(m.x), y: y - 4, "text-anchor": "middle", "font-size": "9" }) : "");
  }).reverse(); // the first on top
}

function rowsSvg(plot, width) {
  const step = 26;
  const area = { left: Math.min(190, 0.36 * width), right: width - RIGHT, top: TOP, bottom: TOP + step * plot.rows.length };
  const marks = plot.rows.flatMap((row) => row.marks);
  const names = [...new Set(marks.map(({ name }) => name))];
  const colors = colorsOf(names, plot.colors);
  const x = scaleOf(marks.map((m) => m.x), plot.x, area.left, area.right);
  const legend = legendOf(names.map((name) => ({ name, color: colors[name] })), width, area.bottom + 54);
  const rows = plot.rows.map((row, i) => {
    const y = area.top + step * (i + 0.5);
    return [label(shortened(row.label, area.left - 8), { x: area.left - 8, y: y + 4, "text-anchor": "end" }),
      path(`M${area.left} ${y + 3}H${area.right}`, GRID), rowMarks(row.marks, x, y, colors)].flat();
  });
  return wrapped(plot, width, area.bottom + 50 + legend.height, xAxis(x, plot.x, area), rows.flat(), legend.drawn);
}

// Returns the plot as SVG text with that width in pixels.
const svgOf = (plot, width) => (plot.rows ? rowsSvg(plot, width) : curvesSvg(plot, width));
