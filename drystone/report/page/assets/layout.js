// Where the nodes of a graph go: layers from top to bottom, few crossings; what would be a narrow tower stands in columns.

function layOut(count, edges, width, height) {
  const forward = withoutCycles(count, edges);
  const layer = layers(count, forward);
  const { order, chains } = ordered(count, forward, layer);
  const across = positions(order);
  const layerCount = Math.max(0, ...layer) + 1;
  const widest = Math.max(1, ...across) + 1;
  const perColumn = layerCount * height > 3 * widest * width + 12 * height ? Math.max(8, Math.ceil(Math.sqrt((layerCount * widest * width) / height))) : layerCount;
  const at = (node, inLayer) => ({
    x: (across[node] + Math.floor(inLayer / perColumn) * (widest + 0.6)) * width,
    y: (inLayer % perColumn) * height,
  });
  return {
    nodes: Array.from({ length: count }, (_, node) => at(node, layer[node])),
    lines: chains.map((chain) => chain.map(({ node, layer: inLayer }) => at(node, inLayer))),
  };
}

// The edges, those turned round that lead back to where a search from the first node came from.
function withoutCycles(count, edges) {
  const after = Array.from({ length: count }, () => []);
  edges.forEach(([from, to], number) => after[from].push([to, number]));
  const state = new Uint8Array(count);
  const turned = new Uint8Array(edges.length);
  for (let root = 0; root < count; root++) {
    if (state[root]) continue;
    state[root] = 1;
    const stack = [[root, 0]];
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (top[1] === after[top[0]].length) {
        state[top[0]] = 2;
        stack.pop();
        continue;
      }
      const [to, number] = after[top[0]][top[1]++];
      if (state[to] === 1) turned[number] = 1;
      else if (state[to] === 0) {
        state[to] = 1;
        stack.push([to, 0]);
      }
    }
  }
  return edges.map(([from, to], number) => ({ from: turned[number] ? to : from, to: turned[number] ? from : to, turned: turned[number] === 1 }));
}

// The longest way to each node.
function layers(count, edges) {
  const after = Array.from({ length: count }, () => []);
  const waiting = new Int32Array(count);
  for (const { from, to } of edges) {
    if (from === to) continue;
    after[from].push(to);
    waiting[to]++;
  }
  const layer = new Int32Array(count);
  const ready = [];
  for (let node = 0; node < count; node++) if (!waiting[node]) ready.push(node);
  while (ready.length) {
    const node = ready.pop();
    for (const to of after[node]) {
      layer[to] = Math.max(layer[to], layer[node] + 1);
      if (--waiting[to] === 0) ready.push(to);
    }
  }
  return [...layer];
}

const MOST_BENDS = 6000;

// The nodes of each layer from left to right. An edge that passes layers has a node of its own in each of them.
function ordered(count, edges, layer) {
  const order = Array.from({ length: Math.max(0, ...layer) + 1 }, () => []);
  for (let node = 0; node < count; node++) order[layer[node]].push(node);
  let next = count;
  const links = [];
  const chains = edges.map(({ from, to, turned }) => {
    const chain = [{ node: from, layer: layer[from] }];
    for (let between = layer[from] + 1; between < layer[to] && next < count + MOST_BENDS; between++) {
      order[between].push(next);
      chain.push({ node: next++, layer: between });
    }
    chain.push({ node: to, layer: layer[to] });
    for (let step = 1; step < chain.length; step++) links.push([chain[step - 1].node, chain[step].node]);
    return turned ? chain.reverse() : chain;
  });
  const above = Array.from({ length: next }, () => []);
  const below = Array.from({ length: next }, () => []);
  for (const [from, to] of links) {
    below[from].push(to);
    above[to].push(from);
  }
  const place = new Float64Array(next);
  const number = (nodes) => nodes.forEach((node, at) => (place[node] = at));
  order.forEach(number);
  for (let sweep = 0; sweep < 8; sweep++) {
    const beside = sweep % 2 ? below : above;
    for (const nodes of sweep % 2 ? [...order].reverse() : order) {
      const wanted = new Map(nodes.map((node) => [node, beside[node].length ? mean(beside[node], place) : place[node]]));
      nodes.sort((a, b) => wanted.get(a) - wanted.get(b));
      number(nodes);
    }
  }
  order.above = above;
  order.below = below;
  order.count = next;
  return { order, chains };
}

function mean(nodes, place) {
  return nodes.reduce((sum, node) => sum + place[node], 0) / nodes.length;
}

// Across: in their order, at least 1 apart (bends 0.5), drawn to those they are connected with.
function positions(order) {
  const across = new Float64Array(order.count);
  order.forEach((nodes) => nodes.forEach((node, at) => (across[node] = at)));
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const nodes of sweep % 2 ? [...order].reverse() : order) {
      const beside = nodes.map((node) => [...order.above[node], ...order.below[node]]);
      const wanted = nodes.map((node, at) => (beside[at].length ? mean(beside[at], across) : across[node]));
      let least = -Infinity;
      const right = wanted.map((x) => (least = Math.max(x, least + 1)));
      let most = Infinity;
      const left = [...wanted].reverse().map((x) => (most = Math.min(x, most - 1))).reverse();
      nodes.forEach((node, at) => (across[node] = (right[at] + left[at]) / 2));
    }
  }
  const least = Math.min(0, ...across);
  return across.map((x) => x - least);
}
