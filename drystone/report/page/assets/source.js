// The source, with what was found beside its lines; an execution that one can step through.

const texts = new Map();

function textOf(file) {
  if (!texts.has(file)) texts.set(file, new Text(contents.files[file]));
  return texts.get(file);
}

const NOTE_SIGNS = { invariant: "∞", requires: "⇥", ensures: "↦", assumption: "≈", undefined: "⚠", error: "✗", fault: "✎" };
const NOTE_NAMES = {
  invariant: "holds whenever control is here",
  requires: "requires",
  ensures: "ensures",
  assumption: "assumed",
  undefined: "undefined behaviour seen",
  fault: "could be changed",
};
const ERROR_TEXTS = { FALSE: "an execution fails here", TRUE: "no execution fails here", UNKNOWN: "not decided" };
const ROW = 20;

const source = { file: 0, rows: [], line: 0 };
let execution = null;

function notesByLine(file) {
  const found = new Map();
  for (const note of [...contents.notes, ...faultNotes()]) {
    if (note.place[0] !== file) continue;
    if (!found.has(note.place[1])) found.set(note.place[1], []);
    found.get(note.place[1]).push(note);
  }
  return found;
}

function faultNotes() {
  const faults = execution?.told.faults ?? [];
  return faults.map((fault, number) => ({ kind: "fault", place: fault.place, lines: [fault.reason], about: `${number + 1}.` }));
}

// Lines of the file, with what is said of a line as rows above it.
function layOutSource() {
  const text = textOf(source.file);
  const notes = notesByLine(source.file);
  source.rows = [];
  source.rowOfLine = new Int32Array(text.lines.length + 2);
  source.errors = new Map();
  for (let line = 1; line <= text.lines.length; line++) {
    for (const note of notes.get(line) ?? []) {
      if (note.kind === "error") addError(line, note.about, note.lines[0]);
      else note.lines.forEach((said, number) => source.rows.push({ note, said, number }));
    }
    source.rowOfLine[line] = source.rows.length;
    source.rows.push({ line });
  }
  const covered = contents.coverage.find((each) => each.file === source.file);
  source.relevant = new Set(covered?.relevant);
  source.irrelevant = new Set(covered?.others);
  source.visits = new Map();
  if (execution)
    for (const step of execution.told.steps)
      if (step.place[0] === source.file) source.visits.set(step.place[1], (source.visits.get(step.place[1]) ?? 0) + 1);
}

const WORST = ["FALSE", "UNKNOWN", "TRUE"];

// Of several error locations in a line, the worst verdict counts, and of that one all that can go wrong.
function addError(line, verdict, what) {
  const known = source.errors.get(line);
  const isWorse = !known || WORST.indexOf(verdict) < WORST.indexOf(known.verdict);
  const same = known?.verdict === verdict ? [...known.what, what] : isWorse ? [what] : known.what;
  source.errors.set(line, { verdict: isWorse ? verdict : known.verdict, what: same, count: (known?.count ?? 0) + 1 });
}

function errorText({ verdict, what, count }) {
  return `${ERROR_TEXTS[verdict] ?? ""}${count > 1 && verdict !== "TRUE" ? `: ${what.join("; ")}` : ""}`;
}

function sourceRow(number) {
  const row = source.rows[number];
  return row.note ? noteRow(row) : lineRow(row.line);
}

function noteRow({ note, said, number }) {
  const about = note.kind === "assumption" || note.about === "" ? (NOTE_NAMES[note.kind] ?? "") : `${note.about} ${NOTE_NAMES[note.kind]}`;
  const label = note.kind === "assumption" ? `assumed (${note.about})` : about;
  const and = number > 0 && note.kind !== "assumption" ? "and" : label;
  return el(
    "div",
    { class: `note ${note.kind}` },
    el("span", { class: "gutter", "aria-hidden": "true" }, number ? "" : NOTE_SIGNS[note.kind]),
    el("span", {}, `${and}: `, el("span", { class: "said" }, shown(said))),
  );
}

