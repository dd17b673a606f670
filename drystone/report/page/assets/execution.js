// An execution: its steps as a tree with loops folded by iteration, and what was written last.

const FOLDED_FROM = 3; // iterations; loops with fewer are open at first

class Execution {
  constructor(told, onStep) {
    Object.assign(this, { told, onStep, at: told.steps.length - 1, open: new Set() });
    this.loops = told.loops.map((loop, number) => ({ ...loop, number, inner: [] }));
    this.roots = [];
    const around = [];
    for (const loop of this.loops) {
      while (around.length && around[around.length - 1].end <= loop.start) around.pop();
      (around.length ? around[around.length - 1].inner : this.roots).push(loop);
      around.push(loop);
    }
    for (const loop of this.loops) {
      if (loop.iterations.length < FOLDED_FROM) {
        this.open.add(`l${loop.number}`);
        loop.iterations.forEach((_, at) => this.open.add(`i${loop.number}.${at}`));
      }
    }
    this.layOut();
  }

  // The rows that can be seen when all is folded that is.
  layOut() {
    this.rows = [];
    this.rowOf = new Int32Array(this.told.steps.length);
    this.layOutRange(0, this.told.steps.length, this.roots, 1);
  }

  layOutRange(start, end, loops, level) {
    let next = 0;
    for (let number = start; number < end; number++) {
      while (next < loops.length && loops[next].start < number) next++;
      if (next < loops.length && loops[next].start === number) {
        number = this.layOutLoop(loops[next++], level) - 1;
        continue;
      }
      this.rowOf[number] = this.rows.length;
      this.rows.push({ kind: "step", number, level });
      if (this.told.omitted && number === this.told.omitted_after - 1) this.rows.push({ kind: "omitted", level });
    }
  }

  layOutLoop(loop, level) {
    const isOpen = this.open.has(`l${loop.number}`);
    this.rowOf.fill(this.rows.length, loop.start, loop.end);
    this.rows.push({ kind: "loop", loop, level, key: `l${loop.number}`, isOpen, start: loop.start, end: loop.end });
    if (!isOpen) return loop.end;
    loop.iterations.forEach((start, at) => {
      const end = loop.iterations[at + 1] ?? loop.end;
      const key = `i${loop.number}.${at}`;
      const isIterationOpen = this.open.has(key);
      this.rowOf.fill(this.rows.length, start, end);
      this.rows.push({ kind: "iteration", loop, at, level: level + 1, key, isOpen: isIterationOpen, start, end });
      if (isIterationOpen) {
        // a loop that begins where the iteration does would be this one again
        const inner = loop.inner.filter((each) => each.start >= start && each.end <= end);
        this.layOutRange(start, end, inner, level + 2);
      }
    });
    return loop.end;
  }

  toggle(key, isOpen = !this.open.has(key)) {
    if (isOpen) this.open.add(key);
    else this.open.delete(key);
    this.layOut();
  }

  openAll(isOpen) {
    this.open.clear();
    if (isOpen)
      for (const loop of this.loops) {
        this.open.add(`l${loop.number}`);
        loop.iterations.forEach((_, at) => this.open.add(`i${loop.number}.${at}`));
      }
    this.layOut();
  }

  go(number) {
    this.at = Math.max(0, Math.min(number, this.told.steps.length - 1));
    this.unfoldAround(this.at);
    this.onStep();
  }

  // So that the step can be seen.
  unfoldAround(number) {
    let row = this.rows[this.rowOf[number]];
    while (row && row.kind !== "step") {
      this.toggle(row.key, true);
      row = this.rows[this.rowOf[number]];
    }
  }

  // The values that were written last, up to this step: of each name the step that wrote it.
  written() {
    const latest = new Map();
    for (let number = 0; number <= this.at; number++) {
      const step = this.told.steps[number];
      for (const name of Object.keys(step.changes)) {
        latest.delete(name);
        latest.set(name, number);
      }
    }
    return [...latest].reverse();
  }
}

function stepText(step) {
  if (step.text || isNowhere(step.place)) return step.text;
  return (textOf(step.place[0]).lines[step.place[1] - 1] ?? "").trim();
}

function effects(step) {
  return Object.entries(step.changes)
    .map(([name, value]) => `${name} = ${value}`)
    .join(", ");
}
