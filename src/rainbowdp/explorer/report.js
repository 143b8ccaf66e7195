// SPDX-License-Identifier: Apache-2.0
// The view "Report": what is promised, in words, and the numbers of the package with what was found about them.

/** @type {Stated | null} */
const report = JSON.parse(document.getElementById("report")?.textContent ?? "null");

/** @param {string} title @param {...(Node | string)} parts */
const part = (title, ...parts) => make("section", {}, make("h3", {}, title), ...parts);
/** @param {string} label @param {HTMLElement} table @param {string} kind */
const scrolled = (label, table, kind = "scroll") => make("div", { class: kind, tabindex: "0", role: "region", "aria-label": label }, table);
/** @param {string[]} texts */
const paragraphs = (texts) => texts.map((text) => make("p", {}, text));

/** @param {[string, string][]} facts */
const listed = (facts) => make("dl", {}, ...facts.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));

/** A table of ways to answer; cases of one way that are the same are one column. @param {string} label @param {string} first @param {[string, string][]} ways @param {string[][]} rows */
function waysTable(label, first, ways, rows) {
  const cells = ways.map((_, at) => rows.map((row) => row[at + 1]).join());
  const alike = ways.map(([way]) => new Set(ways.flatMap(([other], at) => (other === way ? [cells[at]] : []))).size === 1);
  const kept = ways.map(([way], at) => at).filter((at) => !alike[at] || ways.findIndex(([way]) => way === ways[at][0]) === at);
  return scrolled(label, tableOf([first, ...kept.map((at) => (alike[at] ? ways[at][0] : ways[at].join(", ")))], rows.map((row) => [row[0], ...kept.map((at) => row[at + 1])])));
}

/** @param {string} label @param {Chances} chances */
const chancesTable = (label, { ways, leads, wrong }) =>
  waysTable(label, "lead", ways, leads.map((lead, row) => [String(lead), ...wrong[row].map((chance) => (chance === null ? "not computed" : ofHundred(1 - chance)))]));

/** @param {PlanPart} plan */
const planPart = ({ title, said, lead, chances, compared, needed, remarks }) =>
  part(title, make("blockquote", {}, said[0]), ...paragraphs(said.slice(1)),
    make("h4", {}, "Right answers in 100 cases, by lead"), make("p", { class: "note" }, lead), chancesTable(`${title}: right answers`, chances),
    make("h4", {}, "Lead needed to be right in so many of 100 cases"), waysTable(`${title}: leads needed`, "right", chances.ways, needed),
    ...(compared ? [make("h4", {}, "Right answers of other mechanisms"), chancesTable(`${title}: other mechanisms`, compared)] : []), ...paragraphs(remarks));

/** @param {Lines} lines */
function linesPart({ regions, left }) {
  const orders = regions.map(({ rainbow }) => /** @type {string[][]} */ (parseRainbow(rainbow)).flat());
  const names = [...new Set([...orders.map(([best]) => best), ...orders[0]])];
  const sizes = regions.some(({ classes }) => classes.some(({ datasets }) => datasets !== null));
  const rows = regions.flatMap(({ rainbow, classes }, at) => classes.map(({ distance, datasets, row }) =>
    [rainbow, String(distance ?? "no boundary"), ...(sizes ? [String(datasets)] : []), ...names.map((name) => ofHundred(row[orders[at].indexOf(name)]))]));
  return part("Probabilities by distance, of 100", scrolled("Probabilities by distance", tableOf(["order of the answers, best first", "distance", ...(sizes ? ["datasets"] : []), ...names], rows), "scroll names"),
    ...(left ? [make("p", { class: "note" }, `${counted(left, "region")} more are not shown.`)] : []));
}

/** Say why the page cannot compute a privacy; nothing where it can. @param {PrivacyText} privacy */
function unreadable(privacy) {
  if (parsePrivacy(privacy)) return "";
  if (privacy.mu !== undefined) return "the page does not read a μ of so many digits";
  if (parsePrivacy({ ...privacy, delta: "0" })) return "the page does not read a δ of more than 40 digits, such as one below 1e-39";
  return "the page cannot compute with such an ε: it has to be 0, or from 1e-9 to 100";
}

/** @returns {Node[]} */
function reportView() {
  const { title, asked, said, facts, faults, risks, lines, plans, notes, source } = /** @type {Stated} */ (report);
  const found = checkedReport(/** @type {Stated} */ (report));
  const why = risks.map(({ privacy }) => unreadable(privacy)).find(Boolean);
  return [make("div", { class: "report" },
    make("div", { class: "intro" }, make("h2", {}, title)), listed(asked),
    ...(faults.length ? [make("div", { class: "fault", role: "alert" }, make("p", {}, "What this states does not hold:"), make("ul", {}, ...faults.map((text) => make("li", {}, text))))] : []),
    ...(said.length ? [part("What is promised", ...paragraphs(said))] : []),
    ...plans.map(planPart),
    part("Computed again on this page", make("ul", { class: "findings" }, ...found.map(({ text, holds }) => make("li", { class: holds ? "right" : "wrong" }, text))),
      make("p", { class: "note" }, found.length
        ? "These figures were computed by this page just now, and compared to nine digits (below 1e-12: to 1e-20) with those that rainbowdp wrote into it. Figures that are not named here are those of rainbowdp." + (why ? ` Not all is computed: ${why}.` : "")
        : `Nothing: ${why ?? "the page does not know how such figures are computed"}. All figures are those of rainbowdp.`)),
    ...(facts.length ? [part("In detail", listed(facts))] : []),
    ...(lines ? [linesPart(lines)] : []),
    ...(notes.length ? [part("Notes", make("ul", {}, ...notes.map((text) => make("li", {}, text))))] : []),
    ...(source ? [make("details", { open: true }, make("summary", {}, "The receipt as it was written"), make("pre", { tabindex: "0" }, source))] : []),
    make("button", { type: "button", id: "print", onclick: () => print() }, "Print this report"))];
}

/** Return the graph of a report, with the masses that it states at the boundary of each region. @param {Stated} stated @returns {Placed} */
function reportGraph({ graph, lines }) {
  const placed = placedGraph(parseGraph([/** @type {string} */ (graph)]));
  placed.given = new Map();
  for (const { rainbow, boundary } of lines?.regions ?? []) {
    const classes = /** @type {string[][]} */ (parseRainbow(rainbow));
    const masses = new Map(classes.flat().map((name, at) => [name, fixed(/** @type {Fraction} */ (parseFraction(boundary?.[at] ?? "1")))]));
    if (boundary) placed.given.set(rainbowText(classes), [...masses.keys()].sort().map((name) => masses.get(name) ?? 0n));
  }
  return placed;
}

if (report) {
  Object.assign(DEFAULTS, report.state, { view: "report" });
  /** @type {Placed | null} */
  let placed = null;
  if (report.graph) {
    GRAPHS.report = ["Graph of the report", () => (placed ??= reportGraph(report))];
    RULES.given = "as reported; elsewhere all equal";
  }
}