function lineRow(line) {
  const text = textOf(source.file);
  const visits = source.visits.get(line);
  const found = source.errors.get(line);
  const error = found?.verdict;
  const step = execution?.told.steps[execution.at];
  const isAt = step && step.place[0] === source.file && step.place[1] === line;
  const row = el(
    "div",
    { class: ["line", source.relevant.has(line) ? "relevant" : source.irrelevant.has(line) ? "irrelevant" : "", visits ? "visited" : "", isAt ? "at" : "", line === source.line ? "chosen" : "", error ? `error ${error.toLowerCase()}` : ""].join(" ") },
    el("span", { class: "gutter" }, isAt ? "▶" : error ? (SIGNS[error] ?? "") : visits > 1 ? `${visits}×` : visits ? "·" : ""),
    el("span", { class: "number" }, String(line)),
    el("code", {}, text.highlighted(line)),
  );
  if (error) row.append(el("span", { class: `inline error ${error.toLowerCase()}` }, shown(errorText(found))));
  if (isAt) {
    const said = [step.text, ...step.inputs, effects(step)].filter(Boolean).join("   ");
    if (said) row.append(el("span", { class: "inline values" }, shown(said.length > 400 ? `${said.slice(0, 400)}…` : said)));
  }
  return row;
}

function buildSource(panel) {
  if (!contents.files.length) {
    panel.append(unseenHeading("Source"), el("p", {}, "There is no source to show."));
    return;
  }
  const chooser = el(
    "select",
    { id: "file", onchange: (event) => showFile(Number(event.target.value)) },
    contents.files.map((file, number) => el("option", { value: number, title: shownName(file.name) }, fileText(number))),
  );
  const search = el("input", { type: "search", id: "search", placeholder: "text or line number", "aria-label": "find in this file" });
  const found = el("span", { role: "status", class: "quiet" });
  const form = el("form", { class: "tools", onsubmit: (event) => (event.preventDefault(), find(search.value, found)) });
  form.append(el("label", { for: "file" }, "file "), chooser, search, el("button", { type: "submit" }, "find"), found);
  const code = el("div", { class: "code", tabindex: 0, role: "region", "aria-label": "source" });
  const side = el("div", { class: "side" });
  const legend = el("p", { class: "quiet covered", hidden: true });
  panel.append(unseenHeading("Source"), form, legend, el("div", { class: "split" }, code, side));
  Object.assign(source, { chooser, code, legend });
  if (contents.executions.length) execution = new Execution(contents.executions[source.execution ?? 0], stepped);
  layOutSource();
  drawLegend();
  source.list = new Rows(code, { height: ROW, count: () => source.rows.length, row: sourceRow, columns: () => textOf(source.file).columns + 60 });
  if (execution) buildExecution(side);
  else buildNotes(side);
}

// What the bars beside the lines of a proved program mean.
function drawLegend() {
  const { relevant, irrelevant, legend } = source;
  legend.hidden = !relevant.size && !irrelevant.size;
  legend.replaceChildren(
    el("span", { class: "sample relevant" }, `${counted(relevant.size, "line")}`),
    relevant.size === 1 ? " decides" : " decide",
    " whether an error is reached: the proof is about them. ",
    el("span", { class: "sample irrelevant" }, `${counted(irrelevant.size, "line")}`),
    irrelevant.size === 1 ? " of code does not." : " of code do not.",
  );
}

function showFile(file, line = 0) {
  source.line = line;
  if (file !== source.file || !source.rows.length) {
    source.file = file;
    source.chooser.value = String(file);
    source.code.scrollTop = 0;
    layOutSource();
    drawLegend();
  }
  source.list.refresh();
  if (line) source.list.centre(source.rowOfLine[Math.min(line, textOf(file).lines.length)]);
}

function showPlace(place) {
  showView("source");
  if (isNowhere(place)) return;
  showFile(place[0], place[1]);
  source.code.focus({ preventScroll: true });
}

function find(words, told) {
  const lines = textOf(source.file).lines;
  if (/^\d+$/.test(words.trim())) {
    const line = Math.min(Number(words), lines.length);
    told.textContent = `line ${line}`;
    showFile(source.file, line);
    return;
  }
  if (!words) return;
  for (let step = 1; step <= lines.length; step++) {
    const at = (source.line - 1 + step + lines.length) % lines.length;
    if (lines[at].toLowerCase().includes(words.toLowerCase())) {
      told.textContent = `line ${at + 1}`;
      showFile(source.file, at + 1);
      return;
    }
  }
  told.textContent = "not in this file";
}

