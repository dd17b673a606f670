// The verdict: what was asked, what came of it, what it relies on.

function buildVerdict(panel) {
  panel.append(
    el("div", { class: `banner ${contents.verdict.toLowerCase()}` }, el("h1", {}, verdictSign(contents.verdict)), el("p", {}, shown(contents.headline)), ...bannerFacts()),
  );
  if (contents.advice.length) panel.append(section("What to look at", facts(contents.advice)));
  panel.append(
    el("div", { class: "columns" }, section("What was asked", facts(contents.asked)), contents.answered.length ? section("What came of it", facts(contents.answered)) : null),
  );
  if (contents.errors.length) panel.append(section(counted(contents.errors.length, "error location"), errorTable()));
  if (contents.relies_on.length || contents.verdict !== "UNKNOWN") panel.append(section("What this relies on", relianceList()));
  if (contents.explanation.length)
    panel.append(section("How it went", el("ol", { class: "explanation" }, contents.explanation.map((line) => el("li", {}, shown(line))))));
  const counters = Object.entries(contents.counters);
  if (counters.length)
    panel.append(section("Counters", facts(counters.map(([name, count]) => [name.replaceAll("_", " "), count.toLocaleString("en")]))));
}

// What one wants to know first: of FALSE which error, with which inputs, and the way there; of TRUE what has shown it.
function bannerFacts() {
  if (contents.verdict === "TRUE") return contents.answered.filter(([name]) => name === "proof").map(([, how]) => el("p", { class: "how" }, `proof: ${shown(how)}`));
  const lines = contents.executions.slice(0, 1).flatMap((told) => {
    const inputs = told.facts.find(([name]) => name === "inputs")?.[1] ?? [];
    const given = inputs.length ? ` with ${shown(shortened(inputs.slice(0, 6).join(", "), 200))}${inputs.length > 6 ? ", …" : ""}` : "";
    const race = told.facts.find(([name]) => name === "threads")?.[1] ?? [];
    const what = race.length ? [shown(race.join(", while "))] : [shown(told.error), " at ", placeLink(told.place), given];
    return [el("p", { class: "how" }, what), el("p", { class: "how" }, el("button", { type: "button", class: "step-through", onclick: () => showExecution(0) }, "▶ step through the execution"))];
  });
  return lines;
}

const MOST_LISTED = 200;

function errorTable() {
  const rows = contents.errors.slice(0, MOST_LISTED).map((error) =>
    el(
      "tr",
      {},
      el("td", {}, verdictSign(error.verdict)),
      el("td", {}, shown(error.what)),
      el("td", {}, el("code", {}, shown(error.function))),
      el("td", {}, placeLink(error.place)),
      el("td", {}, error.execution >= 0 ? el("button", { type: "button", class: "link step-through", onclick: () => showExecution(error.execution) }, "step through the execution") : ""),
    ),
  );
  const head = ["verdict", "error", "in", "where", "execution"].map((name) => el("th", { scope: "col" }, name));
  const table = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows));
  const more = contents.errors.length - rows.length;
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "error locations" }, table, more > 0 ? el("p", {}, `and ${counted(more, "other")}`) : null);
}

function relianceList() {
  const surprising = contents.relies_on.filter((each) => !each.is_usual);
  const usual = contents.relies_on.filter((each) => each.is_usual);
  if (!contents.relies_on.length) return el("p", { class: "quiet" }, "Nothing beyond what docs/soundness.md of drystone says.");
  return el(
    "div",
    {},
    surprising.length ? el("ul", {}, surprising.slice(0, MOST_LISTED).map(relianceItem)) : null,
    surprising.length > MOST_LISTED ? el("p", {}, `and ${counted(surprising.length - MOST_LISTED, "other")}`) : null,
    usual.length ? el("details", {}, el("summary", {}, `${counted(usual.length, "thing")} that drystone always assumes`), el("ul", {}, usual.slice(0, MOST_LISTED).map(relianceItem))) : null,
  );
}

function relianceItem(each) {
  const places = each.places.slice(0, 6).flatMap((place) => [" ", placeLink(place)]);
  const more = each.places.length > 6 ? ` and ${counted(each.places.length - 6, "other place")}` : "";
  return el("li", {}, el("strong", {}, each.kind), ": ", shown(each.what), places, more);
}
