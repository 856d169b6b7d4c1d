// How a running game without a cube lies on its board, and how a play is put together there: a class for each family of
// boards. The page of the game (`play.js`) has the state and asks the engine.

import { Assembly, move } from './assembly.js';
import { announce, h } from './dom.js';
import { RoundBoard, dark, sign } from './round.js';
import { two } from './table.js';
import { TablesBoard, counts } from './tables.js';
import { t } from './texts.js';
import './texts-games.js';
import { say } from './words.js';

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