// What is said beside lines, as a list to go to them.
function buildNotes(side) {
  const wanted = contents.notes.filter((note) => note.kind !== "error");
  side.hidden = !wanted.length;
  side.parentNode.classList.toggle("alone", side.hidden);
  side.append(el("h2", {}, "Beside the source"));
  const list = el("div", { class: "list", tabindex: 0, role: "region", "aria-label": "what is said beside the source" });
  side.append(list);
  new Rows(list, {
    height: 44,
    count: () => wanted.length,
    row: (number) => {
      const note = wanted[number];
      const what = note.kind === "assumption" ? note.about : note.about ? `${note.about} ${note.kind}` : note.kind;
      return el("div", { class: `beside ${note.kind}` }, el("div", {}, el("strong", {}, shown(what)), " ", placeLink(note.place, lineText(note.place))), el("div", { class: "said" }, shown(note.lines.length > 1 ? note.lines.map(conjunct).join(" && ") : note.lines[0])));
    },
  });
}

function conjunct(text) {
  return text.includes("||") || text.includes("?") ? `(${text})` : text;
}

function showExecution(number) {
  source.execution = number;
  const isBuilt = built.has("source");
  showView("source");
  if (isBuilt) chooseExecution(number);
  source.tree.focus({ preventScroll: true }); // so that the keys step
}

function chooseExecution(number) {
  execution = new Execution(contents.executions[number], stepped);
  source.side.replaceChildren();
  layOutSource();
  buildExecution(source.side, number);
}

