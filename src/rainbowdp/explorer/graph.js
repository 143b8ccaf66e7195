// SPDX-License-Identifier: Apache-2.0
// The view "Graph": datasets with their rainbows beside the boundary graph, and what the optimal mechanism answers.

/** @type {Record<string, string>} */
const RULES = { ranks: "by rank, as given", uniform: "all equal", response: "randomized response" };

/** @type {Placed | null} */
let own = null;
/** A file that another one completes. */
let half = "";

/** Return how colors are drawn: as they are called if that is a color, and with a letter of their own. @param {string[]} colors */
function drawnColors(colors) {
  const first = colors.map((color) => color[0]);
  return colors.map((color, at) => ({ slot: slotOf(color, at % COLORS.length), letter: new Set(first).size < colors.length ? String(at + 1) : first[at] }));
}

/** Say what a notion of privacy allows between neighbors. */
function promiseWords() {
  const privacy = /** @type {Privacy} */ (parsePrivacy(readNotion()));
  if ("mu" in privacy) return `Two neighbors are as hard to tell apart as two normal distributions of deviation 1 whose means differ by μ = ${short(privacy.mu)}.`;
  const odds = `e^ε = ${short(toNumber(privacy.odds))} times`;
  if (privacy.delta === 0n) return `No answer is more than ${odds} as probable at a dataset as at its neighbor.`;
  return `No set of answers is more probable at a dataset than ${odds} as at its neighbor, plus δ = ${short(toNumber(privacy.delta))}.`;
}

