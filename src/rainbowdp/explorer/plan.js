// SPDX-License-Identifier: Apache-2.0
// The view "Plan": how often the published answer is right, and what one person risks.

/** @returns {Asked} */
function readAsked() {
  const [rows, number] = [Number(state.rows), Number(state.options)];
  return {
    question: state.question, options: state.question === "level" ? Math.min(Math.max(number, 3), 8) : number, changed: state.neighbors === "change-one",
    rows, width: Math.max(Number(state.width), 2 * rows), epsilon: state.epsilon,
  };
}

/** @type {Record<string, string>} */
const QUESTIONS = { winner: "Which option is the most frequent?", "yes-no": "Has a count reached a threshold?", level: "In which level is a count?" };

/** @type {Record<string, string>} said of people who have one row each */
const NOTES = {
  winner: "The lead is by how many people the most frequent option is ahead of the next one. One other option close: it is behind by the lead, and the others are much further behind. All others close: all of them are behind by the lead.",
  "yes-no": "The lead is how many people would have to act before the true answer changes.",
  level: "The lead is how many people would have to act before the count is in another level. The lowest and the highest level have one end, all others have two, and at least twice the rows of one person.",
};
/** @type {[string, string][]} */
const WAYS = [
  ["typical", "What rainbowdp ask does by default."],
  ["guarantee", "A chance that is promised at every lead, whatever else is in the table."],
  ["noisy counts", "Noise is added to each count, so that these protect as much as the answer does, and the answer is read off the noisy counts."],
  ["ignoring the data", "One of the possible answers is drawn, all equally likely."],
];
/** @type {Record<string, string>} */
const CASES = { "one close": "one other option close", "all close": "all others close", "end levels": "lowest or highest level", "narrowest level": "narrowest level" };
const LOOKS = { typical: 0, guarantee: 4, "noisy counts": 3, "ignoring the data": 6 };

/** @param {number} n @param {string} word */
const counted = (n, word) => `${n.toLocaleString("en")} ${n === 1 ? word : word === "person" ? "people" : `${word}s`}`;

/** @param {string} chance */
const spelled = (chance) => chance.replace(">", "more than ");

/** Return how often an answer is right. It is never certain: without delta no probability is 1. @param {Way} way @param {number} lead */
const right = ({ wrong }, lead) => Math.min(1 - wrong(lead), BELOW);

/** Say how many rows people have, where it is not one. @param {number} rows @param {number} people */
const ofRows = (rows, people) => (rows > 1 ? `, of ${rows} rows${people > 1 ? " each" : ""},` : "");

/** Say what a lead is. @param {Asked} asked @param {number} lead @param {number} people */
function leadWords({ question, changed, rows }, lead, people) {
  const share = lead / people;
  const part = share > 1 ? "" : ` (${share < 1e-4 ? "less than 0.01" : spelled(ofHundred(share))} % of ${people.toLocaleString("en")})`;
  const many = `${counted(lead, "person")}${part}${ofRows(rows, lead)}`;
  if (question === "winner") return `the most frequent option is ${many} ahead of all others`;
  return `${many} would have to ${changed ? "change" : "join or leave"} before the true answer changes`;
}

/** Say how often the narrowest level is named at its middle, where it cannot have a lead. @param {Asked} asked @param {Way[]} ways @param {number} lead */
function insideWords({ question, width, rows }, ways, lead) {
  const greatest = Math.floor((width - 1) / 2 / rows) + 1;
  if (question !== "level" || greatest >= lead) return "";
  const way = /** @type {Way} */ (ways.findLast(({ way }) => way === "typical"));
  return ` Inside the narrowest level the lead is at most ${counted(greatest, "person")}${ofRows(rows, greatest)}${rows > 1 ? "" : ","} and the answer is then right in ${spelled(ofHundred(right(way, greatest)))} of 100 cases.`;
}

