// A play that is made checker by checker. The engine gives all ways of making the plays of a roll as
// a graph: nodes with hops that lead to other nodes, the first one before the play.

import { moved, steps } from './position.js';

// The same graph for a board whose positive checkers are to move, from the `plays` of a roll in words, as
// analyses list them. Of all ways of moving checkers those stay that end in one of the plays.
export function graph(board, dice, plays) {
  const ends = new Map(plays.map((play) => [String(moved(board, steps(play))), play]));
  const nodes = [], known = new Map();
  const visit = (now, left) => {
    const key = `${now}|${[...left].sort()}`;
    if (known.has(key)) return known.get(key);
    const at = nodes.length, play = ends.get(String(now));
    nodes.push(play === undefined ? { hops: [] } : { hops: [], play });
    known.set(key, at);
    for (const die of play === undefined ? new Set(left) : []) {
      const rest = [...left];
      rest.splice(rest.indexOf(die), 1);
      const highest = now.findLastIndex((count) => count > 0);
      for (let from = 25; from > 0; from--) {
        const to = Math.max(from - die, 0);
        if (now[from] <= 0 || (now[25] > 0 && from < 25) || (to > 0 && now[to] < -1)) continue;
        if (to === 0 && (highest > 6 || (from < die && from < highest))) continue;
        const next = visit(moved(now, [[from, to]]), rest);
        if (next !== null) nodes[at].hops.push({ from, to, die, hit: to > 0 && now[to] === -1, next });
      }
    }
    // One that leads nowhere is none.
    if (at > 0 && play === undefined && !nodes[at].hops.length) known.set(key, null);
    return known.get(key);
  };
  visit(board, dice[0] === dice[1] ? [dice[0], dice[0], dice[0], dice[0]] : dice);
  return nodes;
}

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

// A position whichever its dice and cube: the board, and who is on roll.
const still = (address) => address.split(':').filter((_, part) => part === 0 || part === 3).join(':');

// What was tried from a position: plays { address, after, side, text, loss } with the addresses before and after
// each, those that followed under `next`. The first of them is the main line, the others are variations.
export class Tree {
  // `next` as `saved` has told it.
  constructor(next = []) {
    const grow = (node) => { for (const each of node.next) { each.up = node; grow(each); } };
    this.next = next;
    grow(this);
  }

  // All of it as plain data.
  get saved() {
    const plain = ({ up, next, ...play }) => ({ ...play, next: next.map(plain) });
    return this.next.map(plain);
  }

  get all() {
    const below = (node) => node.next.flatMap((each) => [each, ...below(each)]);
    return below(this);
  }

  // The play that led to an address, and the one that was made there first.
  at(address) {
    const { all } = this;
    const here = all.find((each) => each.address === address);
    const up = here?.up ?? all.findLast((each) => still(each.after) === still(address)) ?? null;
    return { up, here: here ?? up?.next[0], knows: Boolean(here ?? up) };
  }

  // Adds a play; one from nowhere begins anew.
  add(play) {
    const { up, knows } = this.at(play.address);
    if (!knows) this.next = [];
    const { next } = up ?? this;
    const known = next.find((each) => each.address === play.address && each.after === play.after);
    if (known) known.loss = play.loss ?? known.loss; else next.push({ ...play, up: up ?? this, next: [] });
  }

  // The main line, each with its variations, as `shown(play)` makes them.
  turns(shown, from = this) {
    const [main, ...others] = from.next;
    return main ? [{ ...shown(main), others: others.map((other) => [shown(other), ...this.turns(shown, other)]) }, ...this.turns(shown, main)] : [];
  }
}

// Where plays against the rules may be made: any checker goes anywhere, and the opponent may claim it.
export class FreeMoves extends Moves {
  constructor(points, dice) {
    super([{ hops: [] }], dice);
    this.points = points;
  }

  get now() { return moved(this.points, this.hops); }
  get isWhole() { return false; }
  get play() { return this.path.length ? this.path.map(({ from, to, hit }) => `${from === 25 ? 'bar' : from}/${to === 0 ? 'off' : to}${hit ? '*' : ''}`).join(' ') : undefined; }
  get movable() { return new Set([...this.now.keys()].filter((place) => place > 0 && this.now[place] > 0)); }

  targets(from) {
    const { now } = this, found = new Map();
    for (let to = from - 1; to >= 0 && now[from] > 0; to--) if (to === 0 || now[to] >= -1) found.set(to, [{ from, to, die: from - to, hit: to > 0 && now[to] === -1 }]);
    return found;
  }

  click(from, other) {
    const free = this.dice.filter(({ used }) => !used).map(({ die }) => die);
    const [hop] = (other ? free.reverse() : free).flatMap((die) => this.targets(from).get(Math.max(from - die, 0)) ?? []);
    if (hop) this.do([hop]);
    return hop ?? null;
  }

  make() { return false; }
}
