// SPDX-License-Identifier: Apache-2.0
// The view "Plan": how often the published answer is right, and what one person risks.

/** @returns {Asked} */
function readAsked() {
  const whole = (/** @type {string} */ name, /** @type {number} */ low, /** @type {number} */ high) => {
    const number = Math.round(Number(state[name]));
    return Number.isFinite(number) ? Math.min(Math.max(number, low), high) : Number(DEFAULTS[name]);
  };
  if (!parsePrivacy({ epsilon: state.epsilon })) state.epsilon = DEFAULTS.epsilon;
  if (!Object.hasOwn(QUESTIONS, state.question)) state.question = DEFAULTS.question;
  const rows = whole("rows", 1, 20);
  state.want = String(whole("want", 50, 99));
  const [fewest, most] = state.question === "level" ? [3, 8] : [2, 20];
  return {
    question: state.question, options: whole("options", fewest, most), changed: state.neighbors === "change-one",
    rows, width: whole("width", 2 * rows, 100000), epsilon: state.epsilon,
  };
}

/** @type {Record<string, string>} */
const QUESTIONS = { winner: "Which option is the most frequent?", "yes-no": "Has a count reached a threshold?", level: "In which level is a count?" };

/** @type {Record<string, string>} */
const NOTES = {
  winner: "The lead is by how many people the most frequent option is ahead of the next one. One close: one other option has this lead, the others are far behind. All close: all others do. ",
  "yes-no": "The lead is how many people would have to act before the true answer changes. ",
  level: "The lead is how many people would have to act before the count is in another level. The lowest and the highest level have one end, all others have two. ",
};
const COMMON_NOTE = "Typical is what rainbowdp ask does by default. Guarantee promises a chance at every lead, whatever else is in the table. Noisy counts decide by counts with noise, as private as the answer.";

/** @param {number} n @param {string} word */
const counted = (n, word) => `${n.toLocaleString("en")} ${n === 1 ? word : word === "person" ? "people" : `${word}s`}`;

/** Say what a lead is. @param {Asked} asked @param {number} lead */
function leadWords({ question, changed }, lead) {
  if (question === "winner") return `the most frequent option is ${counted(lead, "person")} ahead of all others`;
  return `${counted(lead, "person")} would have to ${changed ? "change" : "join or leave"} before the true answer changes`;
}

