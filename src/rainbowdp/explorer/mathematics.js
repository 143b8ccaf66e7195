// SPDX-License-Identifier: Apache-2.0
// The mathematics of the page. It knows nothing of the page, so the tests run it in Node and compare it with
// the package.
//
// Under pure and approximate privacy masses are whole multiples of 2^-512, so the difference of two prefix
// masses keeps its digits. Under Gaussian privacy the mass of a class is an integral of the normal density.

/**
 * @typedef {{top: bigint, bottom: bigint}} Fraction
 * @typedef {{odds: bigint, epsilon: number, delta: bigint, rise: (steps: number) => bigint, fall: (steps: number) => bigint}} Odds
 *   pure or approximate privacy, with the powers of e^epsilon and of its inverse
 * @typedef {{mu: number}} Gaussian
 * @typedef {Odds | Gaussian} Privacy
 * @typedef {{epsilon?: string, delta?: string, mu?: string}} PrivacyText
 */

const BITS = 512n;
const ONE = 1n << BITS;
const CLOSE = 1n << 200n; // masses that differ by less are equal numbers, rounded differently
const ENDLESS = Infinity;
const SMALLEST = 1e-9; // of an epsilon above 0: numbers of steps stay whole numbers

/** @param {bigint} a @param {bigint} b */
const times = (a, b) => (a * b) >> BITS;
/** @param {bigint} a @param {bigint} b */
const least = (a, b) => (a < b ? a : b);
/** @param {bigint} x a multiple of 2^-512 */
const toNumber = (x) => Number(x) / Number(ONE);

/** Read a decimal or a fraction such as 0.1, 1e-6 or 3/55; null where it is none. @param {string} text @returns {Fraction | null} */
function parseFraction(text) {
  const parts = text.split("/").map((part) => /^\s*(\d{0,40})(?:\.(\d{0,60}))?(?:e([+-]?\d{1,2}))?\s*$/i.exec(part));
  if (parts.length > 2 || parts.some((found) => !found || !(found[1] || found[2]))) return null;
  const [top, bottom] = parts.map((found) => {
    const [, whole, rest = "", exponent = "0"] = /** @type {RegExpExecArray} */ (found);
    const scale = Number(exponent) - rest.length;
    const digits = BigInt(whole + rest);
    return scale < 0 ? { top: digits, bottom: 10n ** BigInt(-scale) } : { top: digits * 10n ** BigInt(scale), bottom: 1n };
  });
  if (!bottom) return top;
  return bottom.top === 0n ? null : { top: top.top * bottom.bottom, bottom: top.bottom * bottom.top };
}

/** @param {Fraction} x */
const fixed = (x) => (x.top << BITS) / x.bottom;

/** Return e^x for x >= 0: the series of a small part of x, squared again and again. @param {bigint} x */
function exponential(x) {
  const halvings = 16 + Math.max(0, x.toString(2).length - Number(BITS));
  const small = x >> BigInt(halvings);
  let [sum, term] = [ONE, ONE];
  for (let n = 1n; term > 0n; n++) sum += term = times(term, small) / n;
  for (let n = 0; n < halvings; n++) sum = times(sum, sum);
  return sum;
}

/** @param {bigint} base @param {number} exponent */
function power(base, exponent) {
  let result = ONE;
  for (let left = exponent; left > 0; left = Math.floor(left / 2), base = times(base, base))
    if (left % 2) result = times(result, base);
  return result;
}

/** Return the first whole number that something holds for, and then for all greater ones; null beyond `most`. @param {(x: number) => boolean} holds @param {number} most */
function firstWhole(holds, most) {
  let [below, above] = [-1, 0];
  for (; !holds(above); above = 2 * above || 1) {
    below = above;
    if (above >= most) return null;
  }
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return above;
}

/** Return a function to the powers of a number; what was asked for once is kept. @param {bigint} base @returns {(exponent: number) => bigint} */
function powersOf(base) {
  /** @type {Map<number, bigint>} */
  const known = new Map();
  return (exponent) => {
    const before = known.get(exponent - 1);
    const found = known.get(exponent) ?? (before === undefined ? power(base, exponent) : times(before, base));
    known.set(exponent, found);
    return found;
  };
}

