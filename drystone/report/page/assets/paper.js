// On paper: one view after the other, as text without anything to click on, and no more of it than one would read.

const MOST_ON_PAPER = 400;

function buildPaper() {
  const paper = el("div", { class: "paper" }, el("p", { class: "file" }, shownName(contents.file)));
  buildVerdict(paper);
  for (const each of contents.executions.slice(0, 3)) paper.append(...executionOnPaper(each));
  const notes = contents.notes.filter((note) => note.kind !== "error");
  if (notes.length) paper.append(onPaper("Beside the source", ["where", "what", ""], notes, (note) => [placeText(note.place), shown(note.about || note.kind), code(note.lines.join("\n"))]));
  if (story) paper.append(onPaper("Blocks", ["block", "lines", "state"], story.blocks, (block, number) => [shown(block.id), isNowhere(block.place) ? "" : `${placeText(block.place)}–${block.until}`, STATES[stateOf(number)].about]));
  for (const each of paper.querySelectorAll("details")) each.open = true;
  return paper;
}

function executionOnPaper(told) {
  const title = `Execution to ${shown(told.error)} at ${placeText(told.place)}`;
  const faults = told.faults.map((fault, number) => el("li", {}, `${placeText(fault.place)}: ${shown(fault.reason)}`));
  const list = faults.length ? section("Lines that could be changed so that it does not fail", el("ol", {}, faults.slice(0, MOST_FAULTS))) : "";
  return [onPaper(title, ["line", "in", "", "values"], told.steps, (step) => [isNowhere(step.place) ? "" : String(step.place[1]), shown(step.function), code(stepText(step).slice(0, 200)), code(effects(step).slice(0, 400))]), list];
}

function code(text) {
  return el("code", {}, shown(text));
}

// A table; of a long one the first and the last rows.
function onPaper(title, heads, items, row) {
  const half = MOST_ON_PAPER / 2;
  const cells = (chosen, from) => chosen.map((item, at) => el("tr", {}, row(item, from + at).map((cell) => el("td", {}, cell))));
  const left = items.length - MOST_ON_PAPER;
  const rows = left > 0 ? [...cells(items.slice(0, half), 0), el("tr", {}, el("td", { colspan: heads.length }, `… ${left} left out`)), ...cells(items.slice(-half), items.length - half)] : cells(items, 0);
  return section(title, el("table", {}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, rows)));
}

addEventListener("beforeprint", () => document.body.append(buildPaper()));
addEventListener("afterprint", () => document.querySelectorAll(".paper").forEach((each) => each.remove()));
