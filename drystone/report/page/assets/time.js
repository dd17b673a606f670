// Where the time went: engines and hosts along an axis with round ticks, operators, what more workers would bring.

function buildTime(panel) {
  const { turns, operators, spent, speedups, summary } = contents.time;
  panel.append(el("h1", {}, "Time"));
  if (turns.length) panel.append(section("Engines", el("p", { class: "quiet" }, "Engines take turns, or work side by side; the first verdict wins."), lanes(engineLanes(turns), "engines in time"), swatches([["busy", "at work"]]), engineTable(turns)));
  if (story?.calls.length)
    panel.append(
      section(`Hosts of ${shown(story.engine)}`, el("p", { class: "quiet" }, "Seconds since the first blocks were made; blocks of the last try. Where calls are too short to be seen, the height is their part of the time."), lanes(hostLanes(), "hosts in time"), swatches([["solving", "solving"], ["packing", "packing and unpacking terms"], ["busy", "the rest of a call"]])),
    );
  if (summary) panel.append(el("p", {}, summary));
  if (spent.length) {
    const all = spent.reduce((sum, [, value]) => sum + value, 0) || 1;
    panel.append(section("Where the time of the hosts went", table(["", "time", "share", "", ""], spent.map(([name, value, about]) => [name, seconds(value), `${((100 * value) / all).toFixed(1)} %`, bar(value / all), about]), "where the time went")));
  }
  if (operators.length) {
    const all = operators.reduce((sum, [, , value]) => sum + value, 0) || 1;
    panel.append(section("Operators", table(["operator", "calls", "time", "share", "", "bytes"], operators.map(([name, calls, value, bytes]) => [name, calls.toLocaleString("en"), seconds(value), `${((100 * value) / all).toFixed(1)} %`, bar(value / all), bytes.toLocaleString("en")]), "operators")));
  }
  if (speedups.length) {
    const most = Math.max(...speedups.map((each) => each.speedup), 1);
    panel.append(
      section(
        "What workers would bring",
        el("p", { class: "quiet" }, "The same calls, by list scheduling; pinned: every block stays on one worker."),
        table(["workers", "time", "speed-up", "", "pinned"], speedups.map((each) => [String(each.workers), seconds(each.seconds), each.speedup.toFixed(2), bar(each.speedup / most), each.pinned_speedup.toFixed(2)]), "attainable speed-up"),
      ),
    );
  }
  if (!turns.length && !story?.calls.length) panel.append(el("p", {}, `One engine was asked: ${shown(contents.answered.map(([name, text]) => `${name} ${text}`).find((line) => line.startsWith("time")) ?? "")}.`));
}

function table(heads, rows, label) {
  return el("div", { class: "wide", role: "region", tabindex: 0, "aria-label": label }, el("table", { class: "figures" }, el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell)))))));
}

function bar(share) {
  const made = svg("svg", { class: "bar", width: 120, height: 10, "aria-hidden": "true" });
  made.append(svg("rect", { class: "back", width: 120, height: 10 }), svg("rect", { class: "busy", width: Math.max(0, Math.min(120, 120 * share)).toFixed(1), height: 10 }));
  return made;
}

function swatches(items) {
  return el("ul", { class: "legend" }, items.map(([name, text]) => el("li", {}, svg("svg", { width: 22, height: 12, "aria-hidden": "true" }, svg("rect", { class: name, width: 22, height: 12 })), ` ${text}`)));
}

function engineLanes(turns) {
  const names = [...new Set(turns.map((turn) => turn.engine))];
  return names.map((name) => ({ name, spans: { busy: turns.filter((turn) => turn.engine === name).map((turn) => [turn.began, turn.ended]) } }));
}

function engineTable(turns) {
  const used = new Map();
  for (const turn of turns) used.set(turn.engine, [(used.get(turn.engine)?.[0] ?? 0) + turn.ended - turn.began, (used.get(turn.engine)?.[1] ?? 0) + 1]);
  return table(["engine", "time", "turns"], [...used].map(([name, [time, count]]) => [shown(name), seconds(time), String(count)]), "engines");
}