/** Read epsilon, delta and mu as the command line does; null where they cannot be read. @param {PrivacyText} text @returns {Privacy | null} */
function parsePrivacy({ epsilon = "", delta = "0", mu }) {
  if (mu !== undefined) {
    const read = parseFraction(mu);
    return read && { mu: toNumber(fixed(read)) };
  }
  const logarithm = /^\s*ln\s*\(?([^()]+)\)?\s*$/i.exec(epsilon);
  const [number, added] = [parseFraction(logarithm ? logarithm[1] : epsilon), parseFraction(delta)];
  if (!number || !added || fixed(added) > ONE || (logarithm && fixed(number) < ONE)) return null;
  const value = fixed(number);
  if (value > (logarithm ? 10n ** 43n : 100n) * ONE) return null;
  const odds = logarithm ? value : exponential(value);
  const size = logarithm ? Math.log1p(toNumber(value - ONE)) : toNumber(value);
  if (size > 0 && size < SMALLEST) return null;
  return {
    odds, epsilon: size, delta: fixed(added),
    rise: powersOf(odds), fall: powersOf((ONE << BITS) / odds),
  };
}

/** Return the largest distance to which a mass grows, and the mass there. @param {Odds} privacy @param {bigint} mass @returns {[number, bigint]} */
function growth({ odds, epsilon, delta, rise }, mass) {
  const turn = ((ONE - delta) << BITS) / (ONE + odds) + CLOSE;
  if (mass > turn) return [0, mass];
  if (odds === ONE) return delta === 0n ? [ENDLESS, mass] : [Number((turn - mass) / delta) + 1, mass];
  const shift = (delta << BITS) / (odds - ONE);
  if (mass + shift === 0n) return [ENDLESS, mass];
  /** @param {number} steps */
  const grown = (steps) => times(mass + shift, rise(steps)) - shift;
  let steps = Math.max(1, Math.floor(Math.log(toNumber(turn + shift) / toNumber(mass + shift)) / epsilon) + 1);
  while (grown(steps) <= turn) steps++;
  while (steps > 1 && grown(steps - 1) > turn) steps--;
  return [steps, grown(steps)];
}

/** Return a function from a distance to the mass there. @param {Odds} privacy @param {bigint} mass */
function propagation(privacy, mass) {
  const { odds, delta, rise, fall } = privacy;
  if (odds === ONE) return (/** @type {number} */ steps) => least(ONE, mass + BigInt(steps) * delta);
  const shift = (delta << BITS) / (odds - ONE);
  const [turn, turned] = growth(privacy, mass);
  return (/** @type {number} */ steps) => {
    if (steps <= turn) return times(mass + shift, rise(turn === ENDLESS ? 0 : steps)) - shift;
    return least(ONE, ONE - times(ONE - turned + shift, fall(steps - turn)) + shift);
  };
}

/** Return the chance that a normal number is above z, relatively accurate. @param {number} z @returns {number} */
function upperTail(z) {
  if (z < 0) return 1 - upperTail(-z);
  if (z < 2.5) {
    let [term, sum] = [z, z];
    for (let k = 3; k < 90; k += 2) sum += term *= (z * z) / k;
    return 0.5 - density(z) * sum;
  }
  let fraction = z;
  for (let k = 120; k > 0; k--) fraction = z + k / fraction;
  return density(z) / fraction;
}

/** @param {number} z */
const density = (z) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** Return the z with the chance `below` below it and `above` above it. @param {number} below @param {number} above */
function quantile(below, above) {
  const smaller = Math.min(below, above);
  const z = smaller > 0 ? bisected(0, 40, (middle) => upperTail(middle) > smaller) : Infinity;
  return below < above ? -z : z;
}

