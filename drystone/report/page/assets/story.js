// What blocks told each other: kinds of messages, and what is known of a block at a time.

const KINDS = {
  START: { sign: "▷", name: "start", about: "look for errors" },
  INVARIANT: { sign: "◆", name: "invariant", about: "what holds anyway" },
  BLOCKPOSTCONDITION: { sign: "●", name: "postcondition", about: "what holds at a location" },
  ERRORCONDITION: { sign: "▲", name: "error condition", about: "states that may lead to an error" },
  ERRORCONDITIONUNREACHABLE: { sign: "■", name: "refutation", about: "such states are not reached" },
  RESULT: { sign: "★", name: "result", about: "an answer for the coordinator" },
  ERROR: { sign: "✖", name: "failure", about: "a block cannot go on" },
};
const STATES = {
  idle: { sign: "○", about: "has heard nothing yet" },
  heard: { sign: "◔", about: "has found nothing to say" },
  asks: { sign: "▲", about: "may get to an error" },
  says: { sign: "●", about: "has said what holds" },
  refutes: { sign: "■", about: "has refuted an error condition" },
  error: { sign: "★", about: "has a result" },
  failed: { sign: "✖", about: "cannot go on" },
};
const STATE_OF = { START: "heard", INVARIANT: "heard", BLOCKPOSTCONDITION: "says", ERRORCONDITION: "asks", ERRORCONDITIONUNREACHABLE: "refutes", RESULT: "error", ERROR: "failed" };

let story = contents.story && prepared(contents.story);

function prepared(told) {
  const messages = told.messages.map(([kind, sender, receivers, time, location, level, text], number) => ({
    number, kind, sender, receivers, time, location, level, text: told.texts[text], textNumber: text,
  }));
  const changes = told.blocks.map(() => [[-1, "idle"]]); // of each block: from which message on it is in which state
  const change = (block, number, state) => {
    const last = changes[block][changes[block].length - 1];
    if (last[1] !== state) changes[block].push([number, state]);
  };
  for (const { number, kind, sender, receivers } of messages) {
    for (const receiver of receivers) if (receiver >= 0 && changes[receiver].length === 1) change(receiver, number, "heard");
    if (sender >= 0) change(sender, number, STATE_OF[kind]);
  }
  const calls = told.blocks.map(() => []);
  told.calls.forEach(([block, host, submitted, began, ended, heard, solving, packing, queries]) => {
    calls[block]?.push({ host, submitted, began, ended, heard, solving, packing, queries });
  });
  const edges = told.blocks.flatMap((block, number) => block.followers.map((follower) => [number, follower]));
  return { ...told, messages, changes, callsOf: calls, edges, at: messages.length - 1, listeners: [] };
}

// The state of a block when the messages up to the one that is chosen were sent.
function stateOf(block) {
  const changes = story.changes[block];
  let [low, high] = [0, changes.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (changes[middle][0] <= story.at) low = middle;
    else high = middle - 1;
  }
  return changes[low][1];
}

function goToMessage(number) {
  story.at = Math.max(-1, Math.min(number, story.messages.length - 1));
  for (const listener of story.listeners) listener();
}

function blockName(number) {
  return number < 0 ? "coordinator" : shown(story.blocks[number].id);
}

function seconds(value) {
  if (value >= 100) return `${value.toFixed(0)} s`;
  if (value >= 1) return `${value.toFixed(2)} s`;
  return `${(value * 1000).toFixed(value >= 0.01 ? 0 : 2)} ms`;
}

function messageLine(message) {
  const kind = KINDS[message.kind];
  const receivers = message.receivers.length > 3 ? `${counted(message.receivers.length, "block")}` : message.receivers.map(blockName).join(", ") || "nobody who had not known it";
  return `${kind.name} from ${blockName(message.sender)} to ${receivers}`;
}

// What there is to say about how complete this is.
function storyNotes() {
  const notes = [];
  if (story.earlier) notes.push(`Blocks were made anew ${counted(story.earlier, "time")} (other hosts, or recursion unrolled further); this is about the last ones.`);
  if (story.omitted) notes.push(`${counted(story.omitted, "message")} of the middle of the run are left out.`);
  if (story.unworded) notes.push(`There was no time to put ${counted(story.unworded, "message")} into words.`);
  return notes.map((note) => el("p", { class: "quiet" }, note));
}

function noStory(panel) {
  const engine = shown(contents.answered.find(([name]) => name === "engine")?.[1] ?? "");
  const why =
    contents.verdict === "RUNNING"
      ? "No engine with blocks has told of them yet."
      : contents.verdict === "UNKNOWN" && engine === "auto"
        ? "No engine has a verdict, so there is none whose blocks could be shown."
        : `The engine ${engine} has no blocks that tell each other something, or it ended before it could tell.`;
  panel.append(el("h1", {}, "There are no blocks"), el("p", {}, `${why} The engine dss has them:`), el("p", {}, el("code", {}, "drystone verify FILE --engine dss --report FILE.html")));
}
