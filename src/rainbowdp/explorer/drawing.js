// SPDX-License-Identifier: Apache-2.0
// A graph as a picture: datasets as their rainbows, through which one walks by mouse or by arrow keys.

/**
 * @typedef {{graph: Placed, classes: number[][][], notes: string[], edge: boolean[], colors: {slot: number, letter: string}[]}} Shown
 *   what does not change with probabilities: of each dataset its classes as numbers of colors, what stands below it, and whether it is at the boundary
 * @typedef {{rows: number[][], broken: Set<number>, at: number}} Look  the probabilities, the numbers of pairs that break privacy, and the chosen dataset
 */

/** Return how far most places are from the one that is nearest to them. @param {[number, number][]} spots */
function nearest(spots) {
  const gaps = spots.map(([x, y], at) => Math.min(...spots.map((other, number) => (number === at ? 100 : Math.hypot(x - other[0], y - other[1])))));
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 10)];
}

/**
 * @param {string} id @param {string} label @param {(number: number) => void} choose
 * @param {() => void} stuck is told that there is no neighbor in a direction
 */
function drawing(id, label, choose, stuck) {
  const node = make("div", {
    class: "picture graph", id, tabindex: "0", role: "application", "aria-label": `${label} Arrow keys walk to a neighbor, Page Up and Page Down through all.`, onkeydown: walk,
  });
  const [lines, broken, chosen] = [draw("path", { class: "pair" }), draw("path", { class: "pair broken" }), draw("rect", { class: "chosen", rx: 4 })];
  const [bands, datasets] = [draw("g"), draw("g")]; // one path for each color: few elements change when a slider moves
  const image = draw("svg", { "aria-hidden": "true" }, lines, broken, bands, datasets, chosen);
  node.append(image);
  /** @type {Shown} */
  let shown = { graph: { datasets: [], pairs: [], places: [] }, classes: [], notes: [], edge: [], colors: [] };
  /** @type {Look} */
  let look = { rows: [], broken: new Set(), at: 0 };
  /** @type {[number, number][]} */
  let spots = [];
  let side = 10;
  /** The letter of each color of each dataset, where there is room. @type {Element[][]} */
  let letters = [];

  /** @param {Iterable<number>} numbers of pairs */
  const pathOf = (numbers) => [...numbers].map((number) => `M${shown.graph.pairs[number].map((end) => spots[end].map((x) => x.toFixed(1)).join(" ")).join("L")}`).join("");

  /** Draw what does not change with probabilities. */
  function build() {
    const { graph, notes, edge, colors } = shown;
    const width = widthNow();
    const [across, down] = [0, 1].map((axis) => graph.places.map((place) => place[axis]));
    const [low, high] = [Math.min, Math.max].map((most) => [most(...across), most(...down)]);
    const margin = 38;
    const scale = Math.min((width - 2 * margin) / (high[0] - low[0] || 1), 420 / (high[1] - low[1] || 1), 110);
    const height = Math.max((high[1] - low[1]) * scale + 2 * margin, 120);
    spots = graph.places.map(([x, y]) => [(x - (low[0] + high[0]) / 2) * scale + width / 2, (y - (low[1] + high[1]) / 2) * scale + height / 2]);
    const gap = nearest(spots);
    side = Math.max(8, Math.min(30, gap * 0.55));
    set(image, { width, height, viewBox: `0 0 ${width} ${height}` });
    set(lines, { d: pathOf(graph.pairs.keys()) });
    bands.replaceChildren(...colors.map(({ slot }) => draw("path", { class: `band slot${slot}` })));
    letters = graph.datasets.map(() => (side > 20 ? colors.map(({ letter }) => draw("text", { class: "letter" }, letter)) : []));
    datasets.replaceChildren(...graph.datasets.map(({ name }, number) => {
      const frame = draw("rect", { class: edge[number] ? "frame edge" : "frame", width: side, height: side });
      const texts = [draw("text", { x: side / 2, y: -6, class: "title" }, name), draw("text", { x: side / 2, y: side + 14 }, notes[number])];
      return draw("g", {
        class: "node", "text-anchor": "middle", transform: `translate(${spots[number].map((x) => (x - side / 2).toFixed(1)).join(" ")})`,
        onclick: () => { node.focus(); choose(number); },
      }, draw("title", {}, name), frame, ...(gap > 50 ? texts : []), ...letters[number]);
    }));
    paint();
  }

  /** Give what was drawn its probabilities. */
  function paint() {
    set(broken, { d: pathOf(look.broken) });
    /** @type {string[]} */
    const paths = shown.colors.map(() => "");
    shown.classes.forEach((classes, number) => {
      const row = look.rows[number];
      let y = 0;
      for (const tied of classes) {
        const height = side * tied.reduce((sum, color) => sum + row[color], 0);
        let x = 0;
        for (const color of tied) {
          const width = height > 0 ? (side * side * row[color]) / height : 0;
          paths[color] += `M${(spots[number][0] - side / 2 + x).toFixed(2)} ${(spots[number][1] - side / 2 + y).toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}h${(-width).toFixed(2)}z`;
          for (const letter of letters[number].slice(color, color + 1)) set(letter, { x: x + width / 2, y: y + height / 2 + 3.5, visibility: height > 9 && width > 8 ? "visible" : "hidden" });
          x += width;
        }
        y += height;
      }
    });
    paths.forEach((d, color) => set(bands.children[color], { d }));
    const [x, y] = spots[look.at];
    set(chosen, { x: x - side / 2 - 4, y: y - side / 2 - 4, width: side + 8, height: side + 8 });
  }

  /** @param {KeyboardEvent} event */
  function walk(event) {
    const directions = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
    const { datasets: all, pairs: joined } = shown.graph;
    if (event.key === "PageDown" || event.key === "PageUp") choose((look.at + (event.key === "PageDown" ? 1 : all.length - 1)) % all.length);
    else if (event.key in directions) {
      const [x, y] = directions[event.key];
      const ahead = (/** @type {number} */ other) => {
        const [across, down] = [spots[other][0] - spots[look.at][0], spots[other][1] - spots[look.at][1]];
        return (across * x + down * y) / (Math.hypot(across, down) || 1);
      };
      const neighbors = joined.flatMap(([one, other]) => (one === look.at ? [other] : other === look.at ? [one] : []));
      const next = neighbors.reduce((best, other) => (best < 0 || ahead(other) > ahead(best) ? other : best), -1);
      if (next >= 0 && ahead(next) > 0.2) choose(next);
      else stuck();
    } else return;
    event.preventDefault();
  }

  /** @param {Shown} other @param {Look} now */
  function show(other, now) {
    [shown, look] = [other, now];
    build();
  }

  /** @param {Look} now */
  function update(now) {
    look = now;
    paint();
  }
  const widthNow = onWidth(node, build);
  return { node, show, update };
}