/** @returns {Node[]} */
function planView() {
  /** @type {Way[]} */
  let ways = [];
  const curves = chart("lead", "Lead, in people", (x) => `lead of ${counted(x, "person")}`, (x) => {
    state.lead = String(x);
    tell();
  });
  const quote = make("blockquote", {});
  const risk = make("p", { class: "sentence" });
  const note = make("p", { class: "note" });
  const needed = make("p", { class: "sentence", role: "status" });
  const apply = make("button", { type: "button", id: "apply" });
  const controls = make("form", { "aria-label": "Settings of the plan", onsubmit: (/** @type {Event} */ event) => event.preventDefault() });
  const lead = () => Math.min(Math.max(1, Math.round(Number(state.lead)) || 10), 1e6);

  function tell() {
    writeAddress();
    const asked = readAsked();
    const rights = ways.filter(({ way }) => way === "typical").map(({ wrong }) => 1 - wrong(lead()));
    const blind = 1 - ways[ways.length - 1].wrong(1);
    const [low, high] = [Math.min(...rights), Math.max(...rights)].map(ofHundred);
    const often = low === high ? `${low} of 100 cases` : `${low} to ${high} of 100 cases, depending on ${asked.question === "winner" ? "how close the other options are" : "the level"}`;
    const people = Math.round(Number(state.people));
    const part = asked.question === "winner" && people >= lead() ? ` (${short((lead() / people) * 100)} % of ${people.toLocaleString("en")})` : "";
    quote.textContent =
      `With ε = ${state.epsilon}, the published answer is right in ${often}, when ${leadWords(asked, lead())}${part}. ` +
      `Without the data it would be right in ${ofHundred(blind)} of 100.`;
    risk.textContent =
      `The risk for one person: a stranger who knows the data of all others guesses ${asked.changed ? "which of two records this person has" : "whether this person is in the data"}. ` +
      `With the published answer such a guess is right in at most about ${guessed("epsilon")} of 100 cases, instead of 50 of 100 without it.`;
    note.textContent = NOTES[asked.question] + COMMON_NOTE;
    const want = Number(state.want) / 100;
    const enough = epsilonFor(asked, lead(), want);
    needed.textContent = enough
      ? `To be right in at least ${state.want} of 100 cases with a lead of ${counted(lead(), "person")}, ε = ${enough} is enough.`
      : `No ε up to 100 makes the answer right in ${state.want} of 100 cases with a lead of ${counted(lead(), "person")}.`;
    apply.textContent = `Set ε = ${enough}`;
    apply.hidden = !enough || enough === state.epsilon;
    apply.dataset.epsilon = enough ?? "";
  }

  function redraw() {
    ways = waysOf(readAsked());
    const hard = ways.filter(({ way }) => way === "typical");
    const last = nearlySure((x) => 1 - Math.max(...hard.map(({ wrong }) => wrong(Math.max(x, 1)))));
    const xs = [...new Set([1, lead(), ...shownNumbers(Math.max(last ?? 16, lead())).slice(1)])].sort((a, b) => a - b);
    const look = { typical: 0, guarantee: 4, "noisy counts": 3, "ignoring the data": 6 };
    const series = ways.map(({ way, case: which, wrong }, at) => ({
      name: which ? `${way}, ${which}` : way, slot: look[way], values: xs.map((x) => 1 - wrong(x)), dash: DASHES[at],
    }));
    curves.show({ xs, series, marks: [], about: "How often the published answer is right, by the lead" }, lead());
    tell();
  }

  function rebuild() {
    const asked = readAsked();
    const focused = document.activeElement?.id;
    const set = (/** @type {string} */ name) => (/** @type {string} */ value) => { state[name] = value; redraw(); rebuild(); };
    const bar = (/** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ min, /** @type {number} */ max, /** @type {number} */ value, /** @type {(x: number) => string} */ words) =>
      slider({ id: name, label, min, max, step: 1, value, words, move: (x) => { state[name] = String(x); redraw(); } }).row;
    apply.onclick = () => set("epsilon")(apply.dataset.epsilon ?? state.epsilon);
    const level = asked.question === "level";
    const number = (/** @type {string} */ name, /** @type {string} */ label) => make("div", { class: "control" }, make("label", { for: name }, label), field({
      id: name, label, value: state[name], read: (typed) => /^[1-9]\d{0,9}$/.test(typed.trim()), change: (typed) => { state[name] = typed; redraw(); },
    }));
    controls.replaceChildren(
      make("fieldset", {}, make("legend", {}, "Question"), choice("question", "What is published", Object.entries(QUESTIONS), asked.question, set("question")),
        ...(asked.question === "yes-no" ? [] : [bar("options", level ? "Number of levels" : "Number of options", level ? 3 : 2, level ? 8 : 20, asked.options, (x) => counted(x, level ? "level" : "option"))]),
        ...(level ? [number("width", "Rows in the narrowest inner level")] : [])),
      make("fieldset", {}, make("legend", {}, "Who is protected"),
        choice("neighbors", "One person", [["add-remove", "joins or leaves the table"], ["change-one", "changes their record"]], state.neighbors, set("neighbors")),
        bar("rows", "Rows of one person, at most", 1, 20, asked.rows, (x) => counted(x, "row")),
        ...(asked.question === "winner" ? [number("people", "People in the table, about")] : [])),
      make("fieldset", {}, make("legend", {}, "Privacy"), privacyControl("epsilon", redraw),
        slider({ id: "want", label: "Wanted: right in", min: 50, max: 99, step: 1, value: Number(state.want), words: (x) => `${x} of 100 cases`, move: (x) => { state.want = String(x); tell(); } }).row,
        needed, apply));
    if (focused) document.getElementById(focused)?.focus();
  }
  rebuild();
  redraw();
  return [
    make("div", { class: "intro" }, make("h2", {}, "How often is the answer right, and what does one person risk?"),
      make("p", {}, "One answer is published, drawn at random in a way that protects every person. The smaller ε is, the less it tells about any one person, and the more often chance decides. Move the sliders to see both.")),
    make("section", { class: "answer", "aria-label": "In words" }, quote, risk),
    controls,
    make("section", { "aria-label": "Result" }, curves.node, note),
  ];
}