function hostLanes() {
  const found = new Map();
  for (const [, host, , began, ended, , solving, packing] of story.calls) {
    if (!found.has(host)) found.set(host, { name: `host ${host}`, spans: { solving: [], packing: [], busy: [] } });
    const { spans } = found.get(host);
    spans.solving.push([began, began + solving]);
    spans.packing.push([began + solving, began + solving + packing]);
    spans.busy.push([began + solving + packing, ended]);
  }
  return [...found.entries()].sort(([a], [b]) => a - b).map(([, lane]) => lane);
}

const LANES = { height: 18, gap: 6 };

// As wide as there is room.
function lanes(rows, label) {
  const host = el("div", { class: "lanehost" });
  new ResizeObserver(() => {
    const width = Math.max(300, host.clientWidth);
    if (width !== host.drawnWidth) host.replaceChildren(drawnLanes(rows, label, (host.drawnWidth = width)));
  }).observe(host);
  return host;
}

function drawnLanes(rows, label, width) {
  const last = Math.max(...rows.flatMap((row) => Object.values(row.spans).flatMap((spans) => spans.map((span) => span[1]))), 1e-6);
  const left = 20 + 7 * Math.min(18, Math.max(...rows.map((row) => row.name.length)));
  const step = roundStep((last * 90) / (width - left));
  const scale = (width - left - 30) / last;
  const bottom = rows.length * (LANES.height + LANES.gap);
  const drawn = svg("svg", { role: "img", "aria-label": `${label}: ${rows.length} of them, ${seconds(last)}; the tables have the sums`, class: "lanes", width, height: bottom + 26 });
  let grid = "";
  for (let tick = 0; tick <= last * 1.0001; tick += step) {
    const x = left + tick * scale;
    grid += `M${x.toFixed(1)} 0V${bottom}`;
    drawn.append(svg("text", { x: x.toFixed(1), y: bottom + 18, "text-anchor": "middle", class: "tick" }, tickText(tick, step)));
  }
  drawn.append(svg("path", { class: "grid", d: grid }));
  rows.forEach(({ name, spans }, at) => {
    const y = at * (LANES.height + LANES.gap) + LANES.gap / 2;
    drawn.append(svg("text", { x: left - 8, y: y + 13, "text-anchor": "end" }, shortened(shown(name), 18)));
    for (const [kind, path] of lanePaths(spans, left, y, scale, width - left)) drawn.append(svg("path", { class: kind, d: path }));
  });
  return drawn;
}

// Of each kind its spans; where they are shorter than one could see, the height tells which part of the time they are.
function lanePaths(spans, left, y, scale, width) {
  const count = Math.max(...Object.values(spans).map((each) => each.length));
  if (count <= width / 2) return Object.entries(spans).map(([kind, parts]) => [kind, parts.map(([began, ended]) => barPath(left + began * scale, y, (ended - began) * scale, LANES.height)).join("")]);
  const filled = new Float64Array(Math.ceil(width) + 1);
  return Object.entries(spans).map(([kind, parts]) => {
    const shares = sharesOfPixels(parts, scale, filled.length);
    let path = "";
    shares.forEach((share, pixel) => {
      const height = Math.min(share, 1 - filled[pixel]) * LANES.height;
      if (height > 0.05) path += barPath(left + pixel, y + (1 - filled[pixel]) * LANES.height - height, 1, height);
      filled[pixel] += height / LANES.height;
    });
    return [kind, path];
  });
}

function sharesOfPixels(parts, scale, count) {
  const shares = new Float64Array(count);
  for (const [began, ended] of parts) {
    for (let at = began * scale; at < ended * scale; at = Math.floor(at) + 1) {
      const until = Math.min(Math.floor(at) + 1, ended * scale);
      if (at < count) shares[Math.floor(at)] += until - at;
    }
  }
  return shares;
}

function barPath(x, y, width, height) {
  if (width <= 0) return "";
  const shownWidth = Math.max(width, 0.4).toFixed(2);
  return `M${x.toFixed(2)} ${y.toFixed(2)}h${shownWidth}v${height.toFixed(2)}h-${shownWidth}z`;
}

// 1, 2 or 5 times a power of ten.
function roundStep(about) {
  const power = 10 ** Math.floor(Math.log10(about));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= about * 0.999);
}

function tickText(tick, step) {
  if (step >= 1) return `${Math.round(tick)} s`;
  if (step >= 0.001) return `${Math.round(tick * 1000)} ms`;
  return `${Math.round(tick * 1e6)} µs`;
}
