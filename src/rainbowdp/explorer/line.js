// SPDX-License-Identifier: Apache-2.0
// The view "Line": how probable each color is, by the distance to the boundary.

const COLORS = ["blue", "red", "green", "orange", "purple", "teal"];
const MOST_SAMPLES = 200;

/** @type {[string, State][]} */
const PRESETS = [
  ["Example 1 of the paper", { rainbow: "blue>red>green", boundary: "3/55,9/55,43/55", notion: "pure", epsilon: "ln(6/5)" }],
  ["Example 2 of the paper", { rainbow: "blue>red>green", boundary: "9/55,3/55,43/55", notion: "pure", epsilon: "ln(6/5)" }],
  ["All equally likely", { rainbow: "blue>red>green", boundary: "1,1,1" }],
];

/** Return the colors of the state, and whether each is tied with the one before. */
function readRainbow() {
  const words = state.rainbow.split(/([>=])/);
  const names = words.filter((_, at) => at % 2 === 0).map((name) => name.trim());
  const fits = names.length >= 2 && names.length <= COLORS.length && new Set(names).size === names.length && names.every(Boolean);
  if (!fits) return { names: COLORS.slice(0, 3), tied: [false, false, false] };
  return { names, tied: names.map((_, at) => at > 0 && words[2 * at - 1] === "=") };
}

/** @returns {PrivacyText} */
function readNotion() {
  if (state.notion === "gaussian") return { mu: state.mu };
  return { epsilon: state.epsilon, delta: state.notion === "approximate" ? state.delta : "0" };
}

/** Return the line of the state; a state that cannot be read counts as the first preset. */
function readLine() {
  const { names, tied } = readRainbow();
  const weights = state.boundary.split(",");
  const line = weights.length === names.length ? lineOf(weights, tied, readNotion()) : null;
  if (line) return { names, tied, weights, line };
  Object.assign(state, PRESETS[0][1]);
  return { names: COLORS.slice(0, 3), tied: [false, false, false], weights: state.boundary.split(","),
    line: /** @type {NonNullable<ReturnType<typeof lineOf>>} */ (lineOf(state.boundary.split(","), [false, false, false], readNotion())) };
}

/** Return the slot of a color: names that are colors look so. @param {string} name @param {number} at */
const slotOf = (name, at) => (COLORS.includes(name) ? COLORS.indexOf(name) : at);

/** @param {string[]} names @param {boolean[]} tied */
const writeRainbow = (names, tied) => names.map((name, at) => (at ? (tied[at] ? "=" : ">") : "") + name).join("");

/** Return the shares after one moved; the others keep their proportions. @param {number[]} shares @param {number} moved @param {number} share */
function onSimplex(shares, moved, share) {
  const rest = 1 - shares[moved];
  return shares.map((old, at) => (at === moved ? share : rest > 0 ? (old / rest) * (1 - share) : (1 - share) / (shares.length - 1)));
}

/** Return the first whole number at which a rising chance is at least 99 of 100, null beyond a million. @param {(x: number) => number} chance */
const nearlySure = (chance) => firstWhole((x) => chance(x) >= 0.99, 1e6);

/** Return whole numbers from 0 to a little beyond the last one that matters. @param {number} last */
function shownNumbers(last) {
  const end = Math.ceil(last * 1.25) + 2;
  const stride = Math.ceil(end / MOST_SAMPLES);
  return Array.from({ length: Math.floor(end / stride) + 1 }, (_, at) => at * stride);
}

