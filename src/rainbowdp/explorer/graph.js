// SPDX-License-Identifier: Apache-2.0
// The view "Graph": datasets with their rainbows, and what the optimal mechanism answers at each of them.

/** @typedef {Graph & {places: [number, number][]}} Placed */

const FIGURE = {
  nodes: "a brg 0 0,b brg 1 0,c brg 2 0,d rgb 3 0,e rgb 4 0,f brg .5 1,g brg 1.5 1,h bgr 2.5 1,i rgb 3.5 1,j grb 1 2,k bgr 2 2,l rbg 3 2,m rbg 4 2,n rbg 5 2,o grb .5 3,p grb 1.5 3,q gbr 2.5 3,r gbr 3.5 3",
  pairs: "ab bc de af bf cg ck cq dh di ei fg gh gj gp gk gl hk hl ip im kl lm mn jo jp lp kq lr mr qr",
};

/** The figure 1(a) of the paper, where its nodes stand there. @returns {Placed} */
function figureGraph() {
  const names = /** @type {Record<string, string>} */ ({ b: "blue", r: "red", g: "green" });
  const nodes = FIGURE.nodes.split(",").map((text) => text.split(" "));
  const number = (/** @type {string} */ name) => nodes.findIndex(([other]) => other === name);
  return {
    datasets: nodes.map(([name, rainbow]) => ({ name, rainbow: [...rainbow].map((letter) => [names[letter]]) })),
    pairs: FIGURE.pairs.split(" ").map((pair) => [number(pair[0]), number(pair[1])]),
    places: nodes.map(([, , x, y]) => [Number(x), Number(y)]),
  };
}

/** The votes of some people for three options, where one person changes; of equal counts the first one is the winner. @param {number} people @returns {Placed} */
function votesGraph(people) {
  /** @type {number[][]} */
  const counts = [];
  for (let first = people; first >= 0; first--) for (let second = people - first; second >= 0; second--) counts.push([first, second, people - first - second]);
  const options = COLORS.slice(0, 3);
  /** @type {[number, number][]} */
  const pairs = [];
  counts.forEach((one, at) => counts.slice(0, at).forEach((other, before) => {
    if (one.reduce((sum, count, option) => sum + Math.abs(count - other[option]), 0) === 2) pairs.push([before, at]);
  }));
  return {
    datasets: counts.map((count) => {
      const winner = options[count.indexOf(Math.max(...count))];
      return { name: count.join(" "), rainbow: [[winner], options.filter((option) => option !== winner)] };
    }),
    pairs, places: counts.map(([first, second, third]) => [third - second, -1.6 * first]),
  };
}

/** A count of people against a threshold in the middle. @param {number} people @returns {Placed} */
function countGraph(people) {
  const counts = Array.from({ length: people + 1 }, (_, count) => count);
  return {
    datasets: counts.map((count) => ({ name: String(count), rainbow: 2 * count >= people ? [["blue"], ["red"]] : [["red"], ["blue"]] })),
    pairs: counts.slice(1).map((count) => [count - 1, count]),
    places: counts.map((count) => [count, Math.sin(count * 1.3) / 2]),
  };
}

/** Place a graph so that neighbors are near each other and others apart; the same graph always in one way. @param {Graph} graph @returns {Placed} */
function placedGraph(graph) {
  const size = graph.datasets.length;
  /** @type {[number, number][]} */
  const places = graph.datasets.map((_, at) => [Math.sqrt(at) * Math.cos(at * 2.4), Math.sqrt(at) * Math.sin(at * 2.4)]);
  for (let round = 0, rounds = size > 200 ? 80 : 300; round < rounds; round++) {
    const most = 1.5 * (1 - round / rounds) + 0.01;
    const moves = places.map(() => [0, 0]);
    const push = (/** @type {number} */ one, /** @type {number} */ other, /** @type {boolean} */ joined) => {
      const across = places[one][0] - places[other][0];
      const down = places[one][1] - places[other][1];
      const square = Math.max(across * across + down * down, 1e-4);
      const force = joined ? -Math.sqrt(square) : 1 / square;
      moves[one][0] += across * force;
      moves[one][1] += down * force;
      moves[other][0] -= across * force;
      moves[other][1] -= down * force;
    };
    for (let one = 0; one < size; one++) for (let other = 0; other < one; other++) push(one, other, false);
    for (const [one, other] of graph.pairs) push(one, other, true);
    moves.forEach(([x, y], at) => {
      const length = Math.max(Math.hypot(x, y), 0.01);
      places[at] = [places[at][0] + (x / length) * Math.min(length, most), places[at][1] + (y / length) * Math.min(length, most)];
    });
  }
  return { ...graph, places };
}

