// SPDX-License-Identifier: Apache-2.0
// What all views share: the state in the address, and controls.

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
  distance: "5",
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

let writing = 0;

/** Return a test for whole numbers. @param {number} low @param {number} high */
const whole = (low, high) => (/** @type {string} */ text) => /^\d{1,10}$/.test(text) && Number(text) >= low && Number(text) <= high;

/** @type {Record<string, (text: string) => unknown>} what an address may say */
const READABLE = {
  view: (text) => Object.hasOwn(VIEWS, text),
  question: (text) => Object.hasOwn(QUESTIONS, text),
  neighbors: (text) => ["add-remove", "change-one"].includes(text),
  options: whole(2, 20),
  rows: whole(1, 20),
  width: whole(2, 100000),
  people: whole(2, 9999999999),
  want: whole(50, 99),
  lead: whole(1, 1000000),
  distance: whole(0, 1000000),
  rainbow: readRainbow,
  boundary: (text) => text.split(",").every(parseFraction),
  notion: (text) => Object.hasOwn(NOTIONS, text),
  epsilon: (text) => parsePrivacy({ epsilon: text }),
  delta: (text) => parsePrivacy({ epsilon: "1", delta: text }),
  mu: (text) => parsePrivacy({ mu: text }),
  graph: (text) => Object.hasOwn(GRAPHS, text) || (text === "own" && own),
  rule: (text) => Object.hasOwn(RULES, text),
  ranks: (text) => text.split(",").every((weight) => parseFraction(weight)?.top),
  dataset: () => true,
};

/** Read the address, and return what of it cannot be read. */
function readAddress() {
  clearTimeout(writing);
  Object.assign(state, DEFAULTS);
  const given = [...new URLSearchParams(location.hash.slice(1))];
  const [known, wrong] = [true, false].map((readable) => given.filter(([name, text]) => Boolean(Object.hasOwn(READABLE, name) && READABLE[name](text)) === readable));
  Object.assign(state, Object.fromEntries(known));
  if (!readLine()) {
    Object.assign(state, { rainbow: DEFAULTS.rainbow, boundary: DEFAULTS.boundary });
    wrong.push(...known.filter(([name]) => name === "rainbow" || name === "boundary"));
  }
  return wrong.map(([name, text]) => `${name}=${text}`);
}

/** Write the address soon: browsers refuse one that changes with every move of a slider. */
function writeAddress() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    const changed = Object.entries(state).filter(([name, value]) => name === "view" || value !== DEFAULTS[name]);
    history.replaceState(null, "", `#${new URLSearchParams(changed)}`);
  }, 200);
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
  return () => Math.max(width || Math.min(640, innerWidth - 34), 260);
}

/** Return a number with three digits, without needless zeros. @param {number} x */
function short(x) {
  if (x === 0 || (x >= 1e-4 && x < 1e5)) return String(Number(x.toPrecision(3)));
  return x.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
}

/** Return so many of 100 cases; what is below 1 is never 100. @param {number} chance */
function ofHundred(chance) {
  const percent = chance * 100;
  if (chance >= 1 || percent < 99.95) return short(percent);
  return percent > 99.99 ? ">99.99" : (Math.floor(chance * 1e4) / 100).toFixed(2);
}

/**
 * A slider that says its value in words.
 * @param {{id: string, label: string, min: number, max: number, step: number | string, value: number, words: (x: number) => string, spoken?: (x: number) => string, move: (x: number) => void, ends?: [string, string]}} options
 */
function slider({ id, label, min, max, step, value, words, spoken = words, move, ends }) {
  const shown = make("output", { for: id }, words(value));
  const input = make("input", {
    type: "range", id, min, max, step, value, "aria-valuetext": spoken(value),
    oninput: () => {
      move(Number(input.value));
      say(Number(input.value));
    },
    onfocus: () => say(Number(input.value)), // other controls may have changed what it says
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

/** Mark a field as one that can be read, or say beside it what it takes. @param {HTMLElement} input @param {string} hint what it takes, where it cannot be read */
function mark(input, hint) {
  document.getElementById(`${input.id}-hint`)?.remove();
  input.setAttribute("aria-invalid", String(Boolean(hint)));
  if (!hint) return input.removeAttribute("aria-describedby");
  input.after(make("span", { class: "problem hint", id: `${input.id}-hint` }, `${hint}.`));
  input.setAttribute("aria-describedby", `${input.id}-hint`);
}

/**
 * A field for a number as text; what cannot be read is marked, and the state keeps its last value.
 * @param {{id: string, label: string, value: string, read: (text: string) => unknown, hint: () => string, change: (text: string) => void}} options
 */
function field({ id, label, value, read, hint, change }) {
  const input = make("input", {
    type: "text", id, value, inputmode: "text", autocomplete: "off", spellcheck: "false", "aria-label": label, "aria-invalid": "false",
    oninput: () => {
      const valid = Boolean(read(input.value));
      mark(input, valid ? "" : hint());
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

/** Say how often a stranger who knows the data of all others guesses right about one person, as `rainbowdp plan` does. @param {PrivacyText} text */
function guessed(text) {
  const chance = toNumber(truthAndLie(/** @type {Privacy} */ (parsePrivacy(text)), 2)[0]);
  if (chance === 0.5) return "50 of 100 cases";
  if (chance < 0.5005) return "fewer than 50.1 of 100 cases";
  if (chance >= 0.9995) return "perhaps nearly 100 of 100 cases";
  return `at most about ${(chance * 100).toFixed(chance < 0.515 || chance > 0.99 ? 1 : 0)} of 100 cases`;
}

/**
 * The slider and the field of epsilon or mu.
 * @param {"epsilon" | "mu"} name @param {() => PrivacyText} privacy what the state says @param {() => void} changed
 */
function privacyControl(name, privacy, changed) {
  const symbol = name === "epsilon" ? "ε" : "μ";
  const value = () => /** @type {any} */ (parsePrivacy(privacy()))[name];
  const place = () => Math.log10(Math.max(value(), 0.01));
  const bar = slider({
    id: name, label: `${name} (${symbol})`, min: -2, max: 1, step: 0.01, value: place(),
    words: () => `${symbol} = ${short(value())}`,
    spoken: () => `${name} ${short(value())}: a stranger guesses right about one person in ${guessed(privacy())}`, ends: ["more private", "more accurate"],
    move: (x) => {
      state[name] = text.value = String(Number((10 ** x).toPrecision(3)));
      mark(text, "");
      changed();
    },
  });
  const text = field({
    id: `${name}-text`, label: `${name} as a number`, value: state[name],
    read: (typed) => parsePrivacy({ [name]: typed }),
    hint: () => (name === "epsilon" ? "0, or from 1e-9 to 100, such as 0.5 or ln 2" : "A number of 0 or more, such as 0.5"),
    change: (typed) => {
      state[name] = typed;
      bar.set(place());
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
