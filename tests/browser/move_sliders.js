// SPDX-License-Identifier: Apache-2.0
// Move sliders of the page in a browser, and print as JSON how long each move took until the page was drawn anew.
// Arguments: the browser, the page, a graph as JSON, and the number of moves.
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const [browserPath, page, graph, moves] = process.argv.slice(2);
const FIVE = "boundary=1,1,1,1,1&rainbow=blue>red>green>orange>purple";
const VIEWS = { plan: ["plan&options=12&epsilon=0.04", "epsilon"], line: [`line&epsilon=0.036&${FIVE}`, "epsilon"], boundary: [`line&epsilon=0.036&${FIVE}`, "share-0"], gaussian: [`line&notion=gaussian&mu=0.0225&${FIVE}`, "mu"], graph: ["graph", "epsilon"] };

/** Move a slider to and fro, once in each frame; milliseconds from the move until the page is drawn. */
function moved([id, count]) {
  const input = document.getElementById(id);
  const once = (number) => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    const before = performance.now();
    // What waits behind this frame runs when the frame has been drawn.
    channel.port1.onmessage = () => done(performance.now() - before);
    channel.port2.postMessage(0);
    input.value = String(Number(input.value) + (number % 2 ? -1 : 1) * Number(input.step) * (1 + (number % 5)));
    input.dispatchEvent(new Event("input"));
  }));
  return Array.from({ length: count }).reduce(async (before, _, number) => [...(await before), await once(number)], Promise.resolve([]));
}

async function main() {
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
  const tab = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true })).newPage();
  const session = await tab.context().newCDPSession(tab);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  const found = {};
  for (const [name, [view, id]] of Object.entries(VIEWS)) {
    await tab.goto("about:blank");
    await tab.goto(`${pathToFileURL(page).href}#view=${view}`);
    if (name === "graph") {
      await tab.setInputFiles("#files", [graph]);
      await tab.waitForFunction(() => document.querySelector("#graph").value === "own", null, { timeout: 120000 });
    }
    await tab.evaluate(moved, [id, 10]); // what is compiled at the first moves is not counted
    const before = await busy();
    const milliseconds = await tab.evaluate(moved, [id, Number(moves)]);
    const processor = ((await busy()) - before) / Number(moves);
    const shown = await tab.evaluate(() => document.querySelectorAll("#datasets .node").length || document.querySelector("path.curve").getAttribute("d").split("L").length);
    found[name] = { milliseconds, processor, shown };
  }
  await browser.close();
  console.log(JSON.stringify({ browser: browser.version(), views: found }));
}

main().catch((error) => { console.error(error); process.exitCode = 1; });
