// Elements, texts of programs, views.

let contents = JSON.parse(document.getElementById("contents").textContent);

// An element; strings among the children are text, never markup.
function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

// Text of a program, as people must see it: what would be invisible, or change the direction of what is around it, has a sign.
function shown(text) {
  return String(text)
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (found) => String.fromCharCode(0x2400 + found.charCodeAt(0)))
    .replace(/\u007f/g, "\u2421")
    .replace(
      /[\u0080-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
      (found) => `\u27e8U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`,
    );
}

// A text that is one line whatever is in it, like the name of a file.
function shownName(name) {
  return shown(name).replace(/[\t\n]/g, (found) => String.fromCharCode(0x2400 + found.charCodeAt(0)));
}

function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

function isNowhere(place) {
  return place[0] < 0;
}

const LONGEST_PATH = 40;

// Of a long path, the end.
function shortPath(name) {
  const end = `/${name.split("/").slice(-2).join("/")}`;
  return shownName(name.length > LONGEST_PATH && name.length > end.length ? `…${end}` : name);
}

// The name of a file, short if no other file has the same then.
function fileText(number) {
  const { name } = contents.files[number];
  const isClear = contents.files.every((other, at) => at === number || shortPath(other.name) !== shortPath(name));
  return isClear ? shortPath(name) : shownName(name);
}

function placeText(place) {
  if (isNowhere(place)) return "added by drystone";
  return `${fileText(place[0])}:${place[1]}`;
}

// Beside the source, where it is clear which file is meant if there is only one.
function lineText(place) {
  return isNowhere(place) || contents.files.length > 1 ? placeText(place) : `line ${place[1]}`;
}

// A button that shows a place in the source.
function placeLink(place, text = placeText(place)) {
  if (isNowhere(place)) return el("span", { class: "quiet" }, text);
  return el("button", { type: "button", class: "link", title: shownName(contents.files[place[0]].name), onclick: () => showPlace(place) }, text);
}

const SIGNS = { TRUE: "✓", FALSE: "✗", UNKNOWN: "?", RUNNING: "…", "BAD INPUT": "⚠", CRASHED: "✖" };

// The name of the class that colours a verdict.
function verdictClass(verdict) {
  return verdict.toLowerCase().replace(" ", "-");
}

function verdictSign(verdict) {
  return el("span", { class: `sign ${verdictClass(verdict)}` }, el("span", { "aria-hidden": "true" }, SIGNS[verdict] ?? "·"), ` ${verdict}`);
}

function chosenTheme() {
  return document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function themeButton() {
  return el("button", { type: "button", class: "theme", title: "light or dark", "aria-label": "light or dark", onclick: () => (document.documentElement.dataset.theme = chosenTheme() === "dark" ? "light" : "dark") }, "◐");
}

// For those who do not see which tab is chosen.
function unseenHeading(text) {
  return el("h1", { class: "unseen" }, text);
}

function section(title, ...children) {
  return el("section", {}, el("h2", {}, title), ...children);
}

// Pairs of a name and what there is to say.
function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.map(([name, text]) => [el("dt", {}, name), el("dd", {}, text instanceof Node ? text : shown(text))]));
}

// Views: of each an id, a title, and what builds it when it is shown for the first time.
const views = [];
const built = new Map();

function addView(id, title, build, shownAgain = () => {}) {
  views.push({ id, title, build, shownAgain });
}

function showView(id, { focus = false } = {}) {
  for (const view of views) {
    const tab = document.getElementById(`tab-${view.id}`);
    const panel = document.getElementById(`view-${view.id}`);
    const isShown = view.id === id;
    tab.setAttribute("aria-selected", String(isShown));
    tab.tabIndex = isShown ? 0 : -1;
    panel.hidden = !isShown;
    if (!isShown) continue;
    if (!built.has(id)) {
      built.set(id, true);
      view.build(panel);
    }
    view.shownAgain();
    if (focus) tab.focus();
  }
  if (decodeURIComponent(location.hash.slice(1)) !== id) history.replaceState(null, "", `#${id}`);
}
