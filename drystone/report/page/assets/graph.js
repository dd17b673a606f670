// A graph that one can zoom and move. How many elements it has does not depend on how many nodes there are: what has the same
// state is one path, and labels are there for the nodes that are seen.

const NODE = { width: 176, height: 44, across: 206, down: 84 };
const MOST_LABELS = 150;

class Graph {
  // `nodes`: {label, below}; `state(number)`: {name, sign}; `chosen(number)`: a node was clicked.
  constructor(host, nodes, edges, { state, chosen, label }) {
    Object.assign(this, { host, nodes, edges, state, chosen, selected: -1, lit: [], scale: 1, x: 0, y: 0 });
    const { nodes: places, lines } = layOut(nodes.length, edges, NODE.across, NODE.down);
    Object.assign(this, { places, lines });
    this.svg = svg("svg", { role: "img", "aria-label": label, class: "graph" });
    this.world = svg("g");
    this.svg.append(this.world);
    host.append(this.svg);
    this.listen();
    new ResizeObserver(() => (this.isFitted === false ? this.drawLabels() : this.fit())).observe(host);
    this.draw();
  }

  bounds() {
    const right = Math.max(...this.places.map((place) => place.x)) + NODE.width;
    const bottom = Math.max(...this.places.map((place) => place.y)) + NODE.height;
    return { right, bottom };
  }

  fit() {
    const { right, bottom } = this.bounds();
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return;
    this.scale = Math.min(1.2, (width - 40) / right, (height - 40) / bottom);
    this.x = (width - right * this.scale) / 2;
    this.y = Math.max(20, (height - bottom * this.scale) / 4);
    this.isFitted = true;
    this.move();
  }

  move() {
    this.svg.classList.toggle("far", this.scale < 0.4);
    this.world.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.drawLabels();
  }

  zoom(factor, x = this.host.clientWidth / 2, y = this.host.clientHeight / 2) {
    const scale = Math.min(4, Math.max(0.01, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.isFitted = false;
    this.move();
  }

  listen() {
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, y: event.clientY, startX: this.x, startY: this.y, moved: false };
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!from) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      from.moved ||= Math.abs(dx) + Math.abs(dy) > 4;
      if (!from.moved) return;
      Object.assign(this, { x: from.startX + dx, y: from.startY + dy, isFitted: false });
      this.move();
    });
    this.svg.addEventListener("pointerup", (event) => {
      if (from && !from.moved) this.click(event);
      from = null;
    });
    this.svg.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const box = this.host.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
      },
      { passive: false },
    );
  }

  click(event) {
    const box = this.host.getBoundingClientRect();
    const x = (event.clientX - box.left - this.x) / this.scale;
    const y = (event.clientY - box.top - this.y) / this.scale;
    const found = this.places.findIndex((place) => x >= place.x && x <= place.x + NODE.width && y >= place.y && y <= place.y + NODE.height);
    if (found >= 0) this.chosen(found);
  }

  select(number, { reveal = false } = {}) {
    this.selected = number;
    if (reveal && number >= 0 && this.host.clientWidth) {
      const place = this.places[number];
      const x = place.x * this.scale + this.x;
      const y = place.y * this.scale + this.y;
      if (x < 0 || y < 0 || x > this.host.clientWidth - 40 || y > this.host.clientHeight - 20) {
        this.x = this.host.clientWidth / 2 - (place.x + NODE.width / 2) * this.scale;
        this.y = this.host.clientHeight / 2 - (place.y + NODE.height / 2) * this.scale;
        this.isFitted = false;
        this.move();
      }
    }
    this.draw();
  }

  // Edges (their numbers) on which something is said now.
  light(edges) {
    this.lit = edges;
    this.draw();
  }

  linePath(number) {
    const line = this.lines[number];
    const [from, to] = this.edges[number];
    if (from === to) {
      const { x, y } = this.places[from];
      const right = x + NODE.width;
      return `M${right} ${y + 12}C${right + 34} ${y - 8} ${right + 34} ${y + NODE.height + 8} ${right} ${y + NODE.height - 12}`;
    }
    const middle = NODE.width / 2;
    const points = line.map(({ x, y }) => ({ x: x + middle, y: y + NODE.height / 2 }));
    const isDown = points[points.length - 1].y >= points[0].y;
    points[0].y += isDown ? NODE.height / 2 : -NODE.height / 2;
    points[points.length - 1].y += isDown ? -NODE.height / 2 - 6 : NODE.height / 2 + 6;
    let path = `M${points[0].x.toFixed(1)} ${points[0].y}`;
    for (let at = 1; at < points.length; at++) {
      const [a, b] = [points[at - 1], points[at]];
      const half = (a.y + b.y) / 2;
      path += `C${a.x.toFixed(1)} ${half} ${b.x.toFixed(1)} ${half} ${b.x.toFixed(1)} ${b.y}`;
    }
    const end = points[points.length - 1];
    const tip = isDown ? 6 : -6;
    return `${path}M${(end.x - 4).toFixed(1)} ${end.y}L${end.x.toFixed(1)} ${end.y + tip}L${(end.x + 4).toFixed(1)} ${end.y}`;
  }

  draw() {
    this.paths ??= this.edges.map((_, number) => this.linePath(number));
    const boxes = new Map();
    this.places.forEach(({ x, y }, number) => {
      const { name } = this.state(number);
      boxes.set(name, `${boxes.get(name) ?? ""}M${x.toFixed(1)} ${y}h${NODE.width}v${NODE.height}h${-NODE.width}z`);
    });
    const chosen = this.places[this.selected];
    this.labels = svg("g");
    this.world.replaceChildren(
      ...(chosen ? [svg("rect", { class: "chosen", x: chosen.x - 4, y: chosen.y - 4, width: NODE.width + 8, height: NODE.height + 8, rx: 5 })] : []),
      svg("path", { class: "edges", d: this.paths.join("") }),
      ...[...boxes].map(([name, d]) => svg("path", { class: `box ${name}`, d })),
      svg("path", { class: "edges lit", d: this.lit.map((number) => this.paths[number]).join("") }),
      this.labels,
    );
    this.drawLabels();
  }

  drawLabels() {
    if (!this.labels) return;
    const made = [];
    if (this.scale >= 0.4) {
      const [left, top] = [-this.x / this.scale - NODE.width, -this.y / this.scale - NODE.height];
      const [right, bottom] = [(this.host.clientWidth - this.x) / this.scale, (this.host.clientHeight - this.y) / this.scale];
      for (let number = 0; number < this.places.length && made.length < MOST_LABELS; number++) {
        const { x, y } = this.places[number];
        if (x < left || x > right || y < top || y > bottom) continue;
        const { sign } = this.state(number);
        const { label, below } = this.nodes[number];
        made.push(
          svg("text", { x: x + 8, y: y + 18 }, `${sign} ${shortened(shown(label), 19)}`),
          svg("text", { x: x + 8, y: y + 35, class: "below" }, shortened(shown(below), 24)),
        );
      }
    }
    this.labels.replaceChildren(...made);
  }
}

function shortened(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function zoomButtons(graph) {
  const button = (text, label, act) => el("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
  return [button("+", "larger", () => graph.zoom(1.3)), button("−", "smaller", () => graph.zoom(1 / 1.3)), button("fit", "all of it", () => graph.fit())];
}
