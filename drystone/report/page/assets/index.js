// The index of a suite: what came of each program, the worst first, with its report a click away.

const WORST_FIRST = ["CRASHED", "FALSE", "BAD INPUT", "UNKNOWN", "TRUE"];
const ORDERS = {
  "the worst first": (a, b) => WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) || a.number - b.number,
  "as they were given": (a, b) => a.number - b.number,
  "the slowest first": (a, b) => (b.seconds ?? -1) - (a.seconds ?? -1) || a.number - b.number,
  "by name": (a, b) => (a.name < b.name ? -1 : 1),
};
const index = { programs: contents.rows.map((row, number) => ({ ...row, number })), verdicts: new Set(WORST_FIRST), words: "", order: Object.keys(ORDERS)[0], found: [] };

function filterPrograms() {
  const { programs, verdicts, words, order } = index;
  index.found = programs.filter((each) => verdicts.has(each.verdict) && `${each.name}\n${each.said}`.toLowerCase().includes(words)).sort(ORDERS[order]);
  index.status.textContent = `${index.found.length.toLocaleString("en")} of ${counted(programs.length, "program")}`;
  index.list.scrollTop = 0;
  index.rows.refresh();
}

// The folder that all programs are in.
function commonFolder() {
  const [first, ...others] = index.programs.map((each) => each.name);
  if (!others.length) return "";
  const parts = first.split("/").slice(0, -1);
  while (parts.length && !others.every((name) => name.startsWith(`${parts.join("/")}/`))) parts.pop();
  return parts.length ? `${parts.join("/")}/` : "";
}

function secondsText(row) {
  if (row.seconds === null) return "";
  return `${row.seconds.toFixed(1)}\u00a0s${row.is_kept ? ", known before" : ""}`;
}

function nameOf(row) {
  const name = shownName(row.name.slice(index.folder.length));
  return row.page ? el("a", { href: row.page, title: shownName(row.name) }, name) : name;
}

// What is said, without saying again where the program is.
function aboutOf(row) {
  return shown(row.said.startsWith(index.folder) ? row.said.slice(index.folder.length) : row.said);
}

function programRow(at) {
  const row = index.found[at];
  return el(
    "div",
    { class: "program", role: "listitem", "aria-setsize": index.found.length, "aria-posinset": at + 1 },
    verdictSign(row.verdict),
    el("span", { class: "name" }, nameOf(row)),
    el("span", { class: "quiet time" }, secondsText(row)),
    el("span", { class: "about", title: shown(row.said) }, aboutOf(row)),
  );
}

function verdictBox(verdict) {
  const count = index.programs.filter((row) => row.verdict === verdict).length;
  const box = el("input", { type: "checkbox", checked: true, onchange: () => (box.checked ? index.verdicts.add(verdict) : index.verdicts.delete(verdict), filterPrograms()) });
  return el("label", { class: "kind" }, box, " ", verdictSign(verdict), ` ${count.toLocaleString("en")}`);
}

function indexPaper() {
  const rows = [...index.programs].sort(ORDERS["the worst first"]).map((row) => el("tr", {}, el("td", {}, verdictSign(row.verdict)), el("td", {}, shownName(row.name.slice(index.folder.length))), el("td", {}, secondsText(row)), el("td", {}, aboutOf(row))));
  return el("div", { class: "paper" }, banner(), el("p", { class: "quiet" }, askedText()), el("table", {}, el("tbody", {}, rows)));
}

function banner() {
  return el("div", { class: `banner ${verdictClass(contents.verdict)}` }, el("h1", {}, verdictSign(contents.verdict)), el("p", {}, contents.headline));
}

function askedText() {
  const asked = index.folder ? [["programs of", shownName(index.folder)], ...contents.asked] : contents.asked;
  return asked.map(([name, text]) => `${name}: ${text}`).join(" · ");
}

function buildIndex() {
  index.folder = commonFolder();
  const used = WORST_FIRST.filter((verdict) => index.programs.some((row) => row.verdict === verdict));
  const words = el("input", { type: "search", placeholder: "name or text", "aria-label": "only with this in the name or what is said", oninput: (event) => ((index.words = event.target.value.toLowerCase()), filterPrograms()) });
  const order = el("select", { id: "order", onchange: (event) => ((index.order = event.target.value), filterPrograms()) }, Object.keys(ORDERS).map((name) => el("option", { value: name }, name)));
  index.status = el("span", { role: "status", class: "quiet" });
  index.list = el("div", { class: "programs", role: "list", tabindex: 0, "aria-label": "programs" });
  const tools = el("div", { class: "tools" }, used.map(verdictBox), words, el("label", { for: "order" }, "order "), order, index.status);
  document.getElementById("page").replaceWith(
    el("header", {}, el("p", { class: "title" }, el("span", { class: "file" }, shownName(contents.title))), themeButton()),
    el("main", { class: "view index" }, banner(), el("p", { class: "quiet asked" }, askedText()), tools, index.list),
  );
  index.found = index.programs;
  const isNarrow = matchMedia("(max-width: 48rem)").matches;
  index.rows = new Rows(index.list, { height: isNarrow ? 56 : 28, count: () => index.found.length, row: programRow });
  filterPrograms();
}

buildIndex();
addEventListener("beforeprint", () => document.body.append(indexPaper()));
addEventListener("afterprint", () => document.querySelectorAll(".paper").forEach((each) => each.remove()));
