// SPDX-License-Identifier: Apache-2.0
// Show the view that the address names, now and whenever it changes.

/** @type {Record<string, [string, () => Node[]]>} */
const VIEWS = { plan: ["Plan", planView], line: ["Line", lineView], graph: ["Graph", graphView] };

function showView() {
  readAddress();
  if (!(state.view in VIEWS)) state.view = DEFAULTS.view;
  const links = Object.entries(VIEWS).map(([name, [title]]) =>
    make("a", { href: `#view=${name}`, "aria-current": name === state.view ? "page" : false, onclick: (/** @type {Event} */ event) => {
      event.preventDefault();
      state.view = name;
      writeAddress();
      showView();
    } }, title));
  document.getElementById("views")?.replaceChildren(...links);
  document.getElementById("view")?.replaceChildren(...VIEWS[state.view][1]());
}

addEventListener("hashchange", showView);
showView();
