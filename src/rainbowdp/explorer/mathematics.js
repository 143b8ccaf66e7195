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
const SCALE = Number(ONE);
const BELOW = 1 - 2 ** -53; // what is below 1 is not rounded to 1
const ENDLESS = Infinity;
const SMALLEST = 1e-9; // of an epsilon above 0: numbers of steps stay whole numbers

/** @param {bigint} a @param {bigint} b */
const times = (a, b) => (a * b) >> BITS;
/** @param {bigint} a @param {bigint} b */
const least = (a, b) => (a < b ? a : b);
/** @param {bigint} x a multiple of 2^-512 */
const toNumber = (x) => (x < ONE ? Math.min(Number(x) / SCALE, BELOW) : Number(x) / SCALE);

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
  // Only with delta is 1 reached.
  const capped = (/** @type {bigint} */ moved) => (delta > 0n || mass === ONE ? (moved > ONE - CLOSE ? ONE : moved) : least(moved, ONE - 1n));
  if (odds === ONE) return (/** @type {number} */ steps) => capped(mass + BigInt(steps) * delta);
  const shift = (delta << BITS) / (odds - ONE);
  const [turn, turned] = growth(privacy, mass);
  return (/** @type {number} */ steps) => {
    if (steps <= turn) return times(mass + shift, rise(turn === ENDLESS ? 0 : steps)) - shift;
    return capped(ONE - times(ONE - turned + shift, fall(steps - turn)) + shift);
  };
}

/** Return the chance that a normal number is above z, relatively accurate. @param {number} z @returns {number} */
function upperTail(z) {
  if (z < 0) return z > -Infinity ? Math.min(1 - upperTail(-z), BELOW) : 1;
  if (z < 2.5) {
    let [term, sum] = [z, z];
    for (let k = 3; k < 90; k += 2) sum += term *= (z * z) / k;
    return 0.5 - density(z) * sum;
  }
  let fraction = z;
  for (let k = Math.ceil(10 + 400 / (z * z)); k > 0; k--) fraction = z + k / fraction;
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
    return a + gap <= 0 ? upperTail(-a - gap) - upperTail(-a) : Math.min(1 - upperTail(-a) - upperTail(a + gap), BELOW);
  }
  // Tails of a short interval are nearly equal, so the density is integrated (Gauss and Legendre).
  const panels = Math.ceil(8 * gap);
  const half = gap / (2 * panels);
  let sum = 0;
  for (let panel = 0; panel < panels; panel++)
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
  return lineFrom(sharesOf(tops, total), classes, privacy);
}

