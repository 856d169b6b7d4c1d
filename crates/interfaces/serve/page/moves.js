// A play that is made checker by checker. The engine gives all ways of making the plays of a roll as
// a graph: nodes with hops that lead to other nodes, the first one before the play.

export class Moves {
  constructor(nodes, dice) {
    this.nodes = nodes;
    this.order = dice[0] === dice[1] ? [dice[0], dice[0], dice[0], dice[0]] : [...dice];
    this.path = [];
    this.undone = [];
  }

  get node() { return this.nodes[this.path.length ? this.path.at(-1).next : 0]; }
  get play() { return this.node.play; }
  get isWhole() { return this.node.play !== undefined; }
  get hops() { return this.path.map(({ from, to }) => [from, to]); }
  get dances() { return this.nodes.length === 1 && this.nodes[0].hops.length === 0; }

  // Each die with whether it is used.
  get dice() {
    const used = this.path.map((hop) => hop.die);
    return this.order.map((die) => {
      const place = used.indexOf(die);
      if (place < 0) return { die, used: false };
      used.splice(place, 1);
      return { die, used: true };
    });
  }

  get movable() { return new Set(this.node.hops.map((hop) => hop.from)); }

  // Where a checker can go, over one or several hops, each with the hops: the fewest.
  targets(from) {
    const found = new Map();
    let rank = [{ node: this.node, at: from, hops: [] }];
    while (rank.length) {
      const next = [];
      for (const { node, at, hops } of rank) {
        for (const hop of node.hops.filter((hop) => hop.from === at)) {
          const way = [...hops, hop];
          // Of two ways to a point people mean the one that hits nobody on the way.
          const known = found.get(hop.to);
          const hits = (all) => all.slice(0, -1).filter((hop) => hop.hit).length;
          if (!known || (known.length === way.length && hits(way) < hits(known))) found.set(hop.to, way);
          next.push({ node: this.nodes[hop.next], at: hop.to, hops: way });
        }
      }
      rank = next.filter(({ at }) => at > 0).slice(0, 64);
    }
    return found;
  }

  do(hops) {
    this.path.push(...hops);
    this.undone = [];
  }

  // A click: the left die, or another one that fits.
  click(from, other = false) {
    const free = this.dice.filter((die) => !die.used).map(({ die }) => die);
    if (other) free.reverse();
    for (const die of free) {
      const hop = this.node.hops.find((hop) => hop.from === from && hop.die === die);
      if (hop) { this.do([hop]); return hop; }
    }
    return null;
  }

  // A click on an empty point: makes it with two checkers, if that is a play.
  make(point) {
    for (const first of this.node.hops.filter((hop) => hop.to === point)) {
      const second = this.nodes[first.next].hops.find((hop) => hop.to === point);
      if (second) { this.do([first, second]); return true; }
    }
    return false;
  }

  swap() {
    if (this.path.length === 0) this.order.reverse();
  }

  undo() {
    const hop = this.path.pop();
    if (hop) this.undone.push(hop);
    return Boolean(hop);
  }

  redo() {
    const hop = this.undone.pop();
    if (hop) this.path.push(hop);
    return Boolean(hop);
  }

  reset() {
    while (this.undo());
  }
}