/** Return the place between two numbers up to which `isBelow` holds. @param {number} low @param {number} high @param {(x: number) => boolean} isBelow */
function bisected(low, high, isBelow) {
  for (let n = 0; n < 70; n++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const NODES = [-0.906179845938664, -0.5384693101056831, 0, 0.5384693101056831, 0.906179845938664];
const WEIGHTS = [0.23692688505618908, 0.47862867049936647, 0.5688888888888889, 0.47862867049936647, 0.23692688505618908];

/** Return the chance that a normal number is between a and a + gap. @param {number} a @param {number} gap */
function strip(a, gap) {
  if (gap > 1) {
    if (a >= 0) return upperTail(a) - upperTail(a + gap);
    return a + gap <= 0 ? upperTail(-a - gap) - upperTail(-a) : 1 - upperTail(-a) - upperTail(a + gap);
  }
  // Tails of a short interval are nearly equal, so the density is integrated (Gauss and Legendre).
  const half = gap / 16;
  let sum = 0;
  for (let panel = 0; panel < 8; panel++)
    for (let at = 0; at < NODES.length; at++) sum += WEIGHTS[at] * density(a + half * (2 * panel + 1 + NODES[at]));
  return sum * half;
}

/** Return a function from a distance to the mass of each class. @param {Gaussian} privacy @param {bigint[]} masses of the classes */
function gaussianClasses({ mu }, masses) {
  let below = 0n;
  const found = masses.map((mass) => {
    const [lower, rest] = [below, ONE - below - mass];
    below += mass;
    if (mass === 0n) return () => 0;
    if (lower === 0n && rest < CLOSE) return () => 1;
    if (lower === 0n) return shifted(toNumber(mass), toNumber(rest), mu, -1);
    if (rest < CLOSE) return shifted(toNumber(lower), toNumber(mass), mu, 1);
    const start = quantile(toNumber(lower), toNumber(ONE - lower));
    const gap = Math.exp(bisected(-100, 5, (log) => strip(start, Math.exp(log)) < toNumber(mass)));
    return (/** @type {number} */ distance) => strip(start + distance * mu, gap);
  });
  return (/** @type {number} */ distance) => found.map((mass) => mass(distance));
}

/** @param {number} below @param {number} above @param {number} mu @param {number} side */
function shifted(below, above, mu, side) {
  const start = quantile(below, above);
  return (/** @type {number} */ distance) => upperTail(side * (start + distance * mu));
}

/** Return a function from a distance to the mass of each class. @param {Odds} privacy @param {bigint[]} masses of the classes */
function oddsClasses(privacy, masses) {
  let below = 0n;
  const prefixes = masses.map((mass, at) => {
    below = at === masses.length - 1 ? ONE : below + mass;
    return propagation(privacy, below);
  });
  return (/** @type {number} */ distance) => {
    let before = 0n;
    return masses.map((mass, at) => {
      if (mass === 0n && at > 0) return 0;
      const prefix = prefixes[at](distance);
      const own = toNumber(prefix - before);
      before = prefix;
      return own;
    });
  };
}

/**
 * The line: the optimal probabilities by distance.
 * @param {string[]} weights boundary probabilities, best color first; they are divided by their sum
 * @param {boolean[]} tied whether each color is tied with the one before
 * @param {PrivacyText} privacyText
 * @returns {{at: (distance: number) => number[], thresholds: (number | null)[], classes: number[][], shares: number[]} | null}
 */
function lineOf(weights, tied, privacyText) {
  const [read, privacy] = [weights.map(parseFraction), parsePrivacy(privacyText)];
  if (!privacy || read.some((weight) => !weight)) return null;
  const common = read.reduce((product, weight) => product * /** @type {Fraction} */ (weight).bottom, 1n);
  const tops = read.map((weight) => (/** @type {Fraction} */ (weight).top * common) / /** @type {Fraction} */ (weight).bottom);
  const total = tops.reduce((sum, top) => sum + top, 0n);
  if (total === 0n) return null;
  /** @type {number[][]} */
  const classes = [];
  tops.forEach((_, at) => (at && tied[at] ? classes[classes.length - 1].push(at) : classes.push([at])));
  const masses = tops.map((top) => (top << BITS) / total);
  return lineFrom(masses, classes, privacy);
}

/**
 * @param {bigint[]} boundary the mass of each color
 * @param {number[][]} classes the colors, best class first
 * @param {Privacy} privacy
 */
function lineFrom(boundary, classes, privacy) {
  const masses = classes.map((members) => members.reduce((sum, at) => sum + boundary[at], 0n));
  /** @type {[number, number][]} */
  const parts = boundary.map(() => [0, 0]);
  classes.forEach((members, number) => {
    for (const at of members) parts[at] = [number, masses[number] ? toNumber((boundary[at] << BITS) / masses[number]) : 1 / members.length];
  });
  const moving = "mu" in privacy ? gaussianClasses(privacy, masses) : oddsClasses(privacy, masses);
  let below = 0n;
  const thresholds = "mu" in privacy ? [] : masses.slice(0, -1).map((mass) => {
    const [turn] = growth(privacy, (below += mass));
    return turn === ENDLESS ? null : turn;
  });
  return {
    at: (/** @type {number} */ distance) => {
      const found = moving(distance);
      return parts.map(([number, share]) => found[number] * share);
    },
    thresholds, classes,
    shares: boundary.map(toNumber),
  };
}

// Plans: how often a published answer is wrong, by the lead in people.

/**
 * @typedef {{question: string, options: number, changed: boolean, rows: number, width: number, epsilon: string}} Asked
 *   width: the rows in the narrowest inner level, at least twice the rows of one person
 * @typedef {(lead: number) => number} Wrong
 * @typedef {{way: "typical" | "guarantee" | "noisy counts" | "ignoring the data", case: string, wrong: Wrong}} Way
 */

/** Return how often permute-and-flip misses the best option, if each rival is accepted with this weight. @param {number} weight @param {number} rivals */
function flipWrong(weight, rivals) {
  let [total, choose] = [0, rivals + 1];
  const terms = [];
  for (let degree = 1; degree <= rivals; degree++) {
    choose *= (rivals + 1 - degree) / (degree + 1);
    terms.push(((degree % 2 ? 1 : -1) * choose) / (rivals + 1));
  }
  for (const term of terms.reverse()) total = (total + term) * weight;
  return total;
}

/** Return how often independent geometric noise misses the best count. @param {number} rate of the noise @param {number} steps behind @param {number} rivals */
function noisyCountsWrong(rate, steps, rivals) {
  if (rate === 0 || steps === 0) return rivals / (rivals + 1);
  const [ratio, candidates] = [Math.exp(-rate), rivals + 1];
  if (rivals === 1) return ((1 + steps * Math.tanh(rate / 2)) / 2) * Math.exp(-rate * steps);
  // As `rainbowdp.baselines.noisy_counts_wrong`: geometric series, one for each degree.
  const share = ratio / (1 + ratio);
  let [total, choose] = [share - share ** candidates / candidates, candidates];
  for (let degree = 2; degree <= candidates; degree++) {
    choose *= (candidates - degree + 1) / degree;
    const [last, above] = [Math.exp(-rate * (degree - 2) * steps), rate * (degree - 2)];
    const series = degree > 2 ? Math.expm1(-above * steps) / Math.expm1(-above) : steps;
    const term = (last - Math.expm1(-rate * degree) * series) / (1 + ratio) ** degree;
    total += ((degree % 2 ? -1 : 1) * choose * term) / candidates;
  }
  return Math.exp(-rate * steps) * total;
}

/** Return the chance that a noisy count leaves a level with these ends. @param {number} rate @param {number[]} ends */
const noisyLevelWrong = (rate, ends) => ends.reduce((sum, end) => sum + Math.exp(-rate * end) / (Math.exp(rate) + 1), 0);

/** Return what a mass lacks to 1, by steps. @param {Odds} privacy @param {bigint} mass @returns {Wrong} */
function lineWrong(privacy, mass) {
  const moved = propagation(privacy, mass);
  return (steps) => toNumber(ONE - moved(steps));
}

/** Return the mass 1/(1 + n/E). @param {bigint} odds @param {number} n */
const response = (odds, n) => (odds << BITS) / (odds + BigInt(n) * ONE);

/** Return every way to answer a question, in each case of a lead. @param {Asked} asked @returns {Way[]} */
function waysOf(asked) {
  const privacy = /** @type {Odds} */ (parsePrivacy({ epsilon: asked.epsilon }));
  const found = asked.question === "winner" ? optionWays(asked, privacy) : levelWays(asked, privacy);
  const count = asked.question === "yes-no" ? 2 : asked.options;
  return [...found, { way: "ignoring the data", case: "", wrong: () => 1 - 1 / count }];
}

/** @param {Asked} asked @param {Odds} privacy @returns {Way[]} */
function optionWays({ options, changed, rows }, privacy) {
  const { epsilon, odds } = privacy;
  const even = lineWrong(privacy, ONE / BigInt(options));
  const between = lineWrong(privacy, response(odds, options - 1));
  /** @type {Wrong} */
  const guarantee = (lead) => (!changed ? even(lead) : (lead % 2 ? between : even)(Math.floor(lead / 2)));
  /** @param {number} rivals @returns {Wrong} */
  const noisy = (rivals) => (lead) => noisyCountsWrong(epsilon / (rows * (changed ? 2 : 1)), rows * lead, rivals);
  if (options === 2)
    return [{ way: "typical", case: "", wrong: guarantee }, { way: "noisy counts", case: "", wrong: noisy(1) }];
  /** @param {number} lead */
  const weight = (lead) => {
    if (!changed) return Math.exp(-epsilon * lead);
    const gap = rows * lead;
    return (Math.exp((-epsilon * Math.floor(gap / 2)) / rows) * (gap % 2 ? 2 : 1)) / (gap % 2 ? 1 + Math.exp(epsilon / rows) : 1);
  };
  const one = epsilon > 0 ? 1 : options - 1; // without epsilon no option is far away
  return [
    { way: "typical", case: "one close", wrong: (lead) => flipWrong(weight(lead), one) },
    { way: "typical", case: "all close", wrong: (lead) => flipWrong(weight(lead), options - 1) },
    { way: "guarantee", case: "", wrong: guarantee },
    { way: "noisy counts", case: "one close", wrong: noisy(one) },
    { way: "noisy counts", case: "all close", wrong: noisy(options - 1) },
  ];
}

/** @param {Asked} asked @param {Odds} privacy @returns {Way[]} */
function levelWays({ question, options, rows, width }, privacy) {
  const { epsilon, odds } = privacy;
  const levels = question === "yes-no" ? 2 : options;
  // Levels that follow each other touch; the middle one has all others around it, each weighed by its distance.
  let around = ONE;
  for (let other = 0, middle = Math.floor((levels - 1) / 2); other < levels; other++)
    if (other !== middle) around += (ONE << BITS) / power(odds, Math.abs(other - middle));
  const atDistance = lineWrong(privacy, (ONE << BITS) / around);
  /** @type {Wrong} */
  const line = (lead) => atDistance(lead - 1);
  /** @param {number} place */
  const inside = (place) => (width > 2 * place ? [place, width - 1 - place] : [place]);
  /** @type {Wrong} */
  const atEnd = (lead) => noisyLevelWrong(epsilon / rows, [(lead - 1) * rows]);
  if (levels === 2) return [{ way: "typical", case: "", wrong: line }, { way: "noisy counts", case: "", wrong: atEnd }];
  /** @type {Wrong} */
  const narrowest = (lead) => noisyLevelWrong(epsilon / rows, inside((lead - 1) * rows));
  const middle = Math.floor((width - 1) / 2);
  const byNoise = [0, middle].reduce((sum, place) => sum + noisyLevelWrong(epsilon / rows, inside(place)), 0);
  const byLine = [0, middle].reduce((sum, place) => sum + atDistance(Math.floor(place / rows)), 0);
  /** @type {Way[]} */
  const noisy = [
    { way: "typical", case: "end levels", wrong: atEnd },
    { way: "typical", case: "narrowest level", wrong: narrowest },
  ];
  if (epsilon > 0 && byNoise <= byLine) return [...noisy, { way: "guarantee", case: "", wrong: line }];
  return [{ way: "typical", case: "", wrong: line }, ...noisy.map((way) => ({ ...way, way: /** @type {const} */ ("noisy counts") }))];
}

/** Return the least epsilon, as text with three digits, for which the hardest case of the goal is right often enough; null where none is. @param {Asked} asked @param {number} lead @param {number} right */
function epsilonFor(asked, lead, right) {
  /** @param {string} epsilon */
  const enough = (epsilon) => waysOf({ ...asked, epsilon }).filter(({ way }) => way === "typical").every(({ wrong }) => wrong(lead) <= 1 - right);
  /** @param {number} step from 0 for 0.0001 to 1200 for 100 */
  const text = (step) => String(Number((10 ** (Math.min(step, 1200) / 200 - 4)).toPrecision(3)));
  const first = firstWhole((step) => enough(text(step)), 2048);
  return first === null ? null : text(first);
}

// Graphs: datasets, their regions and distances, and the optimal mechanism by regions.

/**
 * @typedef {{name: string, rainbow: string[][]}} Dataset
 * @typedef {{datasets: Dataset[], pairs: [number, number][], given?: Map<string, bigint[]>}} Graph
 *   given: the masses at the boundary of each region, by the text of its rainbow
 * @typedef {{from: number, to: number, color: string}} Failure  a probability that is too great, seen from a neighbor
 */

/** Read a rainbow such as blue>red=green, with names in quotes where they need it; null where it is none. @param {string} text @returns {string[][] | null} */
function parseRainbow(text) {
  const names = /\s*("(?:[^"]|"")*"|[^>="]+?)\s*(>|=|$)/gy;
  /** @type {string[][]} */
  const classes = [[]];
  for (let found = names.exec(text); found; found = names.exec(text)) {
    classes[classes.length - 1].push(found[1].startsWith('"') ? found[1].slice(1, -1).replaceAll('""', '"') : found[1]);
    if (found[2] === "") return new Set(classes.flat()).size === classes.flat().length ? classes : null;
    if (found[2] === ">") classes.push([]);
  }
  return null;
}

