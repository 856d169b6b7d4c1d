// How a running game lies on its board, and how a play is put together there: a class for each family
// of boards. The page of the game (`play.js`) has the state and asks the engine.

import { Assembly, move } from './assembly.js';
import { Board, glide } from './board.js';
import { announce, h, memory, wait } from './dom.js';
import { FreeMoves, Moves } from './moves.js';
import { STARTS, flipped, moved, off, pips, steps } from './position.js';
import { RoundBoard, dark, sign } from './round.js';
import { TablesBoard, counts } from './tables.js';
import { t } from './texts.js';
import { say } from './words.js';

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
function two({ state, busy }, extra) {
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
      rolled: fresh, arrows: arrows ?? [], label,
    });
  }

  seats(page) {
    const count = pips(this.now);
    return two(page, (index) => ({ pips: count[index] }));
  }

  place({ waiting }) { return `${waiting.for === 'play' ? 'aside' : 'middle'} ${this.board.mirrored ? 'mirrored' : ''}`; }

  // Shows what a seat has done; how long it wants to be seen.
  async show({ act, seat, dice, play, board }, draw) {
    const roller = isOwn(this.page.state, seat) ? 'own' : 'other';
    if (act === 'roll') {
      const [one, two] = dice;
      this.rolled = { roller, dice: (one === two ? [one, one, one, one] : dice).map((die) => ({ die, used: false })) };
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

// Boards of games without a cube: a play is put together of the moves that the engine lists.
class WordTable {
  constructor(page, Kind) {
    this.page = page;
    this.board = new Kind({
      grab: (place) => { const targets = page.busy || !page.state ? new Map() : this.moves.targets(place); return targets.size ? targets : null; },
      drop: (from, to) => this.make(this.moves.targets(from).get(to) ?? []),
      tap: (place) => this.touch(place),
    });
    this.moves = new Assembly([], () => 0);
    this.chosen = null;
  }

  settled() { if (this.board.view) this.board.lay(); }

  take(state) {
    this.lay(state.board);
    this.changes = new Set();
    this.rolled = null;
    this.moves = new Assembly(state.waiting.for === 'play' ? state.waiting.plays : [], (place, done) => this.count(place, done));
  }

  lay(board) {
    this.changes = this.changed(this.laid, board);
    this.laid = board;
    this.chosen = null;
    this.moves = new Assembly([], () => 0);
  }

  opened(state) { this.lay(state.board); }
  changed() { return new Set(); }

  get play() { return this.moves.whole; }
  get begun() { return this.moves.done.length > 0; }
  get made() { return this.moves.done; }
  // The moves that may come next.
  get words() { return this.moves.nexts().filter((word) => this.chosen === null || move(word)?.from === this.chosen); }

  get movable() {
    const steps = this.page.busy ? [] : this.moves.steps().map(({ step }) => step);
    return new Set(this.chosen === null ? steps.map(({ from }) => from) : [this.chosen, ...steps.filter(({ from }) => from === this.chosen).map(({ to }) => to)]);
  }

  // What another has done: with the roll, and the board after it.
  async show({ act, dice, board, play }, draw) {
    this.lay(board);
    // Dice that find who begins are told in words alone.
    this.rolled = act === 'roll' ? [] : dice ?? [];
    draw();
    return ['pass', 'decline'].includes(play) ? 450 : 900;
  }

  dice({ waiting }) { return (this.rolled ?? (waiting.for === 'play' ? waiting.dice : [])).map((die) => ({ die })); }

  undo() { this.chosen = null; return this.moves.undo(); }
  redo() { return false; }
  point(play) { this.moves.set(play); this.chosen = null; this.page.render(); }

  // A touch chooses where a move begins, another one where it ends; where there is no choice, the
  // first does both.
  touch(place) {
    if (this.page.busy || !this.page.state) return;
    const steps = this.moves.steps();
    if (this.chosen !== null && this.chosen !== place) {
      const found = steps.find(({ step }) => step.from === this.chosen && step.to === place);
      if (found) { this.make([found.word]); return; }
    }
    const from = steps.filter(({ step }) => step.from === place);
    if (from.length === 1) { this.make([from[0].word]); return; }
    this.chosen = from.length && this.chosen !== place ? place : null;
    this.page.render();
  }

  make(words) {
    this.moves.do(words);
    this.chosen = null;
    this.page.changed();
    announce(say(words.join(' ')));
  }
}

// How the checkers of the two sides run.
const WAYS = { tabula: 'same', puff: 'same', fallas: 'against', emperador: 'against', 'todas-tablas': 'against', trictrac: 'against', buffa: 'ends', ludus: 'rows' };
// Where checkers stand before a game; in the others all are in hand.
const BEGUN = { fallas: [[1, 2], [19, 13]], emperador: [[1, 15]], 'todas-tablas': [[1, 2], [12, 5], [17, 3], [19, 5]], trictrac: [[1, 15]] };

// Historical games for two.
export class PairTable extends WordTable {
  constructor(page) { super(page, TablesBoard); }

  preview({ game }) {
    const begun = BEGUN[game]?.flatMap(([point, count]) => [[String(point), count], [String(25 - point), -count]]);
    this.board.show({
      way: WAYS[game], board: { kind: game === 'ludus' ? 'scripta' : 'points' }, places: new Map(begun ?? [['hand', 15], ['other-hand', -15]]),
      marked: game === 'fallas' ? new Map([['1', 2], ['24', 2]]) : null, movable: new Set(), label: t('board'),
    });
  }

  // The checkers with these moves.
  after(done = this.moves.done) {
    const found = counts(this.laid);
    const add = (name, by) => {
      const now = (found.get(name) ?? 0) + by;
      if (now === 0) found.delete(name); else found.set(name, now);
    };
    for (const word of done) {
      const step = move(word);
      if (!step) continue;
      if (step.hits) { found.delete(step.to); add('other-bar', -1); }
      add(step.from, -step.count);
      add(step.to, step.count);
    }
    return found;
  }

  count(place, done) { return this.after(done).get(place) ?? 0; }

  draw({ state, label }) {
    const { laid: board } = this;
    const marked = board.kind === 'points' ? new Map(board.points.map(([, count], index) => [String(index + 1), count])) : null;
    this.board.show({ board, places: this.after(), movable: this.movable, dice: this.dice(state), marked, label });
  }

  seats(page) { return two(page, (index) => ({ notes: say(page.state.notes[index]) })); }
  place({ waiting }) { return waiting.for !== 'play' ? 'middle' : this.laid.kind === 'points' ? 'aside' : 'seam'; }
}

// Games for more than two, on a round board.
export class RoundTable extends WordTable {
  constructor(page) { super(page, RoundBoard); }

  preview({ game, seats, seat }) { this.board.preview(game, seats, seat); }

  // Cells that a turn has changed.
  changed(before, { cells }) {
    const found = new Set();
    cells.forEach(([seat, count], cell) => {
      const [was, number] = before?.cells[cell] ?? [seat, count];
      if (number !== count || (count > 0 && was !== seat)) found.add(cell);
    });
    return found;
  }

  // The ring and the places beside it, with these moves of the user.
  after(done = this.moves.done) {
    const { cells: before, numbers, players } = this.laid;
    const { seat } = this.page.state;
    const cells = before.map((cell) => [...cell]);
    const beside = new Map(players[seat - 1].beside);
    const captured = new Map();
    for (const word of done) {
      const step = move(word);
      if (!step) continue;
      const [from, to] = [step.from, step.to].map((name) => numbers.indexOf(Number(name)));
      if (from >= 0) cells[from] = cells[from][1] > 1 ? [seat, cells[from][1] - 1] : [1, 0];
      else beside.set(step.from, (beside.get(step.from) ?? 0) - 1);
      if (to < 0) beside.set(step.to, (beside.get(step.to) ?? 0) + 1);
      else if (step.hits) {
        captured.set(cells[to][0], (captured.get(cells[to][0]) ?? 0) + 1);
        cells[to] = [seat, 1];
        if (beside.has('captured')) beside.set('captured', beside.get('captured') + 1);
      } else cells[to] = [seat, cells[to][1] + 1];
    }
    return {
      cells,
      players: players.map((player, index) => {
        if (index + 1 === seat) return { ...player, beside: [...beside] };
        const lost = captured.get(index + 1) ?? 0;
        return { ...player, beside: player.beside.map(([kind, count]) => [kind, kind === 'bar' ? count + lost : kind === 'left' ? count - lost : count]) };
      }),
    };
  }

  count(place, done) {
    const { cells, players } = this.after(done);
    const { seat } = this.page.state;
    const cell = this.laid.numbers.indexOf(Number(place));
    if (cell >= 0) return cells[cell][0] === seat ? cells[cell][1] : 0;
    return players[seat - 1].beside.find(([kind]) => kind === place)?.[1] ?? 0;
  }

  draw({ state, event, label }) {
    this.onRoll = event?.seat ?? (state.waiting.for === 'play' ? state.seat : 0);
    this.board.show({
      ...this.after(), seat: state.seat, numbers: this.laid.numbers, movable: this.movable, onRoll: this.onRoll,
      changed: this.begun ? new Set() : this.changes, dice: this.dice(state), label,
    });
  }

  seats({ state }) {
    return [h('div', { class: 'seats' }, this.after().players.map((player, index) => h('div', { class: `chair ${index + 1 === this.onRoll ? 'active' : ''}`, style: `--seat: ${player.color}` },
      h('i', { class: `token ${dark(player.color) ? 'light' : ''}`, 'aria-hidden': 'true' }, sign(player.name)), h('span', {}, h('strong', {}, index + 1 === state.seat ? state.names[index] : t(`seat_${player.name}`)),
        h('small', {}, player.beside.filter(([kind, count]) => count > 0 || kind === 'left').map(([kind, count]) => h('span', { class: kind }, t(`beside_${kind}`, count)))))))), null];
  }

  place() { return 'ring'; }
}