/** @type {Record<string, [string, () => Placed]>} */
const GRAPHS = {
  figure1: ["Figure 1 of the paper", figureGraph],
  votes: ["Winner of 6 votes for 3 options", () => votesGraph(6)],
  count: ["Count of 12 people, at least 6 or not", () => countGraph(12)],
};

/** @type {Record<string, string>} */
const RULES = { ranks: "by rank, as given", uniform: "all equal", response: "randomized response" };

/** @type {Placed | null} */
let own = null;

/** @returns {Node[]} */
function graphView() {
  const status = make("p", { class: "sentence", role: "status" });
  const spoken = make("p", { class: "note", "aria-live": "polite" });
  const picture = make("div", { class: "picture graph", tabindex: "0", role: "application", "aria-label": "Graph of datasets. Arrow keys walk to a neighbor, Page Up and Page Down through all datasets.", onkeydown: walk });
  const chosen = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The chosen dataset and its neighbors" });
  const table = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All datasets" });
  const all = make("details", { ontoggle: () => fill() }, make("summary", {}, "All datasets as a table"), table);
  const controls = make("form", { "aria-label": "Settings of the graph", onsubmit: (/** @type {Event} */ event) => event.preventDefault() });
  const problem = make("p", { class: "problem", role: "alert" });
  let graph = figureGraph();
  let solved = solveGraph(graph, "uniform", "0.5");
  let at = 0;
  /** @type {[number, number][]} */
  let spots = [];

  const rule = () => (state.rule === "ranks" ? state.ranks : state.rule);
  const named = (/** @type {number} */ number) => graph.datasets[number].name;
  const slot = (/** @type {string} */ color) => slotOf(color, solved.colors.indexOf(color) % 6);

  function redraw() {
    if (!parsePrivacy({ epsilon: state.epsilon })) state.epsilon = DEFAULTS.epsilon;
    graph = own && state.graph === "own" ? own : GRAPHS[Object.hasOwn(GRAPHS, state.graph) ? state.graph : DEFAULTS.graph][1]();
    solved = solveGraph(graph, rule(), state.epsilon);
    at = Math.max(0, graph.datasets.findIndex(({ name }) => name === state.dataset));
    const limit = `e^ε = ${short(toNumber(/** @type {Odds} */ (parsePrivacy({ epsilon: state.epsilon })).odds))}`;
    const [first] = solved.failures;
    status.classList.toggle("wrong", Boolean(first));
    status.textContent = first
      ? `These boundary probabilities are not private: ${first.color} is more than ${limit} times as probable at ${named(first.from)} as at its neighbor ${named(first.to)}. Such pairs are drawn thick.`
      : `${counted(graph.datasets.length, "dataset")}, ${counted(graph.pairs.length, "pair")} of neighbors, ${counted(new Set(solved.regions).size, "region")}. No answer is more than ${limit} times as probable at a dataset as at its neighbor.`;
    fill();
    paint();
  }

  function fill() {
    table.replaceChildren(...(!all.open ? [] : [tableOf(["dataset", "rainbow", "distance", ...solved.colors], graph.datasets.map(({ name }, number) =>
      [name, solved.regions[number], String(solved.distance[number] ?? "no boundary"), ...solved.rows[number].map(ofHundred)]))]));
  }

  function paint() {
    const width = widthNow();
    const axes = [0, 1].map((axis) => graph.places.map((place) => place[axis]));
    const [low, high] = [axes.map((axis) => Math.min(...axis)), axes.map((axis) => Math.max(...axis))];
    const margin = 38;
    const scale = Math.min((width - 2 * margin) / (high[0] - low[0] || 1), 420 / (high[1] - low[1] || 1), 110);
    const height = Math.max((high[1] - low[1]) * scale + 2 * margin, 120);
    spots = graph.places.map(([x, y]) => [(x - (low[0] + high[0]) / 2) * scale + width / 2, (y - (low[1] + high[1]) / 2) * scale + height / 2]);
    const radius = Math.max(5, Math.min(19, scale * 0.36, 160 / Math.sqrt(graph.datasets.length)));
    const image = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    const broken = new Set(solved.failures.flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]));
    for (const [one, other] of graph.pairs)
      image.append(draw("line", { class: broken.has(`${one} ${other}`) ? "pair broken" : "pair", x1: spots[one][0], y1: spots[one][1], x2: spots[other][0], y2: spots[other][1] }));
    graph.datasets.forEach(({ name, rainbow }, number) => {
      const [x, y] = spots[number];
      const node = draw("g", { class: "node", onclick: () => { picture.focus(); choose(number); } }, draw("title", {}, `${name}: ${solved.regions[number]}`));
      const side = radius * 1.6;
      const chances = (/** @type {string[]} */ tied) => tied.map((color) => solved.rows[number][solved.colors.indexOf(color)]);
      let down = y - side / 2;
      for (const tied of rainbow) {
        const own = chances(tied);
        const mass = own.reduce((sum, chance) => sum + chance, 0);
        let across = x - side / 2;
        tied.forEach((color, part) => {
          const share = mass > 0 ? own[part] / mass : 0;
          node.append(draw("rect", { class: `slot${slot(color)}`, x: across, y: down, width: share * side, height: mass * side }));
          across += share * side;
        });
        down += mass * side;
      }
      const edge = solved.distance[number] === 0;
      if (edge || radius > 9) node.append(draw("rect", { class: edge ? "frame edge" : "frame", x: x - side / 2, y: y - side / 2, width: side, height: side }));
      if (number === at) node.append(draw("rect", { class: "chosen", x: x - side / 2 - 4, y: y - side / 2 - 4, width: side + 8, height: side + 8, rx: 4 }));
      if (radius > 9)
        node.append(draw("text", { x, y: y - side / 2 - 6, "text-anchor": "middle", class: "title" }, name),
          draw("text", { x, y: y + side / 2 + 14, "text-anchor": "middle" }, String(solved.distance[number] ?? "∞")));
      image.append(node);
    });
    picture.replaceChildren(image);
    const rows = [at, ...solved.neighbors[at]].map((number) => [
      number === at ? `${named(at)} (chosen)` : `neighbor ${named(number)}`, solved.regions[number],
      ...solved.rows[number].map((chance, color) => {
        const own = solved.rows[at][color];
        return number === at ? ofHundred(chance) : `${ofHundred(chance)} (${own > 0 ? `× ${short(chance / own)}` : "–"})`;
      }),
    ]);
    chosen.replaceChildren(tableOf(["dataset", "rainbow", ...solved.colors], rows));
  }

  /** @param {number} number */
  function choose(number) {
    at = number;
    state.dataset = named(at);
    writeAddress();
    paint();
    const steps = solved.distance[at];
    const place = steps === null ? "no boundary of its region can be reached" : steps === 0 ? "at the boundary" : `${counted(steps, "step")} from the boundary`;
    spoken.textContent = `${named(at)}, ${solved.regions[at]}, ${place}: ${solved.colors.map((color, index) => `${color} ${ofHundred(solved.rows[at][index])} of 100`).join(", ")}.`;
  }

  /** @param {KeyboardEvent} event */
  function walk(event) {
    const directions = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
    const size = graph.datasets.length;
    if (event.key === "PageDown" || event.key === "PageUp") choose((at + (event.key === "PageDown" ? 1 : size - 1)) % size);
    else if (event.key in directions) {
      const [x, y] = directions[event.key];
      const ahead = (/** @type {number} */ other) => {
        const [across, down] = [spots[other][0] - spots[at][0], spots[other][1] - spots[at][1]];
        return (across * x + down * y) / (Math.hypot(across, down) || 1);
      };
      const next = solved.neighbors[at].reduce((best, other) => (best < 0 || ahead(other) > ahead(best) ? other : best), -1);
      if (next >= 0 && ahead(next) > 0.2) choose(next);
      else spoken.textContent = `${named(at)} has no neighbor there.`;
    } else return;
    event.preventDefault();
  }

  /** @param {FileList | null | undefined} list */
  function take(list) {
    Promise.all([...(list ?? [])].map((file) => file.text())).then((texts) => {
      if (!texts.length) return;
      own = placedGraph(parseGraph(texts));
      problem.textContent = "";
      state.graph = "own";
      update();
    }).catch((error) => { problem.textContent = error instanceof SyntaxError || error instanceof TypeError ? "This is not a graph in node-link JSON." : error.message; });
  }

  function update() {
    redraw();
    rebuild();
    writeAddress();
  }

  function rebuild() {
    const focused = document.activeElement?.id;
    const set = (/** @type {string} */ name) => (/** @type {string} */ value) => { state[name] = value; update(); };
    /** @type {[string, string][]} */
    const known = Object.entries(GRAPHS).map(([name, [title]]) => [name, title]);
    if (own) known.push(["own", "Your own graph"]);
    const files = make("input", { type: "file", id: "files", multiple: true, accept: ".csv,.tsv,.json,.txt", onchange: () => take(files.files) });
    controls.replaceChildren(
      make("fieldset", {}, make("legend", {}, "Graph"), choice("graph", "Datasets and neighbors", known, state.graph, set("graph")),
        make("div", { class: "control" }, make("label", { for: "files" }, "Your own, as JSON or as two CSV files"), files),
        problem, make("p", { class: "note" }, "Files can also be dropped on this page. They are read here and never leave it; a link does not hold them.")),
      make("fieldset", {}, make("legend", {}, "Privacy"), privacyControl("epsilon", () => { redraw(); writeAddress(); })),
      make("fieldset", {}, make("legend", {}, "At the boundary"),
        choice("rule", "Probabilities", Object.entries(RULES), state.rule, set("rule")),
        ...(state.rule === "ranks" ? [make("div", { class: "control" }, make("label", { for: "ranks" }, "Best first"), field({
          id: "ranks", label: "Probabilities by rank, best first, with commas", value: state.ranks,
          read: (typed) => typed.split(",").every((text) => parseFraction(text)?.top), change: (typed) => { state.ranks = typed; redraw(); writeAddress(); },
        }))] : [])));
    if (focused) document.getElementById(focused)?.focus();
  }

  const view = document.getElementById("view");
  if (view) {
    view.ondragover = (event) => event.preventDefault();
    view.ondrop = (event) => { event.preventDefault(); if (state.view === "graph") take(event.dataTransfer?.files); };
  }
  const widthNow = onWidth(picture, paint);
  update();
  return [
    make("div", { class: "intro" }, make("h2", {}, "The graph"),
      make("p", {}, "Each square is a dataset; its bands are the answers, the best one on top, each as high as it is probable; tied ones stand side by side. Lines join neighbors, which differ in one person. Datasets with a thick frame are at the boundary: a neighbor ranks the answers differently. The probabilities there decide those everywhere. The number below a square is its distance to the boundary.")),
    controls,
    make("section", { "aria-label": "Result" }, status, picture, spoken,
      make("h3", {}, "The chosen dataset and its neighbors"), chosen,
      make("p", { class: "note" }, "Chances of 100, and how many times as great they are at the neighbor."),
      all),
  ];
}