/** Read the rows of a CSV file. @param {string} text */
function parseRows(text) {
  /** @type {string[][]} */
  const rows = [[]];
  for (const [, quoted, plain, end] of text.replace(/^\uFEFF/, "").matchAll(/(?:"((?:[^"]|"")*)"|([^",;\t\r\n]*))([,;\t]|\r?\n|$)/g)) {
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "") break;
    if (end.endsWith("\n")) rows.push([]);
  }
  return rows.filter((row) => row.some(Boolean));
}

/**
 * Read a graph from node-link JSON, or from a file of datasets and a file of pairs as CSV.
 * @param {string[]} texts @returns {Graph}
 */
function parseGraph(texts) {
  /** @type {Record<string, string>[][]} */
  let [nodes, edges] = [[], []];
  for (const text of texts) {
    if (text.trimStart().startsWith("{")) {
      const { nodes: some = [], edges: pairs = [], links = pairs } = JSON.parse(text);
      [nodes, edges] = [some.map((/** @type {any} */ node) => ({ dataset: String(node.id), rainbow: String(node.rainbow) })),
        links.map((/** @type {any} */ edge) => ({ source: String(edge.source), target: String(edge.target) }))];
      continue;
    }
    const [head = [], ...rows] = parseRows(text);
    const read = rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ""])));
    if (head.includes("rainbow") && head.includes("dataset")) nodes = read;
    else if (head.includes("source") && head.includes("target")) edges = read;
    else throw new Error("A CSV file needs the columns dataset and rainbow, or source and target.");
  }
  if (!nodes.length) throw new Error("There are no datasets: add the file with the columns dataset and rainbow.");
  if (nodes.length > 500) throw new Error(`The page draws at most 500 datasets, and these are ${nodes.length}.`);
  const numbers = new Map(nodes.map(({ dataset }, at) => [dataset, at]));
  const datasets = nodes.map(({ dataset, rainbow }) => {
    const classes = parseRainbow(rainbow);
    if (!classes) throw new Error(`The rainbow of ${dataset} cannot be read: ${rainbow}`);
    return { name: dataset, rainbow: classes };
  });
  const colors = (/** @type {Dataset} */ { rainbow }) => rainbow.flat().sort().join("\n");
  const odd = datasets.find((dataset) => colors(dataset) !== colors(datasets[0]));
  if (odd) throw new Error(`The rainbow of ${odd.name} has other colors than that of ${datasets[0].name}.`);
  if (numbers.size < nodes.length) throw new Error("A dataset is named twice.");
  const pairs = edges.map(({ source, target }) => /** @type {[number, number]} */ ([source, target].map((name) => {
    const number = numbers.get(name);
    if (number === undefined) throw new Error(`A pair names ${name}, which is no dataset.`);
    return number;
  })));
  return { datasets, pairs: pairs.filter(([one, other]) => one !== other) };
}

