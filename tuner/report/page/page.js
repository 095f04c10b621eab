"use strict";
// Displays the sections of a report (sections.js). Texts are inserted as text, never as markup.

// Creates an element with attributes and children (elements or texts).
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function plotElement(plot) {
  const place = element("div", { class: "plot" });
  const save = element("a", { class: "save", download: `${plot.title}.svg` }, "Save as SVG");
  const draw = () => {
    const svg = svgOf(plot, Math.max(280, Math.round(place.clientWidth)));
    place.replaceChildren(document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true));
    save.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  };
  new ResizeObserver(draw).observe(place); // also calls it immediately
  return element("figure", { "aria-label": plot.title }, element("figcaption", {}, plot.title), place, save);
}

const isNumber = (text) => /^>?-?[\d.]/.test(text) && !/[a-z]{3}/.test(text);

function cellElement(text, column, { head }) {
  if (head[0] === "" && column === 0) return element("th", { scope: "row" }, text);
  return element("td", { class: head[0] !== "" && isNumber(text) ? "number" : text.length > 40 ? "long" : "" }, text);
}

function tableElement(table, label) {
  const head = element("tr", {}, ...table.head.map((text) => element("th", { scope: "col" }, text)));
  const body = table.rows.map((row) => element("tr", {}, ...row.map((text, column) => cellElement(text, column, table))));
  const caption = table.title ? [element("caption", {}, table.title)] : [];
  const made = element("table", {}, ...caption, element("thead", {}, head), element("tbody", {}, ...body));
  const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, made);
  return table.rows.length <= 24 ? scroll : element("details", {}, element("summary", {}, `Table: ${label}`), scroll);
}

function textElement({ title, text }) {
  return element("details", {}, element("summary", {}, title), element("pre", { tabindex: "0" }, text));
}

function sectionElement(section) {
  return element("section", { id: section.id, "aria-labelledby": `${section.id}-title` },
    element("h2", { id: `${section.id}-title` }, section.title), element("p", {}, section.text),
    ...section.plots.map(plotElement),
    ...section.tables.map((table) => tableElement(table, table.title || section.title)),
    ...section.texts.map(textElement),
    ...section.missing.map((text) => element("p", { class: "missing" }, `Not measured. ${text}`)));
}

function showReport(report) {
  document.title = report.title;
  document.querySelector("h1").textContent = report.title;
  document.getElementById("content").append(...report.sections.map(sectionElement));
  document.getElementById("sections").append(...report.sections.map(({ id, title }) =>
    element("li", {}, element("a", { href: `#${id}` }, title))));
  document.getElementById("made_by").textContent = `Made by ${report.madeBy}. This page loads nothing from the network.`;
}
