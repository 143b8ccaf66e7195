// SPDX-License-Identifier: Apache-2.0
// Open the page in a browser, use every control by keyboard, and print what is wrong as a JSON list.
// Arguments: the browser, the page, and a graph of 18 datasets as JSON and as tables. What is printed is empty where all is well.
const { readFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");

const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const VIEWS = ["plan", "plan&question=yes-no", "plan&question=level&neighbors=change-one", "line", "line&notion=approximate", "line&notion=gaussian", "graph", "graph&epsilon=0.1", "graph&graph=histograms&rule=response&notion=gaussian", "graph&graph=hamming&notion=approximate&delta=0.01"];
// Addresses that the page did not write: what cannot be read is named, and counts as not given.
const ODD = ["constructor", "plan&question=constructor&options=x&want=x&lead=-5&rows=1e9&width=0&epsilon=-1&people=x", "line&boundary=0,0,0", "line&rainbow=x&epsilon=1e-30", "graph&graph=constructor&ranks=0,0&dataset=none", "graph&graph=own"];
// At the ends of what can be set.
const ENDS = ["plan&people=2&lead=9", "plan&people=9999999999&epsilon=1e-9&options=12", "plan&epsilon=50&lead=300&options=12", "plan&epsilon=0", "plan&question=level&epsilon=0&rows=20", "plan&question=yes-no&epsilon=100&want=99", "line&epsilon=50&distance=40", "line&epsilon=1e-9", "line&notion=gaussian&mu=1000000000", "line&notion=approximate&epsilon=0&delta=1", "graph&notion=gaussian&mu=0", "graph&rule=response&epsilon=50"];
// What is said where an address is opened, and fields and sliders are set; of several, one after the other.
const SAID = [
  ["plan", [], /is 10 people \(1 % of 1,000\) ahead/],
  ["plan&rows=3", [], /is 10 people \(1 % of 1,000\), of 3 rows each, ahead[^]*a lead of 10 people, of 3 rows each, ε[^]*by how many people, of 3 rows each, the most/],
  ["plan&rows=3&question=yes-no&lead=1", [], /When 1 person \(0.1 % of 1,000\), of 3 rows, would have to/],
  ["plan&question=level&width=2&lead=3&epsilon=1", [], /right in 96.4 of[^]*Inside the narrowest level the lead is at most 1 person, and the answer is then right in 63.2 of 100 cases/],
  ["plan&question=level&width=2", [["rows", "7"]], /most 1 person, of 7 rows, and[^]*\n14,/],
  ["plan&question=level", [["rows", "7"], ["width", "9"]], /A whole number from 14 on/],
  ["plan", [["lead-text", "300"]], /is 300 people \(30 %[^]*ε = 0.0\d+ is enough[^]*\n300,/],
  ["plan", [["lead-text", "1001"]], /A whole number up to 1,000\./],
  ["plan&options=2", [["want", "50"]], /ε = 0 is enough/],
  ["plan&question=yes-no&lead=1000000&want=60", [], /ε = 0.0001 or less is enough/],
  ["line", [["weight-0", "1"], ["weight-1", "1"], ["weight-2", "1"], ["count", "4"]], /\(blue\) has 26.7 of 100/],
  ["line&boundary=9995,5,0&distance=0", [], /\(blue\) has 99.95 of 100[^]*blue\n99.95\nof 100/],
  ["line", [["distance-text", "77"]], /distance 77\n/],
  ["line", [["weight-0", "x"], ["epsilon-text", "-1"]], /from 1e-9 to 100, such as[^]*not all of them 0/],
];
const [browserPath, page, json, ...tables] = process.argv.slice(2);
const address = pathToFileURL(page).href;
const wrong = [];

/** Press keys at each control in turn, and tell which of them changed nothing. */
async function byKeyboard(tab, view) {
  const ids = await tab.$$eval("main input:not([type=file]), main select, main .graph, main form button:not([hidden])", (all) => all.map(({ id }) => id));
  for (const id of ids) {
    const control = tab.locator(`[id="${id}"]`);
    if (!(await control.count())) continue; // another control replaced it
    await control.focus();
    const before = await seen(tab);
    const type = await control.evaluate((element) => element.type ?? "");
    if (type === "text") await tab.keyboard.type("1");
    else await tab.keyboard.press({ checkbox: "Space", range: "ArrowLeft", button: "Enter" }[type] ?? "ArrowDown");
    // At one end of a slider or a list only the other way is left.
    if ((await seen(tab)) === before) await tab.keyboard.press(type.startsWith("select") ? "ArrowUp" : "ArrowRight");
    if ((await seen(tab)) === before) wrong.push(`${view}: no key changes ${id}`);
    const kept = await tab.evaluate(() => document.activeElement?.id || document.activeElement?.className || "");
    if (!kept.includes(id)) wrong.push(`${view}: the focus leaves ${id} for ${kept || "nothing"}`);
    const unsaid = await control.evaluate((element) => element.type === "range" && !/[a-zεμ]/.test(element.getAttribute("aria-valuetext") ?? ""));
    if (unsaid) wrong.push(`${view}: ${id} does not say its value in words`);
  }
}

/** What a person sees or hears: the text and the values of the page. */
const seen = (tab) => tab.evaluate(() => [document.body.innerText,
  ...[...document.querySelectorAll("input, select")].map((input) => [input.value, input.checked, input.getAttribute("aria-valuetext"), input.getAttribute("aria-invalid")].join())].join("\n"));

/** Set a field, a slider or a list as a person does. */
const put = (tab, id, value) => tab.locator(`[id="${id}"]`).evaluate((input, value) => {
  input.value = value;
  ["input", "change"].forEach((name) => input.dispatchEvent(new Event(name)));
}, value);

/** Wait by the clock of the page until what waits for a slider's rest has happened. */
const rested = (tab) => tab.evaluate(() => new Promise((done) => setTimeout(done, 300)));

async function main() {
  const browser = await chromium.launch({ executablePath: browserPath, args: QUIET });
  // At the same time, since most of it waits for the page.
  await Promise.all([[1280, "light"], [375, "dark"]].map(async ([width, colorScheme]) => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, offline: true });
    const tab = await context.newPage();
    tab.on("request", (request) => { if (request.url().split("#")[0] !== address) wrong.push(`a request: ${request.url()}`); });
    tab.on("console", (message) => wrong.push(`on the console: ${message.text()}`));
    tab.on("pageerror", (error) => wrong.push(`an error: ${error.message}`));
    for (const view of VIEWS.filter((view) => width > 375 || !view.includes("&"))) {
      await tab.goto("about:blank");
      await tab.goto(`${address}#view=${view}`);
      await tab.waitForTimeout(100);
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) wrong.push(`${view}: ${wide} pixels too wide at ${width}`);
      // The checker is run outside the page, whose policy lets no other script in.
      const { violations } = await axe(context, tab);
      for (const { id, nodes } of violations) wrong.push(`${view}, ${colorScheme}: ${id}: ${nodes.map(({ target }) => target.join(" ")).slice(0, 3).join("; ")}`);
      if (width > 375) await byKeyboard(tab, view);
      await rested(tab);
      // What was said of the last step is not part of the link.
      await tab.evaluate(() => document.querySelectorAll("[aria-live]").forEach((element) => { element.textContent = ""; }));
      const [link, first] = [tab.url(), await seen(tab)];
      await tab.goto("about:blank");
      await tab.goto(link);
      await rested(tab);
      const again = (await seen(tab)).split("\n");
      const other = first.split("\n").filter((line, at) => line !== again[at]);
      if (other.length) wrong.push(`${view}: the link ${link} shows something else than ${other.slice(0, 3).join("; ")}`);
    }
    for (const view of width > 375 ? [...ODD, ...ENDS] : []) {
      await tab.goto("about:blank");
      await tab.goto(`${address}#view=${view}`);
      const text = await tab.locator("main").innerText();
      const odd = /.*(NaN|undefined|Infinity|null).*/.exec(text);
      if (odd) wrong.push(`${view}: ${odd[0]}`);
      if (text.includes("cannot be read") !== ODD.includes(view)) wrong.push(`${view}: ${ODD.includes(view) ? "no word of what cannot be read" : text.slice(0, 200)}`);
      const bare = await tab.$$eval(".curve, .band", (all) => all.filter((path) => path.tagName === "path" && !/^M.*[Lv]/.test(path.getAttribute("d"))).length);
      if (bare) wrong.push(`${view}: ${bare} empty curves`);
      // Only with delta, and only for the line, is a chance 100 of 100.
      if (/^plan/.test(view) && /\b100 of 100 cases(?! without)/.test(text.replace("nearly 100 of 100", ""))) wrong.push(`${view}: certain`);
    }
    for (const [view, steps, said] of width > 375 ? SAID : []) {
      await tab.goto("about:blank");
      await tab.goto(`${address}#view=${view}`);
      for (const [id, value] of steps) await put(tab, id, value);
      const text = await seen(tab);
      if (!said.test(text)) wrong.push(`${view} ${steps.join()}: ${said} is not in ${text.slice(0, 1500)}`);
    }
    for (const [form, dropped] of [["tables", tables], ["JSON", [json]]])
      for (const way of ["chosen", "dropped"]) {
        await tab.goto("about:blank");
        await tab.goto(`${address}#view=graph`);
        if (way === "chosen") await tab.setInputFiles("#files", dropped);
        else await tab.evaluate((texts) => {
          const dataTransfer = new DataTransfer();
          texts.forEach((text, at) => dataTransfer.items.add(new File([text], `file${at}`)));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        }, dropped.map((file) => readFileSync(file, "utf-8")));
        await tab.waitForFunction(() => document.querySelector("#graph").value === "own" || document.querySelector(".problem").textContent);
        const said = await tab.locator(".sentence").first().innerText();
        if (!said.startsWith("18 datasets, 31 pairs of neighbors, 6 regions")) wrong.push(`a graph of one's own, ${form}, ${way}: ${said}`);
      }
    for (const order of [tables, [...tables].reverse()]) {
      await tab.goto("about:blank");
      await tab.goto(`${address}#view=graph`);
      for (const [at, file] of order.entries()) {
        await tab.setInputFiles("#files", [file]);
        await tab.waitForFunction((first) => Boolean(document.querySelector(".problem").textContent) === first, at === 0);
      }
      const said = await tab.locator(".sentence").first().innerText();
      if (!said.startsWith("18 datasets, 31 pairs of neighbors, 6 regions")) wrong.push(`a graph of one's own, file by file: ${said}`);
    }
    await tab.goto("about:blank");
    await tab.goto(`${address}#view=line&rainbow=${"x".repeat(99)}>${"y".repeat(99)}&boundary=1,1`);
    await rested(tab);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) wrong.push(`long names: ${wide} pixels too wide at ${width}`);
    await tab.locator("#views a", { hasText: "Graph" }).click();
    await rested(tab);
    await tab.goBack();
    await tab.waitForFunction(() => document.title.startsWith("Line")).catch(() => wrong.push("back does not lead to the view before"));
    await context.close();
  }));
  await browser.close();
  console.log(JSON.stringify([...new Set(wrong)], null, 1));
}

async function axe(context, tab) {
  await tab.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf-8"));
  return tab.evaluate("axe.run({ resultTypes: ['violations'] })");
}

module.exports = { QUIET, axe };
if (require.main === module) main().catch((error) => { console.error(error); process.exitCode = 1; });