/** @returns {Node[]} */
function lineView() {
  const curves = chart("distance", "Distance to the boundary", (x) => `distance ${x}`);
  const text = make("p", { class: "sentence" });
  const controls = make("form", { "aria-label": "Settings of the line", onsubmit: (/** @type {Event} */ event) => event.preventDefault() });

  function redraw() {
    const { names, line, tied } = readLine();
    writeAddress();
    const best = (/** @type {number} */ distance) => line.classes[0].reduce((sum, at) => sum + line.at(distance)[at], 0);
    const first = nearlySure(best);
    const xs = shownNumbers(first ?? 16);
    const rows = xs.map(line.at);
    const series = names.map((name, at) => ({ name, slot: slotOf(name, at), values: rows.map((row) => row[at]), dash: DASHES[at] }));
    const prefix = (/** @type {number} */ number) => line.classes.slice(0, number + 1).flat().map((at) => names[at]).join(", ");
    const marks = line.thresholds.flatMap((turn, number) => (turn === null ? [] : [{ x: turn, text: `τ(${prefix(number)}) = ${turn}` }]));
    const bestName = line.classes[0].map((at) => names[at]).join(" or ");
    text.textContent =
      `Next to a table with another ranking, the best answer (${bestName}) has ${ofHundred(best(0))} of 100. ` +
      (first === null ? "It never comes to 99 of 100, or very far away." : `From distance ${first} on it has at least 99 of 100.`);
    curves.show({ xs, series, marks, about: `Probability of each color for ${writeRainbow(names, tied)} by the distance to the boundary. ${text.textContent}` });
  }

  function rebuild() {
    const { names, tied, weights, line } = readLine();
    const focused = document.activeElement?.id;
    /** @type {{set: (x: number) => void, text: HTMLInputElement}[]} */
    const bars = [];
    const rows = names.map((name, at) => {
      const bar = slider({
        id: `share-${at}`, label: name, min: 0, max: 100, step: 0.1, value: line.shares[at] * 100, words: (x) => `${short(x)} of 100`,
        move: (x) => {
          const moved = onSimplex(readLine().line.shares, at, x / 100);
          state.boundary = moved.map((share) => share.toFixed(6)).join(",");
          bars.forEach((other, number) => {
            if (number !== at) other.set(moved[number] * 100);
            other.text.value = String(Number(moved[number].toFixed(6)));
          });
          redraw();
        },
      });
      const typed = field({
        id: `weight-${at}`, label: `boundary probability of ${name}, as a decimal or a fraction`, value: weights[at], read: parseFraction,
        change: (value) => {
          const changed = state.boundary.split(",").map((old, number) => (number === at ? value : old));
          if (!lineOf(changed, tied, readNotion())) return;
          state.boundary = changed.join(",");
          const { shares } = readLine().line;
          bars.forEach((other, number) => other.set(shares[number] * 100));
          redraw();
        },
      });
      bars.push({ set: bar.set, text: typed });
      bar.row.classList.add(`slot${slotOf(name, at)}`);
      typedToo(bar.row, typed);
      if (at > 0) {
        const box = make("input", { type: "checkbox", id: `tied-${at}`, checked: tied[at], onchange: () => {
          state.rainbow = writeRainbow(names, tied.map((was, number) => (number === at ? box.checked : was)));
          redraw();
          rebuild();
        } });
        bar.row.append(make("label", { class: "tie", for: `tied-${at}` }, box, ` tied with ${names[at - 1]}`));
      }
      return bar.row;
    });
    const count = slider({
      id: "count", label: "Number of colors", min: 2, max: COLORS.length, step: 1, value: names.length, words: (x) => `${x} colors`,
      move: (x) => {
        const unused = COLORS.filter((color) => !names.includes(color));
        const kept = [...names, ...unused].slice(0, x);
        state.rainbow = writeRainbow(kept, kept.map((_, at) => tied[at] ?? false));
        state.boundary = Array.from({ length: x }, (_, at) => line.shares[at]?.toFixed(6) ?? (1 / x).toFixed(6)).join(",");
        if (!lineOf(state.boundary.split(","), tied, readNotion())) state.boundary = kept.map(() => "1").join(",");
        redraw();
        rebuild();
      },
    });
    const delta = make("div", { class: "control" }, make("label", { for: "delta" }, "delta (δ)"), field({
      id: "delta", label: "delta", value: state.delta, read: (typed) => parsePrivacy({ epsilon: "1", delta: typed }),
      change: (typed) => { state.delta = typed; redraw(); },
    }));
    const notions = choice("notion", "Privacy", [["pure", "pure: ε"], ["approximate", "approximate: ε and δ"], ["gaussian", "Gaussian: μ"]], state.notion,
      (value) => { state.notion = value; redraw(); rebuild(); });
    controls.replaceChildren(
      make("div", { class: "presets", role: "group", "aria-label": "Presets" }, ...PRESETS.map(([name, preset]) =>
        make("button", { type: "button", id: `preset-${name}`, onclick: () => { Object.assign(state, preset); redraw(); rebuild(); } }, name))),
      make("fieldset", {}, make("legend", {}, "Privacy"), notions, privacyControl(state.notion === "gaussian" ? "mu" : "epsilon", redraw),
        ...(state.notion === "approximate" ? [delta] : [])),
      make("fieldset", {}, make("legend", {}, "At the boundary, best color first"), count.row, ...rows));
    if (focused) document.getElementById(focused)?.focus();
  }
  rebuild();
  redraw();
  return [
    make("div", { class: "intro" }, make("h2", {}, "The line"),
      make("p", {}, "A table of people is at distance 0 when one person can change how it ranks the answers; there the probabilities are fixed. Farther away they follow from privacy alone, and these are the best ones possible.")),
    controls, make("section", { "aria-label": "Result" }, text, curves.node,
      make("p", { class: "note" }, "τ marks the last distance at which the colors named grow by the factor e^ε (and δ) per step; beyond it, what they lack to 100 shrinks by that factor. Gaussian privacy has no such turn.")),
  ];
}
