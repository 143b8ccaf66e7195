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

/** @type {Record<string, string>} */
const NOTIONS = { pure: "pure: ε", approximate: "approximate: ε and δ", gaussian: "Gaussian: μ" };

/** Read colors, and whether each is tied with the one before; null where they are none. @param {string} text */
function readRainbow(text) {
  const words = text.split(/([>=])/);
  const names = words.filter((_, at) => at % 2 === 0).map((name) => name.trim());
  const fits = names.length >= 2 && names.length <= COLORS.length && new Set(names).size === names.length && names.every(Boolean);
  return fits ? { names, tied: names.map((_, at) => at > 0 && words[2 * at - 1] === "=") } : null;
}

/** @returns {PrivacyText} */
function readNotion() {
  if (state.notion === "gaussian") return { mu: state.mu };
  return { epsilon: state.epsilon, delta: state.notion === "approximate" ? state.delta : "0" };
}

/** Return the line of the state; null where boundary and colors do not fit. */
function readLine() {
  const { names, tied } = /** @type {NonNullable<ReturnType<typeof readRainbow>>} */ (readRainbow(state.rainbow));
  const weights = state.boundary.split(",");
  const line = weights.length === names.length ? lineOf(weights, tied, readNotion()) : null;
  return line && { names, tied, weights, line };
}

/** Return the line of a state that was checked. */
const knownLine = () => /** @type {NonNullable<ReturnType<typeof readLine>>} */ (readLine());

