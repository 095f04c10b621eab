"use strict";
// Shows a report's document (report_document.hpp). Texts come from strangers' files: they go into the page as text, never
// as markup.

const report = JSON.parse(document.getElementById("document").textContent);
const specs = JSON.parse(document.getElementById("plots").textContent);

// An element with attributes and children, which are elements or texts.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// The specification of page/plots.json with the plot's data. A layer without data would be complained of.
function specOf(plot) {
  const spec = { ...specs.config, ...specs.plots[plot.plot], datasets: plot.data };
  if (plot.rows) spec.height = 22 * plot.rows;
  if (spec.layer) spec.layer = spec.layer.filter(({ data }) => !data?.name || plot.data[data.name].length > 0);
  return spec;
}

function addPlot(section, plot) {
  const place = element("div", { class: "plot" });
  const title = plot.title || section.querySelector("h2").textContent;
  section.append(element("figure", { "aria-label": title }, element("figcaption", {}, title), place));
  return vegaEmbed(place, specOf(plot), {
    renderer: "svg",
    ast: true, // no eval, so that the page may forbid it
    actions: { export: true, source: false, compiled: false, editor: false },
    downloadFileName: title,
  });
}

const isNumber = (text) => /^-?[\d.]/.test(text) && !/[a-z]{3}/.test(text);

function addTable(section, table) {
  const body = element("tbody");
  for (const row of table.rows) {
    const cells = row.map((text, column) =>
      column === 0 && table.head[0] === ""
        ? element("th", { scope: "row" }, text)
        : element("td", { class: table.head[0] !== "" && isNumber(text) ? "number" : text.length > 40 ? "long" : "" }, text));
    body.append(element("tr", {}, ...cells));
  }
  const head = element("tr", {}, ...table.head.map((text) => element("th", { scope: "col" }, text)));
  const made = element("table", {}, element("thead", {}, head), body);
  if (table.title) made.prepend(element("caption", {}, table.title));
  const label = table.title || section.querySelector("h2").textContent;
  const scroll = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, made);
  if (table.rows.length <= 24) {
    section.append(scroll);
  } else {
    section.append(element("details", {}, element("summary", {}, `Table: ${label}`), scroll));
  }
}

function addText(section, text) {
  const pre = element("pre", { tabindex: "0" }, text.text);
  section.append(element("details", {}, element("summary", {}, text.title), pre));
}

function addSection(data) {
  const section = element("section", { id: data.id, "aria-labelledby": `${data.id}-title` },
    element("h2", { id: `${data.id}-title` }, data.title));
  document.getElementById("content").append(section);
  document.getElementById("sections").append(element("li", {}, element("a", { href: `#${data.id}` }, data.title)));
  if (data.text) section.append(element("p", {}, data.text));
  const drawn = data.plots.map((plot) => addPlot(section, plot));
  for (const table of data.tables) addTable(section, table);
  for (const text of data.texts) addText(section, text);
  for (const text of data.missing) section.append(element("p", { class: "missing" }, `Not measured. ${text}`));
  return drawn;
}

document.getElementById("made_by").textContent = `Made by ${report.made_by}. This page loads nothing from the network.`;
// Tests wait for it.
globalThis.drawn = Promise.all(report.sections.flatMap(addSection));