/** @returns {Node[]} */
function planView() {
  /** @type {Way[]} */
  let ways = [];
  let solved = "";
  const curves = chart("lead", "Lead, in people", (x) => `lead of ${counted(x, "person")}`, (x) => {
    state.lead = String(x);
    tell();
  }, { most: () => Math.min(most(), 1e6), change: redraw });
  const quote = make("blockquote", { id: "quote" });
  const risk = make("p", {});
  const note = make("p", { class: "note" });
  const needed = make("p", { class: "sentence", role: "status" });
  const apply = make("button", { type: "button", id: "apply" });
  const copy = make("button", { type: "button", id: "copy", onclick: () => {
    getSelection()?.selectAllChildren(quote);
    copied.textContent = document.execCommand("copy") ? "Copied." : "It is selected: copy it.";
  } }, "Copy these sentences");
  const copied = make("span", { role: "status" });
  const controls = make("form", { "aria-label": "Settings of the plan", onsubmit: (/** @type {Event} */ event) => event.preventDefault() });
  // A winner of so few people cannot be further ahead.
  const most = () => (state.question === "winner" ? Number(state.people) : 1e6);
  const lead = () => Math.min(Math.max(1, Number(state.lead)), most());

  function tell() {
    writeAddress();
    const asked = readAsked();
    const rights = ways.filter(({ way }) => way === "typical").map((way) => right(way, lead()));
    const [low, high] = [Math.min(...rights), Math.max(...rights)].map((chance) => spelled(ofHundred(chance)));
    const often = low === high ? `${low} of 100 cases` : `${low} to ${high} of 100 cases, depending on ${asked.question === "winner" ? "how close the other options are" : "the level"}`;
    const answer = make("p", {}, `When ${leadWords(asked, lead(), Number(state.people))}, the published answer is right in ${often} (ε = ${state.epsilon}).${insideWords(asked, ways, lead())} ` +
      `An answer that ignores the data is right in ${ofHundred(right(ways[ways.length - 1], 1))} of 100 cases.`);
    risk.textContent =
      `The risk for one person: a stranger knows the data of all other people, and guesses ${asked.changed ? "which of two possible records this person has" : "whether this person is in the table"}. ` +
      `With the published answer the guess is right in ${guessed({ epsilon: state.epsilon })}, instead of 50 of 100 cases without it.`;
    quote.replaceChildren(answer, risk);
    copied.textContent = "";
    note.textContent = NOTES[asked.question].replace("many people", `many people${ofRows(asked.rows, 2)}`);
    const request = JSON.stringify([{ ...asked, epsilon: "" }, lead(), state.want]);
    if (request === solved) return;
    solved = request;
    const people = `${counted(lead(), "person")}${ofRows(asked.rows, lead()).slice(0, -1)}`;
    const enough = epsilonFor(asked, lead(), Number(state.want) / 100);
    needed.textContent = enough
      ? `To be right in at least ${state.want} of 100 cases with a lead of ${people}, ε = ${enough}${enough === LEAST ? " or less" : ""} is enough.`
      : `No ε up to 100 makes the answer right in ${state.want} of 100 cases with a lead of ${people}.`;
    apply.textContent = `Set ε = ${enough}`;
    apply.hidden = !enough;
    apply.dataset.epsilon = enough ?? "";
  }

  function redraw() {
    ways = waysOf(readAsked());
    const hard = ways.filter(({ way }) => way === "typical");
    const last = nearlySure((x) => Math.min(...hard.map((way) => right(way, Math.max(x, 1)))));
    const shown = shownNumbers(Math.max(last ?? 16, lead())).slice(1).filter((x) => x <= most());
    const xs = withNumber(1, withNumber(lead(), shown));
    const series = ways.map((way, at) => ({
      name: way.case ? `${way.way}, ${CASES[way.case]}` : way.way, slot: LOOKS[way.way], values: xs.map((x) => right(way, x)), dash: DASHES[at],
    }));
    curves.show({ xs, series, marks: [], about: "How often the published answer is right, by the lead" }, lead());
    tell();
  }

  function rebuild() {
    const asked = readAsked();
    const focused = document.activeElement?.id;
    const set = (/** @type {string} */ name) => (/** @type {string} */ value) => { state[name] = value; redraw(); rebuild(); };
    const bar = (/** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ min, /** @type {number} */ max, /** @type {number} */ value, /** @type {(x: number) => string} */ words) =>
      slider({ id: name, label, min, max, step: 1, value, words, move: (x) => {
        state[name] = String(x);
        width.querySelector("input").value = String(readAsked().width);
        redraw();
      } }).row;
    apply.onclick = () => set("epsilon")(apply.dataset.epsilon ?? state.epsilon);
    const level = asked.question === "level";
    const number = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ value, least = () => 2) => make("div", { class: "control" }, make("label", { for: name }, label), field({
      id: name, label, value, read: (typed) => READABLE[name](typed.trim()) && Number(typed) >= least(), hint: () => `A whole number from ${least()} on`, change: (typed) => { state[name] = typed; redraw(); },
    }));
    const rows = () => Number(state.rows);
    const width = number("width", "Rows in the narrowest inner level", String(asked.width), () => 2 * rows());
    controls.replaceChildren(
      make("fieldset", {}, make("legend", {}, "Question"), choice("question", "What is published", Object.entries(QUESTIONS), asked.question, set("question")),
        ...(asked.question === "yes-no" ? [] : [bar("options", level ? "Number of levels" : "Number of options", level ? 3 : 2, level ? 8 : 20, asked.options, (x) => counted(x, level ? "level" : "option"))]),
        ...(level ? [width] : [])),
      make("fieldset", {}, make("legend", {}, "Who is protected"),
        choice("neighbors", "What stays hidden", [["add-remove", "whether one person is in the table"], ["change-one", "which record one person has"]], state.neighbors, set("neighbors")),
        bar("rows", "Rows of one person, at most", 1, 20, asked.rows, (x) => counted(x, "row")),
        number("people", "People in the table, about", state.people)),
      make("fieldset", {}, make("legend", {}, "Privacy"), privacyControl("epsilon", () => ({ epsilon: state.epsilon }), redraw),
        slider({ id: "want", label: "Wanted: right in", min: 50, max: 99, step: 1, value: Number(state.want), words: (x) => `${x} of 100 cases`, move: (x) => { state.want = String(x); tell(); } }).row,
        needed, apply));
    if (focused) document.getElementById(focused)?.focus();
  }
  rebuild();
  redraw();
  return [
    make("div", { class: "intro" }, make("h2", {}, "How often is the answer right, and what does one person risk?"),
      make("p", {}, "One answer is published. It is drawn at random, so no answer is certain. The number ε (epsilon) sets how much it can tell about any one person. A smaller ε protects more, and the published answer is wrong more often. Move the sliders to see both.")),
    make("section", { class: "answer", "aria-label": "In words" }, quote, copy, " ", copied),
    controls,
    make("section", { "aria-label": "Result" }, note, curves.node, make("h3", {}, "What is compared"), make("dl", {}, ...WAYS.flatMap(([way, words]) => [make("dt", {}, way), make("dd", {}, words)]))),
  ];
}
