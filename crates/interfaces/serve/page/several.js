// Games for more than two players: the user in one seat of a round board, the engine in the others.

import { Assembling, Assembly, move } from './assembly.js';
import { announce, button, h, memory, replace, toast, wait } from './dom.js';
import { RoundBoard, dark, sign } from './round.js';
import { equity, number, t } from './texts.js';
import { say } from './words.js';

// What a player may do instead of moving.
const CHOICES = ['pass', 'decline'];

const points = (value) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${number(Math.abs(value), Number.isInteger(value) ? 0 : 2)}`;

export class Several extends Assembling {
  constructor(app) {
    super(app);
    this.board = new RoundBoard(this.hands());
    this.top = h('div', { class: 'seats' });
  }

  async open(id) {
    if (!id) { this.app.go('tables'); return; }
    replace(this.app.stage, this.top, this.board.element);
    try {
      const { state } = await this.engine.state('several', id);
      this.id = id;
      memory.set('tables.last', `several/${id}`);
      this.take(state);
    } catch (error) {
      memory.remove('tables.last');
      this.app.go('tables');
      throw error;
    }
  }

  take(state) {
    this.state = state;
    this.play = new Assembly(state.waiting.for === 'play' ? state.waiting.plays : [], (place, done) => this.count(place, done));
    this.chosen = null;
    this.advice = null;
    this.busy = false;
    this.shown = null;
    this.changed = this.lastChanges();
    this.render();
    announce(`${state.log.slice(-state.players.length).map((turn) => this.words(turn)).join('. ')}. ${this.status()}`);
  }

  seatName(seat) { return t(`seat_${this.state.players[seat - 1].name}`); }
  words({ seat, roll, play }) { return `${this.seatName(seat)}: ${roll ? `${roll}, ` : ''}${say(play)}`; }

  // Cells that the last turn of the engine has changed.
  lastChanges() {
    const { log, seat } = this.state;
    const last = log.at(-1);
    return last && last.seat !== seat ? changes(log.at(-2)?.cells, last.cells) : new Set();
  }

  // The ring and the places beside it, with these moves of the user.
  after(done = this.play.done) {
    const { cells: before, numbers, seat, players } = this.state;
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
    const { numbers, seat } = this.state;
    const cell = numbers.indexOf(Number(place));
    if (cell >= 0) return cells[cell][0] === seat ? cells[cell][1] : 0;
    return players[seat - 1].beside.find(([kind]) => kind === place)?.[1] ?? 0;
  }

  status() {
    const { waiting, seat } = this.state;
    if (waiting.for === 'play') return t(waiting.offered ? 'offered_dice' : 'your_play', waiting.numbers.join('-'));
    if (waiting.for !== 'game_over') return t('thinking');
    const won = waiting.payoffs[seat - 1];
    return t(won > 0 ? 'you_gain' : won < 0 ? 'you_give' : 'you_even', number(Math.abs(won), Number.isInteger(won) ? 0 : 2));
  }

  render() {
    const { state } = this;
    const { waiting, seat } = state;
    const steps = this.play.steps().map(({ step }) => step);
    const movable = this.busy ? [] : this.chosen === null ? steps.map(({ from }) => from) : [this.chosen, ...steps.filter(({ from }) => from === this.chosen).map(({ to }) => to)];
    const { cells, players } = this.after();
    // What the engine has just done is shown turn by turn.
    const told = this.shown;
    const dice = told ? told.roll?.split('-') ?? [] : waiting.for === 'play' && !this.busy ? waiting.numbers : [];
    this.board.show({
      players, seat, cells: told?.cells ?? cells, numbers: state.numbers, movable: new Set(movable),
      onRoll: told?.seat ?? (waiting.for === 'play' ? seat : 0), changed: this.play.done.length ? new Set() : this.changed,
      dice: dice.map((die) => ({ die })), label: `${t('board')}. ${this.status()}`,
    });
    replace(this.top, players.map((player, index) => h('div', { class: `chair ${index + 1 === (told?.seat ?? (waiting.for === 'play' ? seat : 0)) ? 'active' : ''}`, style: `--seat: ${player.color}` },
      h('i', { class: `token ${dark(player.color) ? 'light' : ''}`, 'aria-hidden': 'true' }, sign(player.name)), h('span', {}, h('strong', {}, index + 1 === seat ? state.name : this.seatName(index + 1)),
        h('small', {}, player.beside.filter(([kind, count]) => count > 0 || kind === 'left')
          .map(([kind, count]) => h('span', { class: kind }, t(`beside_${kind}`, count))))))));
    this.controls();
    this.side(told);
  }

  controls() {
    const { waiting } = this.state;
    const over = [];
    if (!this.busy && waiting.for === 'play' && this.play.done.length) {
      over.push(button(t('undo'), () => this.undo(), { 'data-act': 'undo' }));
      if (this.play.whole) over.push(button(t('done'), () => this.act({ act: 'play', play: this.play.whole }), { class: 'primary', 'data-act': 'done' }));
    } else if (!this.busy && waiting.for === 'game_over') over.push(button(t('next_game'), () => this.act({ act: 'next_game' }), { class: 'primary', 'data-act': 'next_game' }));
    replace(this.board.over, over);
  }

  side(told) {
    const { state } = this;
    const { waiting, seat } = state;
    const words = this.play.nexts().filter((word) => this.chosen === null || move(word)?.from === this.chosen);
    const results = waiting.for === 'game_over' ? waiting.payoffs : null;
    replace(this.app.panel,
      h('header', { class: 'status' }, h('p', { class: 'eyebrow' }, `${t(`name_${state.game.split(':')[0]}`)} · ${t('game_n', state.game_number)} · ${t(`by_${state.opponents}`)}`),
        h('h1', { class: this.busy && !told ? 'thinking' : '' }, told ? this.words(told).replaceAll('-', '\u2011') : this.busy ? t('thinking') : this.status())),
      waiting.for === 'play' && !this.busy ? h('section', { class: 'moves' }, h('h2', {}, t('your_moves')),
        h('p', { class: 'made' }, this.play.done.length ? say(this.play.done.join('  ')) : h('span', { class: 'quiet' }, t('several_help'))),
        h('div', { class: 'row', role: 'group', 'aria-label': t('your_moves') }, words.slice(0, 40).map((word) => button(CHOICES.includes(word) ? t(`move_${word}`) : say(word), () => this.make([word]), { class: 'chip', 'data-move': word })))) : null,
      h('div', { class: 'row' },
        button(t('hint'), () => this.hint(), { disabled: this.busy || waiting.for !== 'play', 'data-act': 'hint' }),
        button(t('take_back'), () => this.act({ act: 'take_back' }), { disabled: this.busy || !state.may_take_back, 'data-act': 'take_back' }),
        button(t('new_game'), () => this.app.go('tables'))),
      h('div', { class: 'advice', 'aria-live': 'polite' }, this.advice),
      state.game_number > 1 || results ? h('section', {}, h('h2', {}, t('score')), h('table', {}, h('tbody', {}, state.players.map((player, index) => h('tr', { class: index + 1 === seat ? 'right' : '' },
        h('th', {}, this.seatName(index + 1)), results && state.game_number > 1 ? h('td', {}, points(results[index])) : null, h('td', {}, points(player.score + (results?.[index] ?? 0)))))))) : null,
      h('details', {}, h('summary', {}, t('rules')), h('p', { class: 'quiet' }, t(`about_${state.game.split(':')[0]}`))),
      h('section', { class: 'log' }, h('h2', {}, t('game_log')),
        h('ol', { tabindex: 0 }, state.log.map((turn) => h('li', { class: turn.seat === seat ? 'own' : 'other', style: `border-color: ${state.players[turn.seat - 1].color}` }, this.words(turn))))),
      h('pre', { class: 'sr' }, state.text));
    const log = this.app.panel.querySelector('.log ol');
    log.scrollTop = log.scrollHeight;
  }

  async act(action) {
    if (this.busy) return;
    this.busy = true;
    try {
      const slow = setTimeout(() => this.render(), 250);
      const { happened, state } = await this.engine.act('several', this.id, action).finally(() => clearTimeout(slow));
      if (this.closed) return;
      if (action.act === 'play') await this.replay(happened);
      if (!this.closed) this.take(state);
    } catch (error) {
      this.busy = false;
      this.shown = null;
      if (!this.closed) this.render();
      this.app.fail(error);
    }
  }

  // The turns of the other seats, one by one.
  async replay(happened) {
    let before = happened[0]?.cells;
    for (const turn of happened.filter(({ seat }) => seat !== this.state.seat)) {
      if (this.closed) return;
      this.shown = turn;
      this.changed = changes(before, turn.cells);
      before = turn.cells;
      this.play.done = [];
      this.render();
      await wait(turn.play === 'pass' ? 450 : 900);
    }
  }

  async hint() {
    try {
      const { plays } = await this.engine.hint('several', this.id);
      const best = plays[0]?.payoffs?.[0];
      this.advice = h('ol', { class: 'plays' }, plays.map(({ play, payoffs }, index) => h('li', {},
        h('button', { type: 'button', class: index === 0 ? 'best' : '', onclick: () => { this.play.set(play); this.chosen = null; this.render(); } },
          h('span', { class: 'rank' }, String(index + 1)), h('span', { class: 'name' }, say(play).replaceAll('-', '\u2011')), h('span', { class: 'value' }, payoffs ? equity(payoffs[0]) : ''),
          h('span', { class: 'lost' }, index === 0 || !payoffs ? '' : `−${equity(Math.max(best - payoffs[0], 0)).slice(1)}`)))));
      this.side(null);
    } catch (error) { toast(t('failed', error.message)); }
  }

  key(key) {
    const press = (act) => { const found = this.board.over.querySelector(`[data-act="${act}"]`); found?.click(); return Boolean(found); };
    if (key === ' ') return ['done', 'next_game'].some(press);
    if (key === 'u') return press('undo');
    if (key === 'h') { this.app.panel.querySelector('[data-act="hint"]:not(:disabled)')?.click(); return true; }
    return false;
  }
}

function changes(before, after) {
  const found = new Set();
  after.forEach(([seat, count], cell) => {
    const [was, number] = before?.[cell] ?? [seat, count];
    if (number !== count || (count > 0 && was !== seat)) found.add(cell);
  });
  return found;
}
