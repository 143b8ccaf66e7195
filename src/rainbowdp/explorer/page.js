// SPDX-License-Identifier: Apache-2.0
// What all views share: the state in the address, controls, and a chart with its cursor and its table.

/** @typedef {Record<string, string>} State */

/** @type {State} */
const DEFAULTS = {
  view: "plan",
  question: "winner",
  options: "4",
  neighbors: "add-remove",
  rows: "1",
  width: "50",
  people: "1000",
  want: "95",
  lead: "10",
  rainbow: "blue>red>green",
  boundary: "3/55,9/55,43/55",
  notion: "pure",
  epsilon: "0.5",
  delta: "0.001",
  mu: "0.5",
  graph: "figure1",
  rule: "ranks",
  ranks: "2/5,7/20,1/4",
  dataset: "a",
};

/** @type {State} */
const state = { ...DEFAULTS };

function readAddress() {
  Object.assign(state, DEFAULTS);
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) if (Object.hasOwn(DEFAULTS, name)) state[name] = value;
}

function writeAddress() {
  const changed = Object.entries(state).filter(([name, value]) => name === "view" || value !== DEFAULTS[name]);
  history.replaceState(null, "", `#${new URLSearchParams(changed)}`);
}

/**
 * Make an element. Attributes beginning with "on" are listeners; false ones are left out.
 * @param {string} tag @param {Record<string, any>} attributes @param {...(Node | string)} children @returns {any}
 */
function make(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

/** @param {string} tag @param {Record<string, any>} attributes @param {...(Node | string)} children @returns {any} */
function draw(tag, attributes = {}, ...children) {
  return dress(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** @param {Element} element @param {Record<string, any>} attributes @param {(Node | string)[]} children */
function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  element.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return element;
}

/** Return a text in which characters that are invisible, or turn others around, are escapes. @param {string} text */
const visible = (text) => text.replace(/[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/gu, (found) => `\\u${/** @type {number} */ (found.codePointAt(0)).toString(16).padStart(4, "0")}`);

/**
 * Paint again when the width of an element changes. Returns a function to that width, which asks the browser
 * for no layout while something is painted.
 * @param {HTMLElement} element @param {() => void} paint
 */
function onWidth(element, paint) {
  let width = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    requestAnimationFrame(paint);
  }).observe(element);
  return () => Math.max(width || 640, 260);
}

/** Return a number with three digits, without needless zeros. @param {number} x */
function short(x) {
  if (x === 0 || (x >= 1e-4 && x < 1e5)) return String(Number(x.toPrecision(3)));
  return x.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
}

/** Return so many of 100 cases; what is below 1 is never 100. @param {number} chance */
function ofHundred(chance) {
  if (chance >= 1) return "100";
  return chance > 0.9995 ? (chance > 0.9999 ? ">99.99" : (Math.floor(chance * 1e4) / 100).toFixed(2)) : short(chance * 100);
}

/**
 * A slider that says its value in words.
 * @param {{id: string, label: string, min: number, max: number, step: number | string, value: number, words: (x: number) => string, spoken?: (x: number) => string, move: (x: number) => void, ends?: [string, string]}} options
 */
function slider({ id, label, min, max, step, value, words, spoken = words, move, ends }) {
  const shown = make("output", { for: id }, words(value));
  const input = make("input", {
    type: "range", id, min, max, step, value, "aria-valuetext": spoken(value), class: ends ? "private" : "",
    oninput: () => {
      move(Number(input.value));
      say(Number(input.value));
    },
  });
  /** @param {number} x */
  const say = (x) => {
    shown.textContent = words(x);
    input.setAttribute("aria-valuetext", spoken(x));
  };
  const row = make("div", { class: "control" }, make("label", { for: id }, label), shown, input);
  if (ends) row.append(make("div", { class: "ends", "aria-hidden": "true" }, ...ends.map((end) => make("span", {}, end))));
  return { row, set: (/** @type {number} */ x) => { input.value = String(x); say(x); } };
}

/**
 * A field for a number as text; what cannot be read is marked, and the state keeps its last value.
 * @param {{id: string, label: string, value: string, read: (text: string) => unknown, change: (text: string) => void}} options
 */
function field({ id, label, value, read, change }) {
  const input = make("input", {
    type: "text", id, value, inputmode: "text", autocomplete: "off", spellcheck: "false", "aria-label": label,
    oninput: () => {
      const valid = Boolean(read(input.value));
      input.setAttribute("aria-invalid", String(!valid));
      if (valid) change(input.value.trim());
    },
  });
  return input;
}

/** Put a field beside the slider of the same number. @param {HTMLElement} row @param {HTMLElement} text */
function typedToo(row, text) {
  row.classList.add("typed");
  row.querySelector("input")?.after(text);
  return row;
}

/** @param {string} id @param {string} label @param {[string, string][]} options @param {string} value @param {(value: string) => void} change */
function choice(id, label, options, value, change) {
  const select = make("select", { id, onchange: () => change(select.value) },
    ...options.map(([name, text]) => make("option", { value: name, selected: name === value }, text)));
  return make("div", { class: "control" }, make("label", { for: id }, label), select);
}

/** Return how often a stranger who knows all others' data guesses right about one person, of 100 cases. @param {"epsilon" | "mu"} name */
function guessed(name) {
  const privacy = /** @type {any} */ (parsePrivacy({ [name]: state[name] }));
  const chance = name === "mu" ? 1 - upperTail(privacy.mu / 2) : toNumber(response(privacy.odds, 1));
  if (chance < 0.55) return (chance * 100).toFixed(1);
  return chance < 0.99 ? String(Math.round(chance * 100)) : ofHundred(Math.min(chance, 0.99999));
}

/**
 * The slider and the field of epsilon or mu.
 * @param {"epsilon" | "mu"} name @param {() => void} changed
 */
function privacyControl(name, changed) {
  const symbol = name === "epsilon" ? "ε" : "μ";
  const value = () => {
    const read = /** @type {any} */ (parsePrivacy({ [name]: state[name] }) ?? {});
    return read[name] ?? 0;
  };
  const bar = slider({
    id: name, label: `${name} (${symbol})`, min: -2, max: 1, step: 0.01, value: Math.log10(Math.max(value(), 0.01)),
    words: () => `${symbol} = ${short(value())}`,
    spoken: () => `${name} ${short(value())}: a stranger guesses right about one person in at most ${guessed(name)} of 100 cases`, ends: ["more private", "more accurate"],
    move: (x) => {
      state[name] = text.value = String(Number((10 ** x).toPrecision(3)));
      text.setAttribute("aria-invalid", "false");
      changed();
    },
  });
  const text = field({
    id: `${name}-text`, label: `${name} as a number`, value: state[name],
    read: (typed) => parsePrivacy({ [name]: typed }),
    change: (typed) => {
      state[name] = typed;
      bar.set(Math.log10(Math.max(value(), 0.01)));
      changed();
    },
  });
  return typedToo(bar.row, text);
}

/** @param {string[]} head @param {string[][]} rows */
function tableOf(head, rows) {
  return make("table", {}, make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map(([name, ...cells]) => make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("td", {}, cell))))));
}