/** @returns {Node[]} */
function graphView() {
  const status = make("p", { class: "sentence", role: "status" });
  const spoken = make("p", { class: "note", "aria-live": "polite" });
  const legend = make("ul", { class: "legend" });
  const chosen = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The chosen dataset and its neighbors" });
  const broken = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Where the boundary is not private" });
  const table = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All datasets" });
  const all = make("details", { ontoggle: fill }, make("summary", {}, "All datasets as a table"), table);
  const controls = make("form", { "aria-label": "Settings of the graph", onsubmit: (/** @type {Event} */ event) => event.preventDefault() });
  const problem = make("p", { class: "problem", role: "alert" });
  const stuck = () => write(spoken, `${named(at)} has no neighbor there.`);
  const whole = drawing("datasets", "Graph of datasets.", choose, stuck);
  const reduced = drawing("boundary-graph", "Boundary graph.", (node) => choose(boundary.datasets[node].members[0]), stuck);
  let graph = figureGraph();
  let structure = structureOf(graph);
  let boundary = boundaryGraph(graph, structure);
  /** @type {ReturnType<typeof solveGraph>} */
  let solved = { rows: [], failures: [] };
  let at = 0;
  let waiting = 0;

  const named = (/** @type {number} */ number) => graph.datasets[number].name;
  const steps = (/** @type {number | null} */ distance) => (distance === null ? "no boundary" : String(distance));

  /** Take up the graph that the state names. */
  function load() {
    graph = own && state.graph === "own" ? own : GRAPHS[Object.hasOwn(GRAPHS, state.graph) ? state.graph : DEFAULTS.graph][1]();
    structure = structureOf(graph);
    boundary = boundaryGraph(graph, structure);
    at = Math.max(0, graph.datasets.findIndex(({ name }) => name === state.dataset));
    const colors = drawnColors(structure.colors);
    legend.replaceChildren(...structure.colors.map((color, number) => make("li", {},
      draw("svg", { width: 22, height: 22, "aria-hidden": "true" }, draw("rect", { class: `slot${colors[number].slot}`, width: 22, height: 22 }), draw("text", { class: "letter", x: 11, y: 15 }, colors[number].letter)), color)));
    solve();
    const classes = (/** @type {Graph} */ { datasets }) => datasets.map(({ rainbow }) => rainbow.map((tied) => tied.map((color) => structure.colors.indexOf(color))));
    whole.show({ graph, classes: classes(graph), notes: structure.distance.map(steps), edge: structure.distance.map((distance) => distance === 0), colors }, looks()[0]);
    reduced.show({ graph: ringGraph(boundary), classes: classes(boundary), notes: boundary.datasets.map(({ distance }) => steps(distance)), edge: boundary.datasets.map(({ distance }) => distance === 0), colors }, looks()[1]);
    fill();
    rebuild();
  }

  function solve() {
    solved = solveGraph(graph, structure, state.rule === "ranks" ? state.ranks : state.rule, readNotion());
    const [first] = solved.failures;
    status.classList.toggle("wrong", Boolean(first));
    write(status, first
      ? `These boundary probabilities are not private. At ${named(first.from)}, ${first.event.join(" or ")} has ${ofHundred(first.has)} of 100, and at its neighbor ${named(first.to)} ${ofHundred(first.beside)} of 100; at most ${ofHundred(first.limit)} of 100 would be private at ${named(first.from)}. Such pairs are drawn thick.`
      : `${counted(graph.datasets.length, "dataset")}, ${counted(graph.pairs.length, "pair")} of neighbors, ${counted(new Set(structure.regions).size, "region")}. ${promiseWords()}`);
    writeAddress();
  }

  /** @returns {[Look, Look]} */
  function looks() {
    const { nodeOf, datasets, pairs } = boundary;
    const failing = new Set(solved.failures.map(({ pair }) => pair));
    const failingNodes = new Set([...failing].map((pair) => graph.pairs[pair].map((end) => nodeOf[end]).sort((a, b) => a - b).join()));
    const brokenNodes = pairs.flatMap((pair, number) => (failingNodes.has(pair.join()) ? [number] : []));
    return [{ rows: solved.rows, broken: failing, at }, { rows: datasets.map(({ members }) => solved.rows[members[0]]), broken: new Set(brokenNodes), at: nodeOf[at] }];
  }

  /** Show other probabilities; the tables wait until a slider rests. */
  function redraw() {
    solve();
    show();
    clearTimeout(waiting);
    waiting = setTimeout(fill, 100);
  }

  function show() {
    [whole, reduced].forEach(({ update }, number) => update(looks()[number]));
  }

  function fill() {
    const { regions, colors, distance, neighbors } = structure;
    chosen.replaceChildren(tableOf(["dataset", "rainbow", ...colors], [at, ...neighbors[at]].map((number) => [
      number === at ? `${named(at)} (chosen)` : `neighbor ${named(number)}`, regions[number],
      ...solved.rows[number].map((chance, color) => {
        const here = solved.rows[at][color];
        return number === at ? ofHundred(chance) : `${ofHundred(chance)} (${here > 0 ? `× ${short(chance / here)}` : "–"})`;
      }),
    ])));
    const places = [...new Map(solved.failures.map((failure) => [`${regions[failure.from]}\n${regions[failure.to]}`, failure])).values()];
    broken.hidden = !places.length;
    broken.replaceChildren(tableOf(["where it is not private", "answers", "there", "at the neighbor", "at most"], places.map(({ from, to, event, has, beside, limit }) =>
      [`${named(from)}, a neighbor of ${named(to)}`, event.join(" or "), ...[has, beside, limit].map(ofHundred)])));
    table.replaceChildren(...(!all.open ? [] : [tableOf(["dataset", "rainbow", "distance", ...colors], graph.datasets.map(({ name }, number) =>
      [name, regions[number], steps(distance[number]), ...solved.rows[number].map(ofHundred)]))]));
  }

  /** @param {number} number */
  function choose(number) {
    at = number;
    state.dataset = named(at);
    writeAddress();
    show();
    fill();
    const distance = structure.distance[at];
    const place = distance === null ? "no boundary of its region can be reached" : distance === 0 ? "at the boundary" : `${counted(distance, "step")} from the boundary`;
    const { members } = boundary.datasets[boundary.nodeOf[at]];
    write(spoken, `${named(at)}, ${structure.regions[at]}, ${place}${members.length > 1 ? `, like ${members.length - 1} more` : ""}: ` +
      `${structure.colors.map((color, index) => `${color} ${ofHundred(solved.rows[at][index])} of 100`).join(", ")}.`);
  }

  /** @param {FileList | null | undefined} list */
  function take(list) {
    Promise.all([...(list ?? [])].map((file) => file.text())).then((texts) => {
      if (!texts.length) return;
      const parts = [half, ...texts].filter(Boolean).map(partOf);
      const all = parts.length === 2 && half && new Set(parts).size === 2 && !parts.includes("graph") ? [half, ...texts] : texts;
      half = all.find((text) => partOf(text) === "datasets") ?? all.find((text) => partOf(text) === "pairs") ?? "";
      own = placedGraph(parseGraph(all));
      problem.textContent = own.pairs.length ? "" : "There are no pairs of neighbors: add the file with the columns source and target.";
      state.graph = "own";
      load();
    }).catch((error) => { problem.textContent = error instanceof SyntaxError || error instanceof TypeError ? "This is not a graph in node-link JSON." : error.message; });
  }

  function rebuild() {
    const focused = document.activeElement?.id;
    /** @type {[string, string][]} */
    const known = Object.entries(GRAPHS).map(([name, [title]]) => [name, title]);
    if (own) known.push(["own", "Your own graph"]);
    const files = make("input", { type: "file", id: "files", multiple: true, accept: ".csv,.tsv,.json,.txt", onchange: () => take(files.files) });
    const replaced = () => { redraw(); rebuild(); };
    controls.replaceChildren(
      make("fieldset", {}, make("legend", {}, "Graph"), choice("graph", "Datasets and neighbors", known, state.graph, (name) => { state.graph = name; load(); }),
        make("div", { class: "control" }, make("label", { for: "files" }, "Your own, as JSON or as two CSV files"), files),
        problem, make("p", { class: "note" }, "Files can also be dropped on this page. They are read here and never leave it; a link does not hold them.")),
      notionControls(redraw, replaced),
      make("fieldset", {}, make("legend", {}, "At the boundary"),
        choice("rule", "Probabilities", Object.entries(RULES), state.rule, (rule) => { state.rule = rule; replaced(); }),
        ...(state.rule === "ranks" ? [make("div", { class: "control" }, make("label", { for: "ranks" }, "Best first, divided by their sum"), field({
          id: "ranks", label: "Probabilities by rank, best first, with commas", value: state.ranks, read: READABLE.ranks, hint: () => "Numbers above 0 with commas", change: (typed) => { state.ranks = typed; redraw(); },
        }))] : [])));
    if (focused) document.getElementById(focused)?.focus();
  }

  document.ondragover = (event) => { if (state.view === "graph") event.preventDefault(); };
  document.ondrop = (event) => {
    if (state.view !== "graph") return;
    event.preventDefault();
    take(event.dataTransfer?.files);
  };
  load();
  return [
    make("div", { class: "intro" }, make("h2", {}, "The graph"),
      make("p", {}, "Each square is a dataset; its bands are the answers, the best one on top, each as high as it is probable; tied ones stand side by side. Lines join neighbors, which differ in one person. Datasets with a thick frame are at the boundary: a neighbor ranks the answers differently. The probabilities there decide those everywhere. The number below a square is its distance to the boundary.")),
    controls,
    make("section", { "aria-label": "Result" }, status, legend,
      make("div", { class: "pictures" },
        make("div", {}, make("h3", {}, "Datasets"), whole.node),
        make("div", {}, make("h3", {}, "Boundary graph"), reduced.node)),
      spoken, broken,
      make("p", { class: "note" }, "The boundary graph has one square for all datasets with the same ranking and distance; they have the same probabilities. Choose a square by mouse or with the arrow keys."),
      make("h3", {}, "The chosen dataset and its neighbors"), chosen,
      make("p", { class: "note" }, "Chances of 100, and how many times as great they are at the neighbor."),
      all),
  ];
}