/** Return a rainbow as text; names stand in quotes where they need it. @param {string[][]} rainbow */
const rainbowText = (rainbow) => rainbow.map((tied) => [...tied].sort().map((name) => (/[>=,"\r\n]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join("=")).join(">");

/**
 * Return the mass of each color at the boundary of a region.
 * @param {string} rule "uniform", "response", "given" or weights by rank such as 2/5,7/20,1/4
 * @param {string[][]} rainbow @param {string[]} colors @param {Odds} privacy
 */
function boundaryMasses(rule, rainbow, colors, { odds, delta }) {
  const count = BigInt(colors.length);
  let rank = 0;
  const weights = rule.split(",").map((text) => fixed(parseFraction(text) ?? { top: 1n, bottom: 1n }));
  /** @type {Map<string, bigint>} */
  const found = new Map();
  rainbow.forEach((tied, place) => {
    const own = tied.map(() => {
      if (rule === "uniform") return ONE;
      // Weights of randomized response: one of the tied best colors has that of the truth.
      if (rule === "response") return place ? ONE - delta : 0n;
      return weights[Math.min(rank++, weights.length - 1)];
    });
    const truth = odds + (count - 1n) * delta + BigInt(tied.length - 1) * (ONE - delta);
    const sum = rule === "response" && !place ? truth : own.reduce((total, weight) => total + weight, 0n);
    for (const color of tied) found.set(color, sum / BigInt(tied.length));
  });
  const total = [...found.values()].reduce((sum, weight) => sum + weight, 0n) || 1n;
  return colors.map((color) => (/** @type {bigint} */ (found.get(color)) << BITS) / total);
}

/** @typedef {{colors: string[], regions: string[], neighbors: number[][], distance: (number | null)[]}} Structure  what does not depend on probabilities */

/** Return the region of each dataset, its neighbors, and its distance to the boundary of the region. @param {Graph} graph @returns {Structure} */
function structureOf({ datasets, pairs }) {
  const regions = datasets.map(({ rainbow }) => rainbowText(rainbow));
  /** @type {Set<number>[]} */
  const near = datasets.map(() => new Set());
  for (const [one, other] of pairs) {
    near[one].add(other);
    near[other].add(one);
  }
  const neighbors = near.map((all) => [...all]);
  /** @type {(number | null)[]} */
  const distance = neighbors.map((all, at) => (all.some((other) => regions[other] !== regions[at]) ? 0 : null));
  for (let found = distance.flatMap((steps, at) => (steps === 0 ? [at] : [])), steps = 1; found.length; steps++) {
    const next = [...new Set(found.flatMap((at) => neighbors[at]))].filter((at) => distance[at] === null);
    for (const at of next) distance[at] = steps;
    found = next;
  }
  return { colors: datasets[0].rainbow.flat().sort(), regions, neighbors, distance };
}

/**
 * Return the optimal mechanism of a graph, and where its boundary is not private.
 * @param {Graph} graph @param {string} rule @param {string} epsilon
 */
function solveGraph({ datasets, pairs, given }, rule, epsilon) {
  const privacy = /** @type {Odds} */ (parsePrivacy({ epsilon }));
  const { colors, regions, neighbors, distance } = structureOf({ datasets, pairs });
  const at = new Map(regions.map((region, number) => [region, datasets[number].rainbow]));
  const boundary = new Map([...at].map(([region, rainbow]) => [region, (rule === "given" && given?.get(region)) || boundaryMasses(rule, rainbow, colors, privacy)]));
  const lines = new Map([...at].map(([region, rainbow]) => [region,
    lineFrom(/** @type {bigint[]} */ (boundary.get(region)), rainbow.map((tied) => tied.map((color) => colors.indexOf(color))), privacy)]));
  const bounded = new Set(regions.filter((_, number) => distance[number] !== null));
  const rows = regions.map((region, number) => {
    const line = /** @type {ReturnType<typeof lineFrom>} */ (lines.get(region));
    const steps = distance[number];
    if (steps !== null) return line.at(steps);
    // No boundary limits it: the best class is certain, in its proportions at the boundary of the region.
    const best = line.classes[0];
    const sum = bounded.has(region) ? best.reduce((total, color) => total + line.shares[color], 0) : 0;
    return colors.map((_, color) => (best.includes(color) ? (sum ? line.shares[color] / sum : 1 / best.length) : 0));
  });
  /** @type {Failure[]} */
  const failures = [];
  for (const pair of pairs)
    for (const [from, to] of [pair, [pair[1], pair[0]]]) {
      if (regions[from] === regions[to]) continue;
      const [high, low] = [boundary.get(regions[from]), boundary.get(regions[to])].map((masses) => /** @type {bigint[]} */ (masses));
      const worst = colors.findIndex((_, color) => high[color] > times(privacy.odds, low[color]) + CLOSE);
      if (worst >= 0) failures.push({ from, to, color: colors[worst] });
    }
  return { colors, regions, neighbors, distance, rows, failures };
}