/**
 * @typedef {{name: string, slot: number, values: number[], dash: string}} Series
 * @typedef {{xs: number[], series: Series[], marks: {x: number, text: string}[], about: string}} Curves
 */
const DASHES = ["", "8 4", "2 4", "12 4 2 4", "5 3", "1 3"];

/**
 * A chart of chances by a whole number, with a cursor and a table.
 * @param {string} id @param {string} label of the whole number @param {(x: number) => string} words
 * @param {(x: number) => void} moved is told where the cursor was moved
 */
function chart(id, label, words, moved = () => {}) {
  const picture = make("div", { class: "picture" });
  const legend = make("ul", { class: "legend" });
  const table = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of the chart" });
  const cursor = make("input", { type: "range", id, min: 0, step: 1, value: 5, oninput: () => move(cursor.value) });
  const node = make("figure", {}, legend, picture,
    make("div", { class: "control cursor" }, make("label", { for: id }, label), make("output", { for: id }), cursor),
    make("details", { open: true }, make("summary", {}, "The same as a table"), table));
  let waiting = 0;
  /** @type {Curves} */
  let curves = { xs: [0], series: [], marks: [], about: "" };
  /** @type {(x: number) => number} */
  let across = () => 0;
  const [top, left, right, height] = [34, 34, 12, 320];
  /** @param {number} chance */
  const up = (chance) => top + (1 - chance) * (height - top - 40);

  function point() {
    const at = Math.min(Number(cursor.value), curves.xs.length - 1);
    const said = curves.series.map(({ name, values }) => `${name} ${ofHundred(values[at])} of 100`);
    cursor.setAttribute("aria-valuetext", `${words(curves.xs[at])}: ${said.join(", ")}`);
    node.querySelector("output").textContent = words(curves.xs[at]);
    const line = picture.querySelector(".cursor-line");
    for (const name of ["x1", "x2"]) line.setAttribute(name, across(curves.xs[at]));
    curves.series.forEach(({ values }, number) => {
      legend.children[number].querySelector("b").textContent = ofHundred(values[at]);
      const dot = picture.querySelectorAll("circle")[number];
      dot.setAttribute("cx", across(curves.xs[at]));
      dot.setAttribute("cy", up(values[at]));
    });
  }

  function paint() {
    const width = widthNow();
    const [first, last] = [curves.xs[0], curves.xs[curves.xs.length - 1]];
    across = (x) => left + ((x - first) / Math.max(last - first, 1)) * (width - left - right);
    const space = width < 500 ? 5 : 9;
    const stride = [1, 2, 5].flatMap((n) => [0, 1, 2, 3, 4, 5, 6].map((e) => n * 10 ** e)).sort((a, b) => a - b).find((n) => (last - first) / n <= space) ?? last;
    const ticks = [];
    for (let x = Math.ceil(first / stride) * stride; x <= last; x += stride) ticks.push(x);
    const image = draw("svg", {
      width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": curves.about,
      onpointermove: follow, onpointerdown: follow,
    });
    for (const share of [0, 0.25, 0.5, 0.75, 1])
      image.append(
        draw("line", { class: "grid", x1: left, x2: width - right, y1: up(share), y2: up(share) }),
        draw("text", { x: left - 6, y: up(share) + 4, "text-anchor": "end" }, String(share * 100)));
    for (const x of ticks) image.append(draw("text", { x: across(x), y: height - 22, "text-anchor": "middle" }, String(x)));
    image.append(draw("text", { x: (left + width) / 2, y: height - 4, "text-anchor": "middle", class: "title" }, label.toLowerCase()));
    curves.marks.filter(({ x }) => x >= first && x <= last).forEach(({ x, text }, number) => {
      const beyond = across(x) > width / 2;
      image.append(
        draw("line", { class: "mark", x1: across(x), x2: across(x), y1: top - 6 - 12 * (number % 2), y2: up(0) }),
        draw("text", { x: across(x) + (beyond ? -4 : 4), y: 12 + 12 * ((number + 1) % 2), "text-anchor": beyond ? "end" : "start", class: "title" }, text));
    });
    image.append(draw("line", { class: "cursor-line", y1: top, y2: up(0) }));
    for (const { values, slot, dash } of curves.series) {
      const path = values.map((value, at) => `${at ? "L" : "M"}${across(curves.xs[at]).toFixed(1)} ${up(value).toFixed(1)}`).join("");
      image.append(draw("path", { class: `curve slot${slot}`, d: path, "stroke-dasharray": dash || false }));
    }
    for (const { slot } of curves.series) image.append(draw("circle", { class: `slot${slot}`, r: 4 }));
    picture.replaceChildren(image);
    point();
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    const place = event.clientX - picture.getBoundingClientRect().left;
    const nearest = curves.xs.reduce((best, x, at) => (Math.abs(across(x) - place) < Math.abs(across(curves.xs[best]) - place) ? at : best), 0);
    move(nearest);
  }

  /** @param {number | string} at */
  function move(at) {
    cursor.value = String(at);
    point();
    moved(curves.xs[Number(cursor.value)]);
  }

  /** @param {Curves} shown @param {number} [place] where the cursor is put */
  function show(shown, place) {
    curves = shown;
    cursor.max = String(curves.xs.length - 1);
    if (place !== undefined) cursor.value = String(curves.xs.findLastIndex((x) => x <= place));
    legend.replaceChildren(...curves.series.map(({ name, slot, dash }) =>
      make("li", {}, draw("svg", { width: 34, height: 10, "aria-hidden": "true" },
        draw("line", { class: `curve slot${slot}`, x1: 1, x2: 33, y1: 5, y2: 5, "stroke-dasharray": dash || false })),
      make("span", {}, name), make("b", {}), "of 100")));
    // While a slider moves, the table waits for its rest.
    clearTimeout(waiting);
    if (table.firstChild) waiting = setTimeout(fill, 100);
    else fill();
    paint();
  }

  function fill() {
    const stride = Math.ceil(curves.xs.length / 40);
    const rows = curves.xs.map((x, at) => [x, at]).filter(([, at]) => at % stride === 0);
    table.replaceChildren(tableOf([label, ...curves.series.map(({ name }) => name)],
      rows.map(([x, at]) => [String(x), ...curves.series.map(({ values }) => ofHundred(values[at]))])));
  }
  const widthNow = onWidth(picture, paint);
  return { node, show };
}