/** The controls of the notion of privacy. @param {() => void} changed by one of its numbers @param {() => void} replaced by another notion */
function notionControls(changed, replaced) {
  const delta = make("div", { class: "control" }, make("label", { for: "delta" }, "delta (δ)"), field({
    id: "delta", label: "delta", value: state.delta, read: (typed) => parsePrivacy({ epsilon: "1", delta: typed }), hint: () => "From 0 to 1, such as 1e-6",
    change: (typed) => { state.delta = typed; changed(); },
  }));
  return make("fieldset", {}, make("legend", {}, "Privacy"),
    choice("notion", "Notion", Object.entries(NOTIONS), state.notion, (notion) => { state.notion = notion; replaced(); }),
    privacyControl(state.notion === "gaussian" ? "mu" : "epsilon", readNotion, changed), ...(state.notion === "approximate" ? [delta] : []));
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

/** Return rising numbers with one more. @param {number} number @param {number[]} numbers */
const withNumber = (number, numbers) => [...new Set([number, ...numbers])].sort((a, b) => a - b);

/** @returns {Node[]} */
function lineView() {
  const curves = chart("distance", "Distance to the boundary", (x) => `distance ${x.toLocaleString("en")}`, (x) => {
    state.distance = String(x);
    writeAddress();
  }, { most: () => 1e6, change: redraw });
  const text = make("p", { class: "sentence" });
  const controls = make("form", { "aria-label": "Settings of the line", onsubmit: (/** @type {Event} */ event) => event.preventDefault() });

  function redraw() {
    const { names, line, tied } = knownLine();
    writeAddress();
    const best = (/** @type {number} */ distance) => line.classes[0].reduce((sum, at) => sum + line.at(distance)[at], 0);
    const first = nearlySure(best);
    const distance = Number(state.distance);
    const xs = withNumber(distance, shownNumbers(Math.max(first ?? 16, distance, ...line.thresholds.map((turn) => Math.min(turn ?? 0, 1e6)))));
    const rows = xs.map(line.at);
    const series = names.map((name, at) => ({ name, slot: slotOf(name, at), values: rows.map((row) => row[at]), dash: DASHES[at] }));
    const prefix = (/** @type {number} */ number) => line.classes.slice(0, number + 1).flat().map((at) => names[at]);
    const marks = line.thresholds.flatMap((turn, number) => {
      const grown = prefix(number);
      return turn === null ? [] : [{ x: turn, text: `τ(${grown.length > 2 ? `first ${grown.length}` : grown.join(", ")}) = ${turn.toLocaleString("en")}` }];
    });
    text.textContent =
      `At the boundary the best answer (${prefix(0).join(" or ")}) has ${ofHundred(best(0))} of 100. ` +
      (first === null ? "It does not have 99 of 100 at any distance up to a million." : `From distance ${first.toLocaleString("en")} on it has at least 99 of 100.`);
    curves.show({ xs, series, marks, about: `Probability of each color for ${writeRainbow(names, tied)} by the distance to the boundary. ${text.textContent}` }, distance);
  }

  function replace() {
    redraw();
    rebuild();
  }

  function rebuild() {
    const { names, tied, weights, line } = knownLine();
    const focused = document.activeElement?.id;
    /** @type {{set: (x: number) => void, text: HTMLInputElement}[]} */
    const bars = [];
    // While one share is dragged, the others keep the proportions that they had when it was taken up.
    let [dragged, kept] = [-1, line.shares];
    const rows = names.map((name, at) => {
      const bar = slider({
        id: `share-${at}`, label: name, min: 0, max: 100, step: 0.1, value: line.shares[at] * 100, words: (x) => `${ofHundred(x / 100)} of 100`,
        move: (x) => {
          if (dragged !== at) [dragged, kept] = [at, knownLine().line.shares];
          const moved = onSimplex(kept, at, x / 100).map((share) => share.toFixed(6));
          state.boundary = moved.join(",");
          bars.forEach((other, number) => {
            if (number !== at) other.set(Number(moved[number]) * 100);
            other.text.value = String(Number(moved[number]));
          });
          redraw();
        },
      });
      const typed = field({
        id: `weight-${at}`, label: `boundary probability of ${name}, as a decimal or a fraction`, value: weights[at],
        read: (value) => lineOf(state.boundary.split(",").with(at, value), tied, readNotion()),
        hint: () => "A number such as 0.2 or 3/55, not all of them 0",
        change: (value) => {
          state.boundary = state.boundary.split(",").with(at, value).join(",");
          dragged = -1;
          const { shares } = knownLine().line;
          bars.forEach((other, number) => other.set(shares[number] * 100));
          redraw();
        },
      });
      bars.push({ set: bar.set, text: typed });
      bar.row.classList.add(`slot${slotOf(name, at)}`);
      typedToo(bar.row, typed);
      if (at > 0) {
        const box = make("input", { type: "checkbox", id: `tied-${at}`, checked: tied[at], onchange: () => {
          state.rainbow = writeRainbow(names, tied.with(at, box.checked));
          replace();
        } });
        bar.row.append(make("label", { class: "tie", for: `tied-${at}` }, box, ` tied with ${names[at - 1]}`));
      }
      return bar.row;
    });
    const count = choice("count", "Number of colors", COLORS.slice(1).map((_, at) => [String(at + 2), `${at + 2} colors`]), String(names.length), (text) => {
      const { shares } = knownLine().line;
      const colors = [...names, ...COLORS.filter((color) => !names.includes(color))].slice(0, Number(text));
      state.rainbow = writeRainbow(colors, colors.map((_, at) => tied[at] ?? false));
      state.boundary = colors.map((_, at) => (shares[at] ?? 1 / colors.length).toFixed(6)).join(",");
      if (!readLine()) state.boundary = colors.map(() => "1").join(",");
      replace();
    });
    controls.replaceChildren(
      make("div", { class: "presets", role: "group", "aria-label": "Presets" }, ...PRESETS.map(([name, preset]) =>
        make("button", { type: "button", id: `preset-${name}`, onclick: () => { Object.assign(state, preset); replace(); } }, name))),
      notionControls(redraw, replace),
      make("fieldset", {}, make("legend", {}, "At the boundary, best color first"), count, ...rows));
    if (focused) document.getElementById(focused)?.focus();
  }
  replace();
  return [
    make("div", { class: "intro" }, make("h2", {}, "The line"),
      make("p", {}, "Each table of people ranks the possible answers (the colors), best first. A table at distance 0 is at the boundary: one person can change its ranking, and the probabilities of the answers are set here. At all greater distances they follow from privacy, and these are the best ones possible.")),
    controls, make("section", { "aria-label": "Result" }, text, curves.node,
      make("p", { class: "note" }, "τ marks the last distance up to which the probability of the colors named grows by the factor e^ε (and δ) per step; beyond it, what they lack to 100 shrinks by that factor. Gaussian privacy has no such turn.")),
  ];
}
