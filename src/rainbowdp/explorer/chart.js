// SPDX-License-Identifier: Apache-2.0
// A chart of chances by a whole number, with a cursor and a table. While a slider moves, what was drawn is kept
// and changed in place.

/**
 * @typedef {{name: string, slot: number, values: number[], dash: string}} Series
 * @typedef {{xs: number[], series: Series[], marks: {x: number, text: string}[], about: string}} Curves
 */
const DASHES = ["", "8 4", "2 4", "12 4 2 4", "5 3", "1 3"];

/** Set the attributes of an element that are not so already. @param {Element} element @param {Record<string, any>} attributes */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/** Give an element one child for each of some things: children that are there are kept. @template T @param {Element} parent @param {T[]} things @param {() => Element} create @param {(child: any, thing: T, at: number) => void} change */
function keep(parent, things, create, change) {
  while (parent.childElementCount > things.length) parent.lastElementChild?.remove();
  while (parent.childElementCount < things.length) parent.append(create());
  things.forEach((thing, at) => change(parent.children[at], thing, at));
}

/** @param {Element} element @param {string} text */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Return round numbers for an axis. @param {number} first @param {number} last @param {number} most */
function ticksOf(first, last, most) {
  const strides = [0, 1, 2, 3, 4, 5, 6].flatMap((exponent) => [1, 2, 5].map((digit) => digit * 10 ** exponent));
  const stride = strides.find((size) => (last - first) / size <= most) ?? last;
  const start = Math.ceil(first / stride);
  return Array.from({ length: Math.floor(last / stride) - start + 1 }, (_, at) => (start + at) * stride);
}

/**
 * @param {string} id @param {string} label of the whole number @param {(x: number) => string} words
 * @param {(x: number) => void} moved is told where the cursor was moved
 * @param {{most: () => number, change: () => void}} typed the greatest number that can be typed, and what is told that one was; curves that have it are to be shown then
 */
