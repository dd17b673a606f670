// The page around the views.

addView("verdict", "Verdict", buildVerdict);
addView("source", "Source", buildSource, () => source.list?.draw());
addView("blocks", "Blocks", buildBlocks, () => blocksView.graph?.drawLabels());
addView("messages", "Messages", buildMessages, () => messagesView.rows && (drawHeads(), drawMarks()));
addView("time", "Time", buildTime);

function tabKey(event) {
  const at = views.findIndex((view) => `tab-${view.id}` === event.target.id);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: views.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  showView(views[(next + views.length) % views.length].id, { focus: true });
}

function buildPage() {
  const tabs = views.map((view) =>
    el("button", { type: "button", role: "tab", id: `tab-${view.id}`, "aria-controls": `view-${view.id}`, "aria-selected": "false", onclick: () => showView(view.id) }, view.title),
  );
  const theme = themeButton();
  document.getElementById("page").replaceWith(
    el(
      "header",
      {},
      contents.index ? el("a", { href: contents.index }, "← all programs") : null,
      el("p", { class: "title" }, verdictSign(contents.verdict), " ", el("span", { class: "file", title: shownName(contents.file) }, shortPath(contents.file))),
      el("div", { role: "tablist", "aria-label": "views", onkeydown: tabKey }, tabs),
      theme,
      contents.is_live ? liveLine() : null,
    ),
    el("main", {}, views.map((view) => el("div", { role: "tabpanel", id: `view-${view.id}`, "aria-labelledby": `tab-${view.id}`, class: `view ${view.id}`, hidden: true }))),
  );
  const asked = decodeURIComponent(location.hash.slice(1));
  showView(views.some((view) => view.id === asked) ? asked : "verdict");
}

buildPage();
if (contents.is_live) follow();
