// How a running game of backgammon lies on its board, and how a play is put together there. The page of the game
// (`play.js`) has the state and asks the engine; `old.js` has the boards of other games.

import { Board, glide } from './board.js';
import { announce, h, memory, wait } from './dom.js';
import { FreeMoves, Moves } from './moves.js';
import { STARTS, flipped, moved, off, pips, steps } from './position.js';
import { t } from './texts.js';

// Name, score and pips of a player beside the board.
export function seat({ name, pips, score, away, side, active, notes }) {
  return h('div', { class: `seat ${side} ${active ? 'active' : ''}` },
    h('i', { class: 'token', 'aria-hidden': 'true' }), h('strong', {}, name),
    memory.get('pips', true) && pips !== undefined ? h('span', {}, t('pips', pips)) : null, notes ? h('span', { class: 'notes' }, notes) : null,
    score === undefined ? null : h('span', { class: 'score' }, h('b', {}, String(score)), away ? h('small', {}, t('away', away)) : null));
}

// Whether a seat plays the user's side: a chouette has the box on one and the team on the other.
const isOwn = ({ seat, chouette }, other) => chouette ? (seat === chouette.order[0]) === (other === chouette.order[0]) : seat === other;

// The two sides of a board, the other one first; who plays a team's checkers is its captain.
export function two({ state, busy }, extra) {
  const { seat: own, chouette } = state;
  const other = !chouette ? 3 - own : own === chouette.order[0] ? chouette.captain : chouette.order[0];
  return [other, own].map((at, first) => seat({
    name: state.names[at - 1], score: state.score[at - 1], side: first ? 'own' : 'other', ...extra(1 - first),
    away: state.length ? Math.max(state.length - state.score[at - 1], 0) : 0,
    active: busy ? !first : first && ['roll', 'cube', 'play', 'answer', 'resignation'].includes(state.waiting.for),
  }));
}

// A board on which a roll is played: the page has what is to happen next.
export class Mover {
  constructor(page) {
    this.page = page;
    this.moves = null;
    this.board = new Board({
      grab: (from) => this.grab(from), drop: (from, to) => this.drop(from, to), tap: (point, other) => this.tap(point, other),
      dice: () => this.dice(), cube: () => page.cube?.(), long: page.long,
    });
    this.settled();
  }

  // A roll to be played, with all ways of playing it; see `Moves`.
  begin(points, graph, dice) { Object.assign(this, { points, moves: graph ? new Moves(graph, dice) : null }); }

  settled() { this.board.mirror(memory.get('home', 'right') === 'left'); }

  get now() { return this.moves ? moved(this.points, this.moves.hops) : this.points; }
  get play() { return this.moves?.play ?? null; }
  get begun() { return Boolean(this.moves?.path.length); }
  undo() { return Boolean(this.moves?.undo()); }
  redo() { return Boolean(this.moves?.redo()); }

  grab(from) {
    const targets = this.page.busy || !this.moves ? new Map() : this.moves.targets(from);
    return targets.size ? targets : null;
  }

  drop(from, to) {
    const hops = this.moves?.targets(from).get(to);
    if (hops) this.moves.do(hops);
    this.stepped();
  }

  tap(point, other) {
    if (this.page.busy || !this.moves || this.moves.isWhole) return;
    if (!this.moves.click(point, other)) {
      const taken = this.now[point] ?? 0;
      if (point < 1 || point > 24 || taken > 0 || !this.moves.make(point)) return;
    }
    this.stepped();
  }

  stepped() {
    this.page.changed();
    const hop = this.moves?.path.at(-1);
    if (hop) announce(`${hop.from === 25 ? t('bar') : hop.from}/${hop.to === 0 ? 'off' : hop.to}${hop.hit ? '*' : ''}`);
  }

  dice() {
    if (this.page.busy || !this.moves) return;
    if (this.moves.isWhole) { this.page.finish(); return; }
    this.moves.swap();
    this.page.render();
  }
}

// Backgammon and its variants.
export class CubeTable extends Mover {
  preview({ game }) { this.board.show({ board: STARTS[game], off: [0, 0], cube: { value: 1, owner: 'center' } }); }

  // `dice` are those that lie on the board, of a `roller`, before the user's own.
  take({ waiting, board, game, condone }) {
    this.lay(board);
    this.checkers = board.off[0] + board.points.reduce((sum, count) => sum + Math.max(count, 0), 0);
    this.start = STARTS[game];
    if (waiting.for === 'play') this.begin(board.points, waiting.graph, waiting.dice);
    if (condone && this.moves) this.moves = new FreeMoves(board.points, waiting.dice);
  }

  lay({ points }) { this.points = points; this.moves = null; }
  // The board before the first roll of a game, or in the position that it begins with.
  opened(state, points = this.start) { this.take(state); this.lay({ points: points ?? STARTS[state.game] ?? state.board.points }); this.rolled = null; }

  get words() { return []; }

  draw({ state, busy, arrows, label, fresh }) {
    const { now: board, moves } = this;
    const mine = ['play'].includes(state.waiting.for);
    const last = !moves?.path.length && !busy ? state.log.findLast(({ act }) => act === 'play') : null;
    const rolled = state.waiting.for === 'answer' ? null : this.rolled;
    this.board.show({
      board, off: off(board, this.checkers), cube: state.cube, crawford: !state.cube.in_play, offered: state.waiting.for === 'answer' && !busy,
      roller: mine && moves ? 'own' : rolled?.roller, dice: mine && moves ? moves.dice : rolled?.dice ?? [], whole: moves?.isWhole,
      movable: moves && !busy ? moves.movable : new Set(), last: last && !isOwn(state, last.seat) ? steps(last.play) : [], lastBy: 'other',
      rolled: fresh, arrows: arrows ?? [], label, result: !busy && ['game_over', 'match_over'].includes(state.waiting.for),
    });
  }

  throw(roller, [one, two]) { this.rolled = { roller, dice: (one === two ? [one, one, one, one] : [one, two]).map((die) => ({ die, used: false })) }; }

  seats(page) {
    const count = pips(this.now);
    return two(page, (index) => ({ pips: count[index] }));
  }

  place({ waiting }) { return `${waiting.for === 'play' ? 'aside' : 'middle'} ${this.board.mirrored ? 'mirrored' : ''}`; }

  // Shows what a seat has done; how long it wants to be seen.
  async show({ act, seat, dice, play, board }, draw) {
    const roller = isOwn(this.page.state, seat) ? 'own' : 'other';
    if (act === 'roll') {
      this.throw(roller, dice);
      draw({ fresh: true });
      return 650;
    }
    const hops = act === 'play' ? steps(play) : [];
    for (const [from, to] of hops) {
      const now = roller === 'other' ? flipped(moved(flipped(this.points), [[from, to]])) : moved(this.points, [[from, to]]);
      this.lay({ points: now });
      const left = this.rolled?.dice.filter((die) => !die.used) ?? [];
      const used = left.find(({ die }) => die === from - to || to === 0) ?? left[0];
      if (used) used.used = true;
      draw();
      if (!this.page.hurry) await wait(glide() + 140);
    }
    this.lay(board);
    if (act === 'play') this.rolled?.dice.forEach((die) => { die.used = true; });
    draw();
    return act === 'play' ? (hops.length ? 0 : 900) : 450;
  }

  point(play) { this.moves?.reset(); this.page.point([{ steps: steps(play), kind: 'best' }]); }
}
