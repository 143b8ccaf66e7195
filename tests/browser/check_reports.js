// SPDX-License-Identifier: Apache-2.0
// Open reports in a browser, on a screen, a phone and paper, and print what is wrong as a JSON list.
// Arguments: the browser, and the pages. A page whose name begins with "broken" has to say so.
const { basename } = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require("playwright-core");
const { QUIET, axe } = require("./check_page.js");

const [browserPath, ...pages] = process.argv.slice(2);
const wrong = [];

/** Press Tab until the focus is where it began, and return what had it. */
async function reached(tab) {
  const found = [];
  for (let n = 0; n < 60; n++) {
    await tab.keyboard.press("Tab");
    const at = await tab.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute("aria-label") || document.activeElement?.textContent || "");
    if (found.includes(at)) break;
    found.push(at);
  }
  return found.join("; ");
}

async function main() {
  const browser = await chromium.launch({ executablePath: browserPath, args: QUIET });
  for (const [width, colorScheme, media] of [[1280, "light", "screen"], [375, "dark", "screen"], [700, "dark", "print"]])
    for (const page of pages) {
      const address = pathToFileURL(page).href;
      const report = `${basename(page)} at ${width}, ${media}`;
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, offline: true });
      const tab = await context.newPage();
      tab.on("request", (request) => { if (request.url().split("#")[0] !== address) wrong.push(`${report}: a request: ${request.url()}`); });
      tab.on("console", (message) => wrong.push(`${report}: on the console: ${message.text()}`));
      tab.on("pageerror", (error) => wrong.push(`${report}: an error: ${error.message}`));
      tab.on("dialog", (dialog) => { wrong.push(`${report}: a dialog: ${dialog.message()}`); dialog.dismiss(); });
      await tab.emulateMedia({ media });
      await tab.goto(address);
      await tab.waitForTimeout(100);
      const { violations } = media === "screen" ? await axe(context, tab) : { violations: [] };
      for (const { id, nodes } of violations) wrong.push(`${report}: ${id}: ${nodes.map(({ target }) => target.join(" ")).slice(0, 3).join("; ")}`);
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) wrong.push(`${report}: ${wide} pixels too wide`);
      const findings = await tab.locator(".findings li").allInnerTexts();
      if (!findings.length || (await tab.locator(".findings .wrong").count())) wrong.push(`${report}: ${findings.join(" ")}`);
      if ((await tab.locator(".fault").count()) !== Number(basename(page).startsWith("broken"))) wrong.push(`${report}: a fault is missing, or said of a whole one`);
      const shown = (/** @type {string} */ what) => tab.locator(what).first().isVisible();
      if ((await shown("#print")) !== (media === "screen") || (await shown("nav")) !== (media === "screen")) wrong.push(`${report}: the controls`);
      if (media === "print") {
        // Nothing is cut off on paper, and all of it is dark on white.
        const cut = await tab.$$eval(".scroll, pre", (all) => all.filter((box) => box.scrollHeight > box.clientHeight + 1 || getComputedStyle(box).overflow !== "visible").length);
        const paper = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
        if (cut || paper !== "rgb(255, 255, 255)") wrong.push(`${report}: ${cut} parts are cut off, on ${paper}`);
      } else {
        const keys = await reached(tab);
        if (!/Report; .*Graph; .*print/s.test(keys)) wrong.push(`${report}: by keyboard only ${keys}`);
      }
      await context.close();
    }
  await browser.close();
  console.log(JSON.stringify([...new Set(wrong)], null, 1));
}

main().catch((error) => { console.error(error); process.exitCode = 1; });
