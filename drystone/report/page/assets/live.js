// While the run goes on: what it is at, what is known so far; in the end, its report takes the place of this page.

const live = { version: -1, contents: -1 };
const PATIENCE = 250; // milliseconds between two questions

function liveLine() {
  live.phase = el("strong", { role: "status" });
  live.figures = el("span", { class: "quiet" });
  live.end = el("button", { type: "button", onclick: endRun }, "end the run");
  return el("div", { class: "live" }, live.phase, " ", live.figures, live.end);
}

async function follow() {
  try {
    for (;;) {
      const state = await (await fetch(`state?seen=${live.version}`)).json();
      if (state.is_over) break;
      drawState(state);
      if (state.contents !== live.contents) renew(await (await fetch("contents")).json());
      live.contents = state.contents;
      live.version = state.version;
      await new Promise((done) => setTimeout(done, PATIENCE));
    }
    location.replace(`report${location.hash}`);
  } catch {
    live.phase.textContent = "drystone has ended without a report";
    live.end.remove();
  }
}

function drawState(state) {
  const phase = shown(state.phase);
  if (live.phase.textContent !== phase) live.phase.textContent = phase;
  const counters = Object.entries(state.counters).map(([name, count]) => `${shown(name).replaceAll("_", " ")} ${count.toLocaleString("en")}`);
  live.figures.textContent = [`${state.elapsed.toFixed(0)} s`, ...counters].join(" · ");
}

async function endRun() {
  live.end.disabled = true;
  await fetch("end", { method: "POST" }).catch(() => {});
}

// The views are built anew from what is known now, and show the same as before.
function renew(known) {
  const isRunTheSame = story && known.story && story.blocks.length === known.story.blocks.length && story.blocks.every((block, at) => block.id === known.story.blocks[at].id);
  contents = known;
  if (isRunTheSame) {
    renewStory(known.story);
    renewViews(["verdict", "source", "time"]);
  } else {
    story = known.story && prepared(known.story);
    renewViews(views.map((view) => view.id));
  }
  document.querySelector("header .title .sign").replaceWith(verdictSign(contents.verdict));
}

// Who looks at the last message goes on to look at the last one.
function renewStory(told) {
  const isAtEnd = story.at === story.messages.length - 1;
  const { at, listeners } = story;
  Object.assign(story, prepared(told), { listeners });
  story.at = isAtEnd ? story.messages.length - 1 : Math.min(at, story.messages.length - 1);
  if (built.has("blocks")) blocksView.slider.max = String(story.messages.length);
  if (built.has("messages")) filterMessages();
  goToMessage(story.at);
}

function renewViews(ids) {
  const scrolled = source.code?.scrollTop;
  for (const id of ids) {
    const panel = document.getElementById(`view-${id}`);
    if (!built.delete(id)) continue;
    const isShown = !panel.hidden;
    panel.replaceChildren();
    if (id === "source") {
      texts.clear();
      execution = null;
    }
    if (isShown) showView(id);
    if (isShown && id === "source" && scrolled !== undefined) source.code.scrollTop = scrolled;
  }
}
