// SPDX-License-Identifier: Apache-2.0
// Graphs that are ready to look at, and places for the datasets of others.

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

/**
 * A family: datasets are rows of numbers.
 * @param {number[][]} rows @param {(one: number[], other: number[]) => boolean} near tells neighbors @param {(row: number[]) => number[]} scores of the colors @param {(row: number[]) => [number, number]} place
 * @returns {Placed}
 */
function familyGraph(rows, near, scores, place) {
  return {
    datasets: rows.map((row) => {
      const found = scores(row);
      const best = found.indexOf(Math.max(...found)); // of equal scores the first one
      return { name: row.join(" "), rainbow: [[COLORS[best]], COLORS.filter((_, color) => color !== best && color < found.length)] };
    }),
    pairs: rows.flatMap((one, at) => rows.slice(0, at).flatMap((other, before) => (near(one, other) ? [/** @type {[number, number]} */ ([before, at])] : []))),
    places: rows.map(place),
  };
}

/** @param {number[]} row */
const total = (row) => row.reduce((sum, number) => sum + number, 0);
/** @param {number[]} one @param {number[]} other */
const apart = (one, other) => total(one.map((number, at) => Math.abs(number - other[at])));

/** Return all rows of numbers from 0 to below a limit. @param {number} length @param {number} limit @returns {number[][]} */
const allRows = (length, limit) => (length ? allRows(length - 1, limit).flatMap((row) => Array.from({ length: limit }, (_, last) => [...row, last])) : [[]]);

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

/** Place a boundary graph: nodes at distance 0 in a ring, and each region is an arm that leads outward. @param {ReturnType<typeof boundaryGraph>} graph @returns {Placed} */
function ringGraph({ datasets, pairs }) {
  const regions = [...new Set(datasets.map(({ rainbow }) => rainbowText(rainbow)))];
  return { datasets, pairs, places: datasets.map(({ rainbow, distance }) => {
    const angle = (2 * Math.PI * regions.indexOf(rainbowText(rainbow))) / regions.length - Math.PI / 2;
    const away = Math.max(regions.length / 5, 0.8) + (distance ?? -0.7);
    return [away * Math.cos(angle), away * Math.sin(angle)];
  }) };
}

/** @type {Record<string, [string, () => Placed]>} what is drawn, and the name of the family in the package */
const GRAPHS = {
  figure1: ["Figure 1 of the paper", figureGraph],
  histograms: ["Votes of 6 people for 3 options (histograms)", () =>
    familyGraph(allRows(3, 7).filter((row) => total(row) === 6), (one, other) => apart(one, other) === 2, (row) => row, ([first, second, third]) => [third - second, -2.1 * first])],
  hamming: ["Who of 4 people chose which of 3 options (hamming)", () =>
    familyGraph(allRows(4, 3), (one, other) => one.filter((option, at) => option !== other[at]).length === 1, (row) => [0, 1, 2].map((option) => row.filter((other) => other === option).length), ([first, second, third, fourth]) => [3.4 * first + second, 3.4 * third + fourth])],
  hypercube: ["Yes or no of 5 people, which is more (hypercube)", () =>
    familyGraph(allRows(5, 2), (one, other) => apart(one, other) === 1, (row) => [total(row), 5 - total(row)], cubePlace)],
  grid: ["Two counts of up to 8, which is greater (grid)", () =>
    familyGraph(allRows(2, 9), (one, other) => apart(one, other) === 1, (row) => row, ([first, second]) => [first, -second])],
  path: ["A count of 12 people, at least 6 or not (path)", () =>
    familyGraph(allRows(1, 13), (one, other) => apart(one, other) === 1, ([count]) => [count >= 6 ? 1 : 0, 0.5], ([count]) => [count, Math.sin(count * 1.3) / 2])],
  cycle: ["An hour of the clock, in which third (cycle)", () =>
    familyGraph(allRows(1, 12), (one, other) => [1, 11].includes(apart(one, other)), ([hour]) => [0, 1, 2].map((third) => (Math.floor(hour / 4) === third ? 1 : 0)), ([hour]) => [2 * Math.sin((hour * Math.PI) / 6), -2 * Math.cos((hour * Math.PI) / 6)])],
};

/** Return the place of a row of zeros and ones: a line for each number of ones. @param {number[]} row @returns {[number, number]} */
function cubePlace(row) {
  const same = allRows(row.length, 2).filter((other) => total(other) === total(row));
  return [same.findIndex((other) => other.join() === row.join()) - (same.length - 1) / 2, -1.4 * total(row)];
}
