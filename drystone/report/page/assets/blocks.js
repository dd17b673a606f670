// The block graph: one node a block, coloured by what it has said last; a block opens what is known of it.

const blocksView = { chosen: 0, timer: null };

function buildBlocks(panel) {
  if (!story) return noStory(panel);
  const host = el("div", { class: "canvas" });
  const list = el("div", { class: "list", tabindex: 0, role: "listbox", "aria-label": "blocks", onkeydown: blockKey });
  const about = el("div", { class: "aboutblock", tabindex: 0, role: "region", "aria-label": "the chosen block" });
  const slider = el("input", { type: "range", min: 0, max: story.messages.length, "aria-label": "messages sent so far", oninput: (event) => goToMessage(Number(event.target.value) - 1) });
  const told = el("span", { role: "status", class: "quiet" });
  const play = el("button", { type: "button", onclick: () => playRun(play) }, "▶ play");
  const tools = el("div", { class: "tools" }, play, slider);
  panel.append(unseenHeading("Blocks"), tools, told, el("div", { class: "split" }, host, el("div", { class: "side" }, list, about)), el("div", {}, legend(Object.entries(STATES).map(([name, { sign, about: text }]) => [name, sign, text])), storyNotes()));
  const nodes = story.blocks.map((block) => ({ label: block.id, below: isNowhere(block.place) ? "" : `${block.place[1]}–${block.until} · ${counted(block.size, "edge")}` }));
  const graph = new Graph(host, nodes, story.edges, {
    state: (number) => ({ name: stateOf(number), sign: STATES[stateOf(number)].sign }),
    chosen: (number) => chooseBlock(number),
    label: `block graph: ${counted(nodes.length, "block")}, ${counted(story.edges.length, "edge")}; the list beside it has them all`,
  });
  tools.append(...zoomButtons(graph));
  const rows = new Rows(list, { height: 22, count: () => story.blocks.length, row: blockRow });
  Object.assign(blocksView, { graph, rows, list, about, slider, told });
  story.listeners.push(drawRun);
  drawRun();
  chooseBlock(0);
}

function legend(items) {
  return el("ul", { class: "legend" }, items.map(([name, sign, text]) => el("li", {}, el("span", { class: `swatch ${name}`, "aria-hidden": "true" }, sign), ` ${text}`)));
}

function drawRun() {
  const message = story.messages[story.at];
  blocksView.slider.value = String(story.at + 1);
  blocksView.told.textContent = message
    ? `message ${story.at + 1} of ${story.messages.length}, at ${seconds(message.time)}: ${messageLine(message)}`
    : `before the first of ${counted(story.messages.length, "message")}`;
  const edges = message
    ? story.edges.flatMap(([from, to], number) => ((message.sender === from && message.receivers.includes(to)) || (message.sender === to && message.receivers.includes(from)) ? [number] : []))
    : [];
  blocksView.graph.light(edges);
  blocksView.rows.refresh();
  if (blocksView.about.firstChild) drawBlock();
}

function playRun(button) {
  if (blocksView.timer !== null) {
    clearInterval(blocksView.timer);
    blocksView.timer = null;
    button.textContent = "▶ play";
    return;
  }
  button.textContent = "❚❚ pause";
  if (story.at >= story.messages.length - 1) goToMessage(-1);
  const step = Math.max(1, Math.round(story.messages.length / 200));
  blocksView.timer = setInterval(() => {
    goToMessage(story.at + step);
    if (story.at >= story.messages.length - 1) playRun(button);
  }, 120);
}

function blockRow(number) {
  const state = stateOf(number);
  return el(
    "div",
    { class: `pick${number === blocksView.chosen ? " at" : ""}`, role: "option", id: `block-${number}`, "aria-selected": String(number === blocksView.chosen), "aria-setsize": story.blocks.length, "aria-posinset": number + 1, onclick: () => chooseBlock(number, { reveal: true }) },
    el("span", { class: `swatch ${state}`, "aria-hidden": "true" }, STATES[state].sign),
    ` ${blockName(number)} `,
    el("span", { class: "quiet" }, STATES[state].about),
  );
}