function buildExecution(side, number = source.execution ?? 0) {
  source.side = side;
  const last = execution.told.steps.length - 1;
  const button = (text, label, act) => el("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  const slider = el("input", { type: "range", min: 0, max: Math.max(last, 0), "aria-label": "step", oninput: (event) => execution.go(Number(event.target.value)) });
  const told = el("p", { role: "status", class: "told" });
  const tree = el("div", { class: "steps", tabindex: 0, role: "tree", "aria-label": "steps of the execution", onkeydown: stepKey });
  const values = el("div", { class: "values", tabindex: 0, role: "region", "aria-label": "values written last" });
  if (contents.executions.length > 1)
    side.append(
      el("label", { for: "execution" }, "execution to "),
      el(
        "select",
        { id: "execution", onchange: (event) => chooseExecution(Number(event.target.value)) },
        contents.executions.map((each, at) => el("option", { value: at, selected: at === number }, `${shown(each.error)} at ${placeText(each.place)}`)),
      ),
    );
  side.append(
    el(
      "div",
      { class: "tools", role: "group", "aria-label": "stepping" },
      button("|◀", "first step", () => execution.go(0)),
      button("◀", "step back", () => execution.go(execution.at - 1)),
      button("▶", "step forward", () => execution.go(execution.at + 1)),
      button("▶|", "last step", () => execution.go(last)),
      slider,
      execution.loops.length ? button("⊟", "fold all loops", () => (execution.openAll(false), drawTree())) : null,
      execution.loops.length ? button("⊞", "unfold all loops", () => (execution.openAll(true), drawTree())) : null,
    ),
    told,
    tree,
    el("p", { class: "quiet keys" }, "keys in the steps: ↑ ↓ step", execution.loops.length ? ", ← → fold and unfold loops" : "", ", Home and End"),
    ...faultList(),
    el("h2", {}, "Values written last"),
    values,
  );
  const kinds = execution.told.facts.filter(([, lines]) => lines.length);
  if (kinds.length)
    side.append(el("details", { class: "about" }, el("summary", {}, "About this execution"), facts(kinds.map(([name, lines]) => [name, lines.slice(0, 100).join(",\n")]))));
  Object.assign(source, { slider, told, tree, values });
  source.treeRows = new Rows(tree, { height: 22, count: () => execution.rows.length, row: treeRow });
  source.valueRows = new Rows(values, { height: 22, count: () => source.written.length, row: valueRow });
  execution.go(last);
}

const MOST_FAULTS = 50;

function faultList() {
  const { faults } = execution.told;
  if (!faults.length) return [];
  const items = faults.slice(0, MOST_FAULTS).map((fault) => el("li", {}, placeLink(fault.place, lineText(fault.place)), ` ${shown(fault.reason)}`, fault.size > 1 ? ` (with ${counted(fault.size - 1, "other line")})` : ""));
  return [el("details", { class: "about faults", open: true }, el("summary", {}, `${counted(faults.length, "line")} could be changed so that it does not fail`), el("ol", {}, items))];
}

function stepped() {
  const step = execution.told.steps[execution.at];
  if (!step) return;
  source.slider.value = String(execution.at);
  const thread = step.thread === null ? "" : `, thread ${step.thread}`;
  source.told.textContent = `step ${execution.at + 1} of ${execution.told.steps.length}, in ${shown(step.function)}${thread}`;
  source.written = execution.written();
  source.valueRows.refresh();
  source.values.scrollTop = 0;
  if (!isNowhere(step.place)) {
    if (step.place[0] !== source.file) showFile(step.place[0]);
    source.line = 0;
    source.list.refresh();
    source.list.reveal(source.rowOfLine[Math.min(step.place[1], textOf(step.place[0]).lines.length)], 6);
  }
  drawTree();
}

source.written = [];

function drawTree({ reveal = true } = {}) {
  source.treeRows.refresh();
  if (reveal) source.treeRows.reveal(execution.rowOf[execution.at]);
  source.tree.setAttribute("aria-activedescendant", `step-${execution.rowOf[execution.at]}`);
}

function treeRow(at) {
  const row = execution.rows[at];
  const isAt = execution.rowOf[execution.at] === at;
  const attributes = { role: "treeitem", id: `step-${at}`, "aria-level": row.level, "aria-selected": String(isAt), class: `step ${row.kind}${isAt ? " at" : ""}` };
  if (row.kind === "omitted") return el("div", attributes, `… ${counted(execution.told.omitted, "step")} left out`);
  if (row.kind === "step") {
    const step = execution.told.steps[row.number];
    const thread = step.thread === null ? null : el("span", { class: `thread t${step.thread % 6}` }, `T${step.thread}`);
    const made = el(
      "div",
      { ...attributes, onclick: () => execution.go(row.number) },
      el("span", { class: "number" }, isNowhere(step.place) ? "" : String(step.place[1])),
      thread,
      el("code", {}, shown(stepText(step)).slice(0, 160)),
      el("span", { class: "inline values" }, shown(effects(step)).slice(0, 160)),
    );
    made.style.paddingLeft = `${(row.level - 1) * 12 + Math.min(step.depth, 12) * 10}px`;
    return made;
  }
  const count = row.loop.iterations.length;
  const label = row.kind === "loop" ? `loop at line ${row.loop.line}: ${counted(count, "iteration")}` : `iteration ${row.at + 1} of ${count}`;
  const made = el(
    "div",
    { ...attributes, "aria-expanded": String(row.isOpen), onclick: () => (execution.toggle(row.key), drawTree({ reveal: false })) },
    el("span", { "aria-hidden": "true" }, row.isOpen ? "▾ " : "▸ "),
    label,
  );
  made.style.paddingLeft = `${row.level * 12}px`;
  return made;
}

function valueRow(at) {
  const [name, number] = source.written[at];
  const step = execution.told.steps[number];
  return el(
    "div",
    { class: `value${number === execution.at ? " fresh" : ""}` },
    el("code", {}, shown(name)),
    " = ",
    el("code", { class: "inline values" }, shown(step.changes[name]).slice(0, 400)),
    el("span", { class: "quiet" }, `  in ${shown(step.function)}${isNowhere(step.place) ? "" : `, line ${step.place[1]}`}`),
  );
}

// In the tree: up and down from row to row that is a step, left and right to fold and unfold.
function stepKey(event) {
  const last = execution.told.steps.length - 1;
  const row = execution.rows[execution.rowOf[execution.at]];
  const acts = {
    ArrowDown: () => execution.go(row.kind === "step" ? execution.at + 1 : row.end),
    ArrowUp: () => execution.go((row.kind === "step" ? execution.at : row.start) - 1),
    Home: () => execution.go(0),
    End: () => execution.go(last),
    PageDown: () => execution.go(execution.at + 10),
    PageUp: () => execution.go(execution.at - 10),
    ArrowLeft: () => foldAround(),
    ArrowRight: () => row.kind !== "step" && (execution.toggle(row.key, true), drawTree()),
    Enter: () => row.kind !== "step" && (execution.toggle(row.key), drawTree()),
  };
  if (!(event.key in acts) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  acts[event.key]();
}

// The innermost open iteration or loop around the step.
function foldAround() {
  const keys = execution.rows.filter((row) => row.isOpen && row.start <= execution.at && execution.at < row.end).map((row) => row.key);
  if (keys.length) execution.toggle(keys[keys.length - 1], false);
  drawTree();
}