function chart(id, label, words, moved, typed) {
  const picture = make("div", { class: "picture" });
  const legend = make("ul", { class: "legend" });
  const table = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of the chart" });
  const cursor = make("input", { type: "range", id, min: 0, step: 1, value: 0, oninput: () => move(cursor.value) });
  const place = make("output", { for: id });
  const text = field({
    id: `${id}-text`, label: `${label} as a number`, value: state[id], read: (number) => READABLE[id](number.trim()) && Number(number) <= typed.most(),
    hint: () => `A whole number up to ${typed.most().toLocaleString("en")}`,
    change: (number) => { state[id] = number; typed.change(); },
  });
  const node = make("figure", {}, legend, picture,
    typedToo(make("div", { class: "control cursor" }, make("label", { for: id }, label), place, cursor), text),
    make("details", { open: true }, make("summary", {}, "The same as a table"), table));
  const [left, right, height] = [34, 12, 320];
  const [grid, ticks, marks, paths, dots] = Array.from({ length: 5 }, () => draw("g"));
  const title = draw("text", { y: height - 4, "text-anchor": "middle", class: "title" }, label.toLowerCase());
  const line = draw("line", { class: "cursor-line" });
  const image = draw("svg", { height, role: "img", onpointermove: follow, onpointerdown: follow }, grid, ticks, title, marks, line, paths, dots);
  picture.append(image);
  let waiting = 0;
  /** @type {Curves} */
  let curves = { xs: [0], series: [], marks: [], about: "" };
  let [top, width] = [10, 640];
  /** @param {number} x */
  const across = (x) => left + ((x - curves.xs[0]) / Math.max(curves.xs[curves.xs.length - 1] - curves.xs[0], 1)) * (width - left - right);
  /** @param {number} chance */
  const up = (chance) => top + (1 - chance) * (height - top - 40);

  function point() {
    const at = Math.min(Number(cursor.value), curves.xs.length - 1);
    const said = curves.series.map(({ name, values }) => `${name} ${ofHundred(values[at])} of 100`);
    set(cursor, { "aria-valuetext": `${words(curves.xs[at])}: ${said.join(", ")}` });
    write(place, words(curves.xs[at]));
    const x = across(curves.xs[at]);
    set(line, { x1: x, x2: x, y1: top, y2: up(0) });
    curves.series.forEach(({ values }, number) => {
      write(/** @type {Element} */ (legend.children[number].querySelector("b")), ofHundred(values[at]));
      set(dots.children[number], { cx: x, cy: up(values[at]) });
    });
  }

  function paint() {
    width = widthNow();
    top = 10 + 13 * curves.marks.length;
    const [first, last] = [curves.xs[0], curves.xs[curves.xs.length - 1]];
    set(image, { width, viewBox: `0 0 ${width} ${height}`, "aria-label": curves.about });
    set(title, { x: (left + width) / 2 });
    keep(grid, [0, 0.25, 0.5, 0.75, 1], () => draw("g", {}, draw("line", { class: "grid" }), draw("text", { x: left - 6, "text-anchor": "end" })), (row, share) => {
      set(row.firstChild, { x1: left, x2: width - right, y1: up(share), y2: up(share) });
      set(row.lastChild, { y: up(share) + 4 });
      write(row.lastChild, String(share * 100));
    });
    keep(ticks, ticksOf(first, last, width < 500 ? 5 : 9), () => draw("text", { y: height - 22, "text-anchor": "middle" }), (tick, x) => {
      set(tick, { x: across(x) });
      write(tick, x.toLocaleString("en"));
    });
    const seen = curves.marks.filter(({ x }) => x >= first && x <= last);
    keep(marks, seen, () => draw("g", {}, draw("line", { class: "mark" }), draw("text", { class: "title" })), (mark, { x, text }, row) => {
      const beyond = across(x) > width / 2;
      set(mark.firstChild, { x1: across(x), x2: across(x), y1: 4 + 13 * row, y2: up(0) });
      set(mark.lastChild, { x: across(x) + (beyond ? -4 : 4), y: 13 + 13 * row, "text-anchor": beyond ? "end" : "start" });
      write(mark.lastChild, text);
    });
    const places = curves.xs.map((x) => across(x).toFixed(1));
    keep(paths, curves.series, () => draw("path"), (path, { values, slot, dash }) =>
      set(path, { class: `curve slot${slot}`, d: `M${values.map((value, at) => `${places[at]} ${up(value).toFixed(1)}`).join("L")}`, "stroke-dasharray": dash || "none" }));
    keep(dots, curves.series, () => draw("circle", { r: 4 }), (dot, { slot }) => set(dot, { class: `slot${slot}` }));
    point();
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    const share = (event.clientX - picture.getBoundingClientRect().left - left) / (width - left - right);
    const x = curves.xs[0] + share * (curves.xs[curves.xs.length - 1] - curves.xs[0]);
    move(curves.xs.reduce((best, other, at) => (Math.abs(other - x) < Math.abs(curves.xs[best] - x) ? at : best), 0));
  }

  /** @param {number | string} at */
  function move(at) {
    cursor.value = String(at);
    point();
    fit();
    moved(curves.xs[Number(cursor.value)]);
  }

  /** Let the field say what the cursor says. */
  function fit() {
    const x = curves.xs[Number(cursor.value)];
    if (Number(text.value) === x) return;
    text.value = String(x);
    mark(text, "");
  }

  /** @param {Curves} shown @param {number} at where the cursor is put */
  function show(shown, at) {
    curves = shown;
    set(cursor, { max: curves.xs.length - 1 });
    cursor.value = String(curves.xs.findLastIndex((x) => x <= at));
    fit();
    keep(legend, curves.series, () => make("li", {}, draw("svg", { width: 34, height: 10, "aria-hidden": "true" }, draw("line", { x1: 1, x2: 33, y1: 5, y2: 5 })),
      make("span", {}), make("b", {}), "of 100"), (item, { name, slot, dash }) => {
      set(item.querySelector("line"), { class: `curve slot${slot}`, "stroke-dasharray": dash || "none" });
      write(item.querySelector("span"), name);
    });
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
      rows.map(([x, at]) => [x.toLocaleString("en"), ...curves.series.map(({ values }) => ofHundred(values[at]))])));
  }
  const widthNow = onWidth(picture, paint);
  return { node, show };
}