/** Return parts of a total as masses; the last one above 0 also gets what the others lost by rounding. @param {bigint[]} parts @param {bigint} total */
function sharesOf(parts, total) {
  const masses = parts.map((part) => (part << BITS) / total);
  const last = parts.findLastIndex((part) => part > 0n);
  masses[last] += ONE - masses.reduce((sum, mass) => sum + mass, 0n);
  return masses;
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

const LEAST = "0.0001"; // the least epsilon above 0 that is tried

/** Return the least epsilon, 0 or as text with three digits, for which the hardest case of the goal is right often enough; null where none is. @param {Asked} asked @param {number} lead @param {number} right */
function epsilonFor(asked, lead, right) {
  /** @param {string} epsilon */
  const enough = (epsilon) => waysOf({ ...asked, epsilon }).filter(({ way }) => way === "typical").every(({ wrong }) => wrong(lead) <= 1 - right);
  /** @param {number} step from 0 for 0.0001 to 1200 for 100 */
  const text = (step) => String(Number((10 ** (Math.min(step, 1200) / 200 - 4)).toPrecision(3)));
  if (enough("0")) return "0";
  const first = firstWhole((step) => enough(text(step)), 2048);
  return first === null ? null : text(first);
}

// Graphs: datasets, their regions and distances, and the optimal mechanism by regions.

/**
 * @typedef {{name: string, rainbow: string[][]}} Dataset
 * @typedef {{datasets: Dataset[], pairs: [number, number][], given?: Map<string, bigint[]>}} Graph
 *   given: the masses at the boundary of each region, by the text of its rainbow
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

/** Read the rows of a CSV file. Its first line decides what separates the cells. @param {string} text */
function parseRows(text) {
  const [head] = text.replaceAll(/"[^"]*"/g, "").split(/[\r\n]/, 1);
  const separator = [",", ";", "\t"].reduce((best, other) => (head.split(other).length > head.split(best).length ? other : best));
  const cells = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n][^${separator}\\r\\n]*|))(${separator}|\\r\\n?|\\n|$)`, "g");
  /** @type {string[][]} */
  const rows = [[]];
  for (const [, quoted, plain, end] of text.replace(/^\uFEFF/, "").matchAll(cells)) {
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "") break;
    if (end !== separator) rows.push([]);
  }
  return rows.filter((row) => row.some(Boolean));
}

/** Tell what of a graph a text holds. @param {string} text @returns {"graph" | "datasets" | "pairs"} */
function partOf(text) {
  if (text.trimStart().startsWith("{")) return "graph";
  const [head = []] = parseRows(text);
  if (head.includes("rainbow") && head.includes("dataset")) return "datasets";
  if (head.includes("source") && head.includes("target")) return "pairs";
  throw new Error("A CSV file needs the columns dataset and rainbow, or source and target.");
}

/**
 * Read a graph from node-link JSON, or from a file of datasets and a file of pairs as CSV.
 * @param {string[]} texts @returns {Graph}
 */
function parseGraph(texts) {
  /** @type {Record<string, string>[][]} */
  let [nodes, edges] = [[], []];
  for (const text of texts) {
    const part = partOf(text);
    if (part === "graph") {
      const { nodes: some = [], edges: pairs = [], links = pairs } = JSON.parse(text.trimStart());
      const bare = some.find((/** @type {any} */ node) => node.id === undefined || node.rainbow === undefined);
      if (bare) throw new Error(`A node needs id and rainbow: ${JSON.stringify(bare)}`);
      const loose = links.find((/** @type {any} */ link) => [link?.source, link?.target].some((end) => !["string", "number"].includes(typeof end)));
      if (loose !== undefined) throw new Error(`A link needs source and target: ${JSON.stringify(loose)}`);
      [nodes, edges] = [some.map((/** @type {any} */ node) => ({ dataset: String(node.id), rainbow: String(node.rainbow) })),
        links.map((/** @type {any} */ edge) => ({ source: String(edge.source), target: String(edge.target) }))];
      continue;
    }
    const [head = [], ...rows] = parseRows(text);
    const read = rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ""])));
    if (part === "datasets") nodes = read;
    else edges = read;
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
    if (number === undefined) throw new Error(`A pair names ${name}, which is not among the datasets.`);
    return number;
  })));
  return { datasets, pairs: pairs.filter(([one, other]) => one !== other) };
}

/** Return a rainbow as text; names stand in quotes where they need it. @param {string[][]} rainbow */
const rainbowText = (rainbow) => rainbow.map((tied) => [...tied].sort().map((name) => (/[>=,"\r\n]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join("=")).join(">");

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
 * Return the boundary graph: one node for each region and distance, with its datasets, and the node of each dataset.
 * @param {Graph} graph @param {Structure} structure
 */
function boundaryGraph({ datasets, pairs }, { regions, distance }) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @type {(Dataset & {distance: number | null, members: number[]})[]} */
  const nodes = [];
  const nodeOf = datasets.map(({ rainbow }, at) => {
    const key = `${distance[at]} ${regions[at]}`;
    const number = numbers.get(key) ?? nodes.push({ name: "", rainbow, distance: distance[at], members: [] }) - 1;
    numbers.set(key, number);
    nodes[number].members.push(at);
    return number;
  });
  for (const node of nodes) {
    const names = node.members.map((at) => datasets[at].name).join(", ");
    node.name = node.members.length > 1 && names.length > 9 ? `${node.members.length} datasets` : names;
  }
  /** @type {Map<string, [number, number]>} */
  const joined = new Map();
  for (const [one, other] of pairs) {
    const [low, high] = [nodeOf[one], nodeOf[other]].sort((a, b) => a - b);
    if (low !== high) joined.set(`${low} ${high}`, [low, high]);
  }
  return { datasets: nodes, pairs: [...joined.values()], nodeOf };
}

/** Return the mass that randomized response gives to the truth and to each other color. @param {Privacy} privacy @param {number} count of the colors @returns {[bigint, bigint]} */
function truthAndLie(privacy, count) {
  if (count === 1) return [ONE, 0n];
  const others = BigInt(count - 1);
  if ("mu" in privacy) {
    // As the package, rounded inward to a multiple of 2^-66.
    const log = bisected(-200, Math.log(1 - 1 / count), (low) => {
      const lies = Math.exp(low);
      return upperTail(quantile(lies / (count - 1), 1 - lies / (count - 1)) + privacy.mu) > lies;
    });
    const lies = fixed(/** @type {Fraction} */ (parseFraction(String(Math.exp(log)))));
    const [truth, even] = [((ONE - lies) >> (BITS - 66n)) << (BITS - 66n), ONE / BigInt(count)];
    return privacy.mu === 0 || truth < even ? [even, even] : [truth, (ONE - truth) / others];
  }
  const { odds, delta } = privacy;
  const all = odds + others * ONE;
  return [((odds + others * delta) << BITS) / all, ((ONE - delta) << BITS) / all];
}

/**
 * Return the mass of each color at the boundary of a region.
 * @param {string} rule "uniform", "response", "given" or weights by rank such as 2/5,7/20,1/4
 * @param {string[][]} rainbow @param {string[]} colors @param {[bigint, bigint]} response
 */
function boundaryMasses(rule, rainbow, colors, [truth, lie]) {
  const weights = rule.split(",").map((text) => fixed(parseFraction(text) ?? { top: 1n, bottom: 1n }));
  let rank = 0;
  /** @type {Map<string, bigint>} */
  const found = new Map();
  rainbow.forEach((tied, place) => {
    const own = tied.map((_, at) => {
      if (rule === "uniform") return ONE;
      if (rule === "response") return place || at ? lie : truth; // one of the tied best colors is the truth
      return weights[Math.min(rank++, weights.length - 1)];
    });
    for (const color of tied) found.set(color, own.reduce((total, weight) => total + weight, 0n) / BigInt(tied.length));
  });
  const masses = colors.map((color) => /** @type {bigint} */ (found.get(color)));
  const total = masses.reduce((sum, mass) => sum + mass, 0n);
  return total ? sharesOf(masses, total) : sharesOf(colors.map(() => 1n), BigInt(colors.length));
}

/**
 * Return the event that a distribution gives more than a neighbor's allows, and both probabilities; null if there is none.
 * @param {Privacy} privacy @param {bigint[]} high @param {bigint[]} low @returns {{event: number[], has: number, beside: number, limit: number} | null}
 */
function brokenEvent(privacy, high, low) {
  /** @type {number[]} */
  let event = [];
  const sum = (/** @type {bigint[]} */ masses) => event.reduce((total, color) => total + masses[color], 0n);
  if ("mu" in privacy) {
    // Events that are the most telling: the colors whose probabilities fall most.
    const order = high.flatMap((mass, color) => (mass || low[color] ? [color] : [])).sort((one, other) => Number(high[other] * low[one] - high[one] * low[other]));
    const excess = (/** @type {number} */ size) => {
      event = order.slice(0, size);
      const [ours, theirs] = [sum(high), sum(low)].map((mass) => quantile(toNumber(mass), toNumber(ONE - mass)));
      return ours > theirs ? ours - theirs - privacy.mu : 0;
    };
    const sizes = order.slice(1).map((_, before) => before + 1);
    const worst = sizes.reduce((best, size) => (excess(size) > excess(best) ? size : best), 1);
    if (!sizes.length || excess(worst) <= 1e-9) return null;
    excess(worst);
  } else {
    event = high.flatMap((mass, color) => (mass > times(privacy.odds, low[color]) + CLOSE ? [color] : []));
    if (sum(high) - times(privacy.odds, sum(low)) <= privacy.delta + CLOSE) return null;
  }
  const [has, beside] = [sum(high), sum(low)];
  const limit = "mu" in privacy
    ? upperTail(-quantile(toNumber(beside), toNumber(ONE - beside)) - privacy.mu)
    : toNumber(least(ONE, times(privacy.odds, beside) + privacy.delta));
  return { event, has: toNumber(has), beside: toNumber(beside), limit };
}

/** @typedef {{pair: number, from: number, to: number, event: string[], has: number, beside: number, limit: number}} Failure  two neighbors of different regions, and the event that is too probable at the first */

/**
 * Return the optimal mechanism of a graph, and where its boundary is not private.
 * @param {Graph} graph @param {Structure} structure @param {string} rule @param {PrivacyText} privacyText
 */
function solveGraph({ datasets, pairs, given }, { colors, regions, distance }, rule, privacyText) {
  const privacy = /** @type {Privacy} */ (parsePrivacy(privacyText));
  const rainbows = new Map(regions.map((region, number) => [region, datasets[number].rainbow]));
  const response = truthAndLie(privacy, colors.length);
  const boundary = new Map([...rainbows].map(([region, rainbow]) => [region, (rule === "given" && given?.get(region)) || boundaryMasses(rule, rainbow, colors, response)]));
  const bounded = new Set(regions.filter((_, number) => distance[number] !== null));
  /** @type {Map<string, (steps: number | null) => number[]>} */
  const lines = new Map([...rainbows].map(([region, rainbow]) => {
    const line = lineFrom(/** @type {bigint[]} */ (boundary.get(region)), rainbow.map((tied) => tied.map((color) => colors.indexOf(color))), privacy);
    /** @type {Map<number | null, number[]>} */
    const known = new Map();
    return [region, (steps) => {
      const row = known.get(steps) ?? (steps === null ? certain(line, bounded.has(region)) : line.at(steps));
      known.set(steps, row);
      return row;
    }];
  }));
  /** @type {Failure[]} */
  const failures = [];
  /** @type {Map<string, ReturnType<typeof brokenEvent>>} */
  const judged = new Map();
  pairs.forEach(([one, other], pair) => {
    for (const [from, to] of [[one, other], [other, one]]) {
      if (regions[from] === regions[to]) continue;
      const key = `${regions[from]}\n${regions[to]}`;
      const [high, low] = [from, to].map((at) => /** @type {bigint[]} */ (boundary.get(regions[at])));
      if (!judged.has(key)) judged.set(key, brokenEvent(privacy, high, low));
      const broken = judged.get(key);
      if (broken) failures.push({ ...broken, pair, from, to, event: broken.event.map((color) => colors[color]) });
    }
  });
  return { rows: regions.map((region, at) => /** @type {(steps: number | null) => number[]} */ (lines.get(region))(distance[at])), failures };
}

/** Return the probabilities where no boundary limits them: the best class is certain, in its proportions at the boundary of the region. @param {ReturnType<typeof lineFrom>} line @param {boolean} bounded */
function certain({ classes: [best], shares }, bounded) {
  const sum = bounded ? best.reduce((total, color) => total + shares[color], 0) : 0;
  return shares.map((share, color) => (best.includes(color) ? (sum ? share / sum : 1 / best.length) : 0));
}
