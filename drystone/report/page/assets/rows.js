// Long lists, of which only the rows that can be seen are in the document.

class Rows {
  // `count()` rows, made by `row(number)`; `columns`: characters of the longest, which decides how far one can scroll to the right.
  constructor(host, { height, count, row, columns = () => 0 }) {
    Object.assign(this, { host, height, count, row, columns, first: -1, last: -1 });
    this.space = el("div", { class: "space", role: "presentation" });
    host.append(this.space);
    host.classList.add("rows");
    host.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(host);
    this.refresh();
  }

  // What the rows are, or how many, has changed.
  refresh() {
    this.space.style.height = `${this.count() * this.height}px`;
    this.space.style.minWidth = `${this.columns()}ch`;
    this.first = this.last = -1;
    this.draw();
  }

  draw() {
    const count = this.count();
    const first = Math.max(0, Math.floor(this.host.scrollTop / this.height) - 8);
    const last = Math.min(count, Math.ceil((this.host.scrollTop + Math.max(this.host.clientHeight, 200)) / this.height) + 8);
    if (first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const rows = [];
    for (let number = first; number < last; number++) {
      const row = this.row(number);
      row.classList.add("row");
      row.style.top = `${number * this.height}px`;
      row.style.height = `${this.height}px`;
      rows.push(row);
    }
    this.space.replaceChildren(...rows);
  }

  // Scrolls no further than needed, with some rows around it.
  reveal(number, around = 3) {
    const top = number * this.height;
    const margin = Math.min(around * this.height, Math.max(0, (this.host.clientHeight - this.height) / 2));
    if (top - margin < this.host.scrollTop) this.host.scrollTop = top - margin;
    else if (top + this.height + margin > this.host.scrollTop + this.host.clientHeight)
      this.host.scrollTop = top + this.height + margin - this.host.clientHeight;
    this.draw();
  }

  centre(number) {
    this.host.scrollTop = number * this.height - (this.host.clientHeight - this.height) / 2;
    this.draw();
  }
}
