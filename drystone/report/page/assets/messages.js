// The messages of a run, as in Figure 17 of Kettl 2022: columns are blocks, rows time; kinds have colours and shapes.

const messagesView = { kinds: new Set(Object.keys(KINDS)), block: -2, words: "", found: [], left: 480 };

function buildMessages(panel) {
  if (!story) return noStory(panel);
  const used = Object.keys(KINDS).filter((kind) => story.messages.some((message) => message.kind === kind));
  const boxes = used.map((kind) =>
    el("label", { class: "kind" }, el("input", { type: "checkbox", checked: true, onchange: (event) => (event.target.checked ? messagesView.kinds.add(kind) : messagesView.kinds.delete(kind), filterMessages()) }), el("span", { class: `swatch ${kind}`, "aria-hidden": "true" }, KINDS[kind].sign), ` ${KINDS[kind].name}`),
  );
  const names = el("datalist", { id: "blocknames" }, story.blocks.slice(0, 300).map((block) => el("option", { value: shown(block.id) })));
  const block = el("input", { type: "search", list: "blocknames", placeholder: "block", "aria-label": "only of or to this block", oninput: (event) => filterBlock(event.target.value) });
  const words = el("input", { type: "search", placeholder: "text", "aria-label": "only with this text", oninput: (event) => ((messagesView.words = event.target.value.toLowerCase()), filterMessages()) });
  const status = el("span", { role: "status", class: "quiet" });
  const head = el("div", { class: "heads", "aria-hidden": "true" });
  const table = el("div", { class: "messages", tabindex: 0, role: "listbox", "aria-label": "messages", onkeydown: messageKey });
  const detail = el("div", { class: "detail", tabindex: 0, role: "region", "aria-label": "the chosen message" });
  panel.append(unseenHeading("Messages"), el("div", { class: "tools" }, boxes, block, names, words, status), head, table, detail, ...storyNotes());
  Object.assign(messagesView, { status, head, table, detail, column: story.blocks.length <= 40 ? 30 : 16 });
  messagesView.found = story.messages;
  messagesView.rows = new Rows(table, { height: 22, count: () => messagesView.found.length, row: messageRow });
  table.addEventListener("scroll", () => (drawHeads(), drawMarks()), { passive: true });
  new ResizeObserver(() => (drawHeads(), drawMarks())).observe(table);
  story.listeners.push(drawMessage);
  filterMessages();
  drawMessage();
}

function filterBlock(name) {
  messagesView.block = name === "" ? -2 : name === "coordinator" ? -1 : story.blocks.findIndex((block) => shown(block.id) === name);
  if (name !== "" && name !== "coordinator" && messagesView.block < 0) messagesView.block = -3; // no such block
  filterMessages();
}

function filterMessages() {
  const { kinds, block, words } = messagesView;
  messagesView.found = story.messages.filter(
    (message) =>
      kinds.has(message.kind) &&
      (block === -2 || message.sender === block || message.receivers.includes(block)) &&
      (words === "" || message.text.toLowerCase().includes(words)),
  );
  messagesView.status.textContent = `${messagesView.found.length.toLocaleString("en")} of ${counted(story.messages.length, "message")}`;
  drawHeads();
  messagesView.rows.refresh();
}

function visibleColumns() {
  const { table, column, left } = messagesView;
  const first = Math.max(0, Math.floor(table.scrollLeft / column) - 1);
  return [first, Math.min(story.blocks.length, first + Math.ceil(Math.max(table.clientWidth - left, 100) / column) + 2)];
}

