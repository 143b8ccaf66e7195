// SPDX-License-Identifier: Apache-2.0
// Show the view that the address names, now and whenever it changes.

/** @type {Record<string, [string, () => Node[]]>} */
const VIEWS = { ...(report ? { report: /** @type {[string, () => Node[]]} */ (["Report", reportView]) } : {}), plan: ["Plan", planView], line: ["Line", lineView], graph: ["Graph", graphView] };

function showView() {
  if (!Object.hasOwn(VIEWS, state.view)) state.view = DEFAULTS.view;
  const [title, view] = VIEWS[state.view];
  document.title = `${title} – rainbowdp explorer`;
  for (const link of document.querySelectorAll("#views a"))
    if (link.textContent === title) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  document.getElementById("view")?.replaceChildren(...view());
}

document.getElementById("views")?.append(...Object.entries(VIEWS).map(([name, [title]]) =>
  make("a", { href: `#view=${name}`, onclick: (/** @type {Event} */ event) => {
    event.preventDefault();
    history.pushState(null, "", location.hash); // what is written next stands there, and "back" leads here
    state.view = name;
    writeAddress();
    showView();
  } }, title)));
function readView() {
  const wrong = readAddress();
  showView();
  if (wrong.length) document.querySelector(".intro")?.prepend(make("p", { class: "problem", role: "alert" }, `This link says what cannot be read: ${wrong.join(", ")}. The usual values stand there instead.`));
}
addEventListener("hashchange", readView);
readView();