function blockKey(event) {
  const page = Math.max(1, Math.floor(blocksView.list.clientHeight / 22) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  if (!(event.key in steps)) return;
  event.preventDefault();
  chooseBlock(Math.max(0, Math.min(story.blocks.length - 1, blocksView.chosen + steps[event.key])), { reveal: true });
}

function chooseBlock(number, { reveal = false } = {}) {
  blocksView.chosen = number;
  blocksView.graph.select(number, { reveal });
  blocksView.rows.refresh();
  blocksView.rows.reveal(number, 1);
  blocksView.list.setAttribute("aria-activedescendant", `block-${number}`);
  drawBlock();
}

function drawBlock() {
  const number = blocksView.chosen;
  const block = story.blocks[number];
  const calls = story.callsOf[number];
  const sum = (what) => calls.reduce((all, call) => all + what(call), 0);
  const sent = story.messages.slice(0, story.at + 1);
  const mine = (kind) => sent.filter((message) => message.kind === kind && message.sender === number);
  const counters = Object.entries(block.counters).filter(([, count]) => count);
  const isOpen = blocksView.about.querySelector("details")?.open;
  const parts = [
    el("h2", {}, blockName(number)),
    facts([
      ["state", STATES[stateOf(number)].about],
      ["source", el("span", {}, placeLink(block.place), isNowhere(block.place) ? "" : ` to line ${block.until}`)],
      ["leads to", block.followers.map(blockName).slice(0, 12).join(", ") + (block.leads_to_error ? (block.followers.length ? ", an error" : "an error") : "") || "the end"],
      ["time", `${seconds(sum((call) => call.ended - call.began))} in ${counted(calls.length, "call")}, ${seconds(sum((call) => call.solving))} of it solving`],
      ...counters.map(([name, count]) => [name.replaceAll("_", " "), count.toLocaleString("en")]),
    ]),
    said("Precondition", `what others, or it itself, have said of the states where it starts`, sent.filter((message) => message.kind === "BLOCKPOSTCONDITION" && message.location === block.start)),
    said("Postconditions", `${shown(story.posts)} that it has sent`, mine("BLOCKPOSTCONDITION")),
    said("Violation conditions", "states from which it may get to an error", mine("ERRORCONDITION")),
    said("Refutations", "what it has excluded for blocks behind it", mine("ERRORCONDITIONUNREACHABLE")),
    said("Invariants", "what it may rely on", sent.filter((message) => message.kind === "INVARIANT" && message.receivers.includes(number))),
    el("details", { open: isOpen === true, ontoggle: (event) => event.target.open && drawAutomaton(event.target, block) }, el("summary", {}, `Automaton: ${counted(block.size, "edge")}`)),
  ];
  blocksView.about.replaceChildren(...parts.filter((part) => part !== null));
}

const MOST_SAID = 12;

// The last different things, with their levels.
function said(title, about, messages) {
  if (!messages.length) return null;
  const latest = new Map();
  for (const message of messages) {
    latest.delete(message.text);
    latest.set(message.text, message);
  }
  const different = [...latest.values()].reverse();
  return el(
    "div",
    {},
    el("h3", {}, title, " ", el("span", { class: "quiet" }, about)),
    el("ul", { class: "formulas" }, different.slice(0, MOST_SAID).map((message) => el("li", {}, el("code", {}, shown(shortened(message.text, 600))), message.level ? el("span", { class: "quiet" }, `  level ${message.level}`) : ""))),
    different.length > MOST_SAID ? el("p", { class: "quiet" }, `and ${counted(different.length - MOST_SAID, "earlier one")}: see Messages`) : null,
  );
}

const MOST_DRAWN = 90;

function drawAutomaton(host, block) {
  if (host.childElementCount > 1) return;
  const edges = block.edges.map(([source, target, text, line]) => ({ source, target, text: story.texts[text], line }));
  if (edges.length <= MOST_DRAWN) {
    const locations = [...new Set([block.start, ...edges.flatMap(({ source, target }) => [source, target])])];
    const index = new Map(locations.map((location, at) => [location, at]));
    const canvas = el("div", { class: "canvas small" });
    host.append(canvas);
    const graph = new Graph(
      canvas,
      locations.map((location) => ({ label: `${location === block.start ? "start " : block.exits.includes(location) ? "exit " : ""}${location}`, below: edges.find(({ source }) => source === location)?.text ?? "" })),
      edges.map(({ source, target }) => [index.get(source), index.get(target)]),
      { state: (at) => ({ name: locations[at] === block.start || block.exits.includes(locations[at]) ? "says" : "idle", sign: "" }), chosen: () => {}, label: `automaton of ${block.id}; its edges are listed below` },
    );
    host.append(el("div", { class: "tools" }, zoomButtons(graph)));
  }
  const list = el("div", { class: "list edges", tabindex: 0, role: "region", "aria-label": "edges" });
  host.append(list);
  new Rows(list, {
    height: 20,
    count: () => edges.length,
    row: (at) => el("div", { class: "edge" }, el("span", { class: "number" }, `${edges[at].source} → ${edges[at].target}`), el("code", {}, shown(shortened(edges[at].text, 300))), el("span", { class: "quiet" }, edges[at].line > 0 ? `  line ${edges[at].line}` : "")),
  });
  if (block.edges.length < block.size) host.append(el("p", { class: "quiet" }, `${counted(block.size - block.edges.length, "edge")} more are not in this report.`));
}