function drawHeads() {
  const { table, head, column } = messagesView;
  const least = Math.min(480, 0.62 * table.clientWidth); // at most this is for the texts where there are many blocks
  const left = (messagesView.left = Math.max(least, Math.min(780, table.clientWidth - story.blocks.length * column - 40)));
  table.style.setProperty("--left", `${left}px`);
  const [first, last] = visibleColumns();
  const every = Math.max(1, Math.ceil(14 / column));
  const heads = [el("span", { class: "corner" }, "time, message")];
  for (let block = first; block < last; block += every) {
    const made = el("span", { class: "head" }, shortened(blockName(block), 16));
    made.style.left = `${left + block * column - table.scrollLeft + column / 2}px`;
    if (block * column >= table.scrollLeft) heads.push(made);
  }
  head.style.height = `${1.4 + 0.43 * Math.min(16, Math.max(...story.blocks.slice(first, last).map((block) => block.id.length), 4))}rem`;
  head.replaceChildren(...heads);
  messagesView.rows.space.style.width = `${left + story.blocks.length * column + 20}px`;
}

// Rows that stay where they are while one scrolls to the side get other marks.
function drawMarks() {
  messagesView.rows.first = -1;
  messagesView.rows.draw();
}

function messageRow(at) {
  const message = messagesView.found[at];
  const { column, left } = messagesView;
  const [first, last] = visibleColumns();
  const isAt = message.number === story.at;
  const row = el(
    "div",
    { class: `message${isAt ? " at" : ""}`, role: "option", id: `message-${message.number}`, "aria-selected": String(isAt), "aria-setsize": messagesView.found.length, "aria-posinset": at + 1, onclick: () => goToMessage(message.number) },
    el(
      "span",
      { class: "what" },
      el("span", { class: "time" }, seconds(message.time)),
      el("span", { class: `swatch ${message.kind}`, "aria-label": KINDS[message.kind].name, role: "img" }, KINDS[message.kind].sign),
      ` ${shortened(blockName(message.sender), 18)}: ${shown(shortened(message.text, 80))}`,
    ),
  );
  const mark = (block, name, sign) => {
    if (block < first || block >= last) return;
    const made = el("span", { class: `mark ${name}`, "aria-hidden": "true" }, sign);
    made.style.left = `${left + block * column}px`;
    made.style.width = `${column}px`;
    row.append(made);
  };
  mark(message.sender, `swatch ${message.kind}`, KINDS[message.kind].sign);
  for (const receiver of message.receivers) if (receiver !== message.sender) mark(receiver, `heard ${message.kind}`, "◂");
  return row;
}

function drawMessage() {
  const message = story.messages[story.at];
  messagesView.rows.refresh();
  if (!message) return messagesView.detail.replaceChildren(el("p", { class: "quiet" }, "No message is chosen."));
  const place = message.sender >= 0 ? story.blocks[message.sender].place : [-1, 0];
  messagesView.detail.replaceChildren(
    el("p", {}, el("strong", {}, `${message.number + 1}. ${messageLine(message)}`), ` at ${seconds(message.time)}${message.level ? `, level ${message.level}` : ""} `, isNowhere(place) ? "" : placeLink(place)),
    el("pre", {}, shown(message.text)),
  );
  const at = messagesView.found.indexOf(message); // which is revealed when there is as much room as there will be
  if (at < 0) return;
  messagesView.rows.reveal(at);
  revealColumns(message);
  messagesView.table.setAttribute("aria-activedescendant", `message-${message.number}`);
}

// Scrolls to the side where none of the message's blocks can be seen.
function revealColumns(message) {
  const { table, column, left } = messagesView;
  const blocks = [message.sender, ...message.receivers].filter((block) => block >= 0);
  const isSeen = (block) => block * column >= table.scrollLeft && (block + 1) * column <= table.scrollLeft + table.clientWidth - left;
  if (blocks.length && !blocks.some(isSeen)) table.scrollLeft = Math.max(0, blocks[0] * column - (table.clientWidth - left) / 2);
}

function messageKey(event) {
  const at = messagesView.found.findIndex((message) => message.number >= story.at);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
  if (!(event.key in steps) || !messagesView.found.length) return;
  event.preventDefault();
  const next = Math.max(0, Math.min(messagesView.found.length - 1, (at < 0 ? messagesView.found.length - 1 : at) + steps[event.key]));
  goToMessage(messagesView.found[next].number);
}
