// SPDX-License-Identifier: Apache-2.0
// What a report states, computed again. As the mathematics, this knows nothing of the page.

/**
 * @typedef {{distance: number | null, datasets: number | null, row: number[]}} StatedClass  numbers by color, best first
 * @typedef {{rainbow: string, boundary: string[] | null, classes: StatedClass[]}} Region
 * @typedef {{privacy: PrivacyText, regions: Region[], touching: [number, number][], left: number}} Lines
 * @typedef {{ways: [string, string][], leads: number[], wrong: (number | null)[][]}} Chances
 * @typedef {{title: string, said: string[], lead: string, chances: Chances, compared: Chances | null, needed: string[][], remarks: string[], asked: Asked | null}} PlanPart
 * @typedef {{privacy: PrivacyText, guess: number}} Risk
 * @typedef {{title: string, asked: [string, string][], said: string[], facts: [string, string][], faults: string[], risks: Risk[], lines: Lines | null, plans: PlanPart[],
 *   graph: string | null, distances: (number | null)[], notes: string[], source: string, state: State}} Stated
 * @typedef {{text: string, holds: boolean}} Finding
 */

const JUDGED = 1e-50; // of smaller probabilities too few digits are known to judge a ratio

/** Tell whether a number is the one that is stated: to nine digits, or below 1e-12 to what the package and this page keep. @param {number} found @param {number} stated */
const agrees = (found, stated) => Math.abs(found - stated) <= (stated >= 1e-12 ? 1e-9 * stated : 1e-20);

/** Say whether figures are as they are stated; nothing where there are none. @param {string} what @param {boolean[]} each @returns {Finding[]} */
function tally(what, each) {
  const wrong = each.filter((same) => !same).length;
  if (!each.length) return [];
  const how = each.length > 1 ? ` (${each.length} figures)` : "";
  return [{ holds: !wrong, text: wrong ? `${what}: ${wrong} of ${each.length} are not as stated.` : `${what}: as stated${how}.` }];
}

/** Return how often a guess between two neighbors is right at most. @param {Privacy} privacy */
function bestGuess(privacy) {
  return "mu" in privacy ? 1 - upperTail(privacy.mu / 2) : 1 - toNumber(ONE - privacy.delta) / (1 + toNumber(privacy.odds));
}

/** Return the most that a neighbor may give to what has a probability here. @param {Privacy} privacy @param {number} chance */
function mostBeside(privacy, chance) {
  if ("mu" in privacy) return upperTail(-(quantile(chance, 1 - chance) + privacy.mu));
  return toNumber(privacy.odds) * chance + toNumber(privacy.delta);
}

/** Tell whether neighbors keep a promise, as far as it can be judged. The events that tell most hold the answers of the greatest ratios. @param {number[]} one @param {number[]} other @param {Privacy} privacy */
function keeps(one, other, privacy) {
  let [mass, beside] = [0, 0];
  return one.flatMap((mass, at) => (mass < JUDGED ? [] : [at])).sort((a, b) => one[b] * other[a] - one[a] * other[b]).every((at) => {
    mass += one[at];
    beside += other[at];
    return mass <= mostBeside(privacy, Math.min(beside, 1)) * (1 + 1e-9);
  });
}

/** Compute every stated line again, and judge the neighbors on it. @param {Lines} stated @returns {Finding[]} */
function checkedLines(stated) {
  const privacy = parsePrivacy(stated.privacy);
  if (!privacy) return [];
  /** @type {boolean[]} */
  const same = [];
  /** @type {boolean[]} */
  const kept = [];
  let tiny = false;
  const judge = (/** @type {number[]} */ one, /** @type {number[]} */ other) => {
    tiny ||= [...one, ...other].some((mass) => mass > 0 && mass < JUDGED);
    kept.push(keeps(one, other, privacy), keeps(other, one, privacy));
  };
  const borders = stated.regions.map(({ rainbow, boundary, classes }) => {
    const tied = /** @type {string[][]} */ (parseRainbow(rainbow));
    const line = lineOf(boundary ?? tied.flat().map(() => "1"), tied.flatMap((names) => names.map((_, at) => at > 0)), stated.privacy);
    if (!line) return null;
    for (const { distance, row } of classes) {
      const sure = line.classes[0].map((at) => line.shares[at]);
      const total = sure.reduce((sum, share) => sum + share, 0);
      const found = distance === null ? row.map((_, at) => (at < sure.length ? (total ? sure[at] / total : 1 / sure.length) : 0)) : line.at(distance);
      same.push(...row.map((chance, at) => agrees(found[at], chance)));
      if (distance !== null) judge(found, line.at(distance + 1));
    }
    return boundary && new Map(tied.flat().map((name, at) => [name, line.shares[at]]));
  });
  for (const [one, other] of stated.touching) {
    const [here, there] = [borders[one], borders[other]];
    if (here && there) judge([...here.values()], [...here.keys()].map((name) => there.get(name) ?? 0));
  }
  const pairs = kept.length / 2;
  const except = tiny ? ` Probabilities below ${JUDGED} are not judged.` : "";
  const broken = kept.filter((holds) => !holds).length;
  return [...tally("Probabilities by distance", same),
    { holds: !broken, text: broken ? `${broken} times a neighbor breaks the promise.${except}` : `The promise holds at all ${pairs} pairs of neighboring distances, and of regions that touch, in both directions.${except}` }];
}

/** Compute the chances of a plan again where the page knows how. @param {PlanPart} part @returns {Finding[]} */
function checkedPlan({ title, chances, asked }) {
  if (!asked || !parsePrivacy({ epsilon: asked.epsilon })) return [];
  const ways = waysOf(asked);
  const same = chances.ways.flatMap(([name, which], column) => {
    const fits = (/** @type {string} */ own) => ways.find((way) => way.way === own && (way.case === "" || way.case.startsWith(which)));
    // Where both goals are one mechanism, the page knows it by the first name.
    const way = fits(name) ?? (name === "guarantee" ? fits("typical") : undefined);
    return way ? chances.leads.flatMap((lead, row) => (chances.wrong[row][column] === null ? [] : [agrees(way.wrong(lead), Number(chances.wrong[row][column]))])) : [];
  });
  return tally(`${title}: chances by lead`, same);
}

/** Compute again what a report states. @param {Stated} stated @returns {Finding[]} */
function checkedReport(stated) {
  const risks = stated.risks.flatMap(({ privacy, guess }) => {
    const read = parsePrivacy(privacy);
    return read ? [agrees(bestGuess(read), guess)] : [];
  });
  const distances = stated.graph ? structureOf(parseGraph([stated.graph])).distance : [];
  return [...tally("How often a guess is right at most", risks),
    ...tally("Distances of datasets to the boundary", stated.distances.map((distance, at) => distances[at] === distance)),
    ...(stated.lines ? checkedLines(stated.lines) : []), ...stated.plans.flatMap(checkedPlan)];
}
