// The historical games: a board for each, and a play that is put together move by move.
//
// What a game allows is known to the engine alone. The page gets every play in words, such as
// `hand-6 7-12*`, offers the moves that lead on to one of them, and shows where checkers would lie.

import { announce, button, h, memory, replace, s, select, toast } from './dom.js';
import { stone, wood } from './board.js';
import { equity, pointsOf, t } from './texts.js';

const CELL = 62, RADIUS = 27, FRAME = 20, GAP = 64, TRAY = 70;
const WIDTH = 2 * FRAME + 2 * TRAY + 12 * CELL + GAP;
const STACK = 5;

// Where places are: a middle, the direction in which checkers pile up, and the room for them.
function pointsLayout() {
  const tall = 640 + 2 * FRAME, places = new Map();
  const column = (index) => FRAME + TRAY + index * CELL + (index >= 6 ? GAP : 0) + CELL / 2;
  for (let point = 1; point <= 24; point++) {
    const low = point <= 12;
    places.set(String(point), { x: column(12 - (low ? point : 25 - point)), y: low ? tall - FRAME : FRAME, way: low ? -1 : 1, room: 270, width: CELL });
  }
  sides(places, tall);
  return { tall, places };
}

function scriptaLayout() {
  const tall = 3 * 190 + 2 * FRAME, places = new Map();
  const column = (index) => FRAME + TRAY + index * CELL + (index >= 6 ? GAP : 0) + CELL / 2;
  const put = (name, row, index) => places.set(name, { x: column(index), y: FRAME + row * 190 + 172, way: -1, room: 150, width: CELL, row });
  for (let index = 0; index < 12; index++) {
    put(String(7 + index), 0, index);
    put(String(30 - index), 2, index);
    if (index < 6) put(String(index + 1), 1, index);
    else put(`other-${12 - index}`, 1, index);
  }
  sides(places, tall);
  return { tall, places };
}

// Hands at the left, borne-off checkers at the right, the bars in the middle; ours are below.
function sides(places, tall) {
  const middle = FRAME + TRAY + 6 * CELL + GAP / 2, left = FRAME + TRAY / 2, right = WIDTH - left;
  const add = (name, x, low, width, flat) => places.set(name, { x, y: low ? tall - FRAME : FRAME, way: low ? -1 : 1, room: tall / 2 - FRAME - 34, width, flat });
  add('hand', left, true, TRAY, true);
  add('other-hand', left, false, TRAY, true);
  add('off', right, true, TRAY, true);
  add('other-off', right, false, TRAY, true);
  add('bar', middle, true, GAP, false);
  add('other-bar', middle, false, GAP, false);
}

// Checkers by place: positive ours. Those of the other side that lie where none of ours can are
// under names of their own.
function counts({ board, off }) {
  const found = new Map();
  const put = (name, count) => { if (count !== 0) found.set(name, count); };
  if (board.kind === 'points') board.points.forEach(([count], index) => put(String(index + 1), count));
  else {
    board.track.forEach((count, index) => put(String(index + 7), count));
    board.entry[0].forEach((count, index) => put(String(index + 1), count));
    board.entry[1].forEach((count, index) => put(`other-${index + 1}`, -count));
  }
  for (const [name, both] of [['hand', board.hand], ['bar', board.bar], ['off', off]]) {
    put(name, both[0]);
    put(`other-${name}`, -both[1]);
  }
  return found;
}

// A move in words: where it begins and ends, and whether it hits. Others are told as they are.
function move(word) {
  const found = /^m?(\w+)-(\w+)(?:\((\d+)\))?(\*?)$/.exec(word);
  return found ? { from: found[1], to: found[2], hits: found[4] !== '', count: Number(found[3] ?? 1) } : null;
}

const sorted = (words) => [...words].sort();

// What is left of a play after these moves; null if it does not have them.
function rest(play, done) {
  const left = play.split(' ');
  for (const word of done) {
    const at = left.indexOf(word);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left;
}

export class TablesBoard {
  constructor(tap) {
    this.tap = tap;
    this.svg = s('svg', { class: 'board tables', role: 'group' });
    this.over = h('div', { class: 'over' });
    this.element = h('div', { class: 'board-box' }, this.svg, this.over);
  }

  // `places` has the checkers by place, ours positive; `marked` how many of a point are marked.
  show({ board, places: found, movable, dice, label, marked }) {
    const { tall, places } = board.kind === 'points' ? pointsLayout() : scriptaLayout();
    const half = 6 * CELL;
    const field = (x) => s('rect', { class: 'felt', x, y: FRAME, width: half, height: tall - 2 * FRAME, rx: 3 });
    const drawn = [...wood(), s('rect', { class: 'case', x: 0, y: 0, width: WIDTH, height: tall, rx: 18 }),
      s('rect', { class: 'rim', x: 5, y: 5, width: WIDTH - 10, height: tall - 10, rx: 14 }),
      field(FRAME + TRAY), field(FRAME + TRAY + half + GAP)];
    for (const [name, { x, y, way, room, width, flat, row }] of places) {
      if (flat) drawn.push(s('rect', { class: 'tray', x: x - width / 2 + 8, y: way > 0 ? y : y - room, width: width - 16, height: room, rx: 8 }));
      else if (row !== undefined) {
        drawn.push(s('rect', { class: `cell ${row === 1 ? 'entry' : ''}`, x: x - width / 2 + 3, y: y - room - 8, width: width - 6, height: room + 12, rx: 8 }),
          s('text', { class: 'cell-number', x, y: y - room + 8 }, name.replace('other-', '')));
      } else if (!Number.isNaN(Number(name))) {
        drawn.push(s('path', { class: `point ${Number(name) % 2 ? 'odd' : 'even'}`, d: `M${x - width / 2 + 2} ${y}L${x} ${y + way * room}L${x + width / 2 - 2} ${y}z` }),
          s('text', { class: 'number', x, y: way > 0 ? 14.5 : tall - 5.5 }, name));
      }
    }
    for (const [name, count] of found) {
      const at = places.get(name);
      if (!at) continue;
      const many = Math.abs(count), side = count > 0 ? 'own' : 'other';
      const shown = at.flat ? many : Math.min(many, STACK + 3);
      const gap = at.flat ? Math.min(17.5, (at.room - 30) / Math.max(many, 1)) : Math.min(2 * RADIUS, (at.room - 2 * RADIUS) / Math.max(shown - 1, 1));
      for (let height = 0; height < shown; height++) {
        const checker = stone(side);
        if (at.flat) checker.classList.add('borne');
        if (height < (marked?.get(name) ?? 0)) checker.classList.add('marked');
        checker.style.transform = `translate(${at.x}px, ${at.y + at.way * (at.flat ? 14 + height * gap : RADIUS + 3 + height * gap)}px)`;
        drawn.push(checker);
      }
      if (many > 3) drawn.push(s('text', { class: `count ${at.flat ? 'tray-count' : side}`, x: at.x, y: at.flat ? at.y + at.way * (at.room - 8) + 5 : at.y + at.way * (RADIUS + 3 + (shown - 1) * gap) + 6 }, String(many)));
    }
    if (dice?.length) {
      const center = FRAME + TRAY + half + GAP + half / 2;
      dice.forEach(({ die }, index) => {
        const beside = (index - (dice.length - 1) / 2) * 60;
        const [x, y] = board.kind === 'points' ? [center + beside, tall / 2] : [WIDTH / 2, tall / 2 + beside];
        drawn.push(s('g', { class: 'die', transform: `translate(${x} ${y}) scale(.92)` }, s('rect', { x: -26, y: -26, width: 52, height: 52, rx: 11 }),
          s('text', { class: 'die-number', y: 9 }, String(die))));
      });
    }
    // What can be touched and heard.
    const words = (name) => {
      const count = found.get(name) ?? 0;
      const place = { hand: t('hand'), bar: t('bar'), off: t('borne_off') }[name.replace('other-', '')] ?? t('point', name.replace('other-', ''));
      return `${place}: ${count === 0 ? t('empty') : t(count > 0 ? 'own_checkers' : 'other_checkers', Math.abs(count))}${movable.has(name) ? `, ${t('can_move')}` : ''}`;
    };
    for (const [name, { x, y, way, room, width }] of places) {
      const may = movable.has(name);
      drawn.push(s('rect', {
        class: `touch ${may ? 'can-move' : ''}`, 'data-place': name, x: x - width / 2, y: way > 0 ? y : y - room, width, height: room, rx: 8, role: 'button',
        tabindex: may ? 0 : -1, 'aria-label': words(name), onclick: () => this.tap(name),
        onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); this.tap(name); } },
      }));
    }
    this.svg.setAttribute('viewBox', `0 0 ${WIDTH} ${tall}`);
    this.svg.setAttribute('aria-label', label);
    this.svg.replaceChildren(...drawn);
  }
}

export class Tables {
  constructor(app) {
    this.app = app;
    this.engine = app.engine;
    this.board = new TablesBoard((place) => this.touch(place));
    this.top = h('div', { class: 'seat-box' });
    this.bottom = h('div', { class: 'seat-box' });
    this.done = [];
  }

  async open(id) {
    replace(this.app.stage, this.top, this.board.element, this.bottom);
    if (!id) return this.begin();
    try {
      const { state } = await this.engine.tables(id);
      this.id = id;
      memory.set('tables.last', id);
      this.take(state);
    } catch (error) {
      memory.remove('tables.last');
      this.app.go('tables');
      throw error;
    }
  }

  close() { this.closed = true; }
  settled() { if (this.state) this.render(); }

  // The form of a new game.
  begin() {
    const names = this.engine.info.games.filter((name) => !this.engine.info.matches.includes(name));
    const setup = { game: names[0], length: 1, strength: 'world-class', name: t('you'), ...memory.get('tables.setup', {}) };
    const about = h('p', { class: 'quiet about' });
    const preview = () => {
      about.textContent = t(`about_${setup.game}`);
      const kind = setup.game === 'ludus' ? 'scripta' : 'points';
      this.board.show({ board: { kind }, places: new Map([['hand', 15], ['other-hand', -15]]), movable: new Set(), label: t('board') });
      replace(this.board.over);
    };
    const start = async (event) => {
      event.preventDefault();
      memory.set('tables.setup', setup);
      try {
        const { id, state } = await this.engine.newTables(setup);
        this.id = id;
        memory.set('tables.last', id);
        this.app.go(`tables/${id}`, { silent: true });
        this.take(state);
      } catch (error) { this.app.fail(error); }
    };
    const last = memory.get('tables.last');
    replace(this.top);
    replace(this.bottom);
    replace(this.app.panel, h('form', { class: 'new', onsubmit: start },
      h('h1', {}, t('tables')), h('p', { class: 'lead' }, t('tables_lead')),
      last ? button(t('go_on'), () => this.app.go(`tables/${last}`), { class: 'wide' }) : null,
      select(t('variant'), names.map((name) => [name, t(`name_${name}`)]), setup.game, (value) => { setup.game = value; preview(); }), about,
      select(t('length'), [1, 3, 5, 7, 12].map((length) => [length, pointsOf(length)]), setup.length, (value) => { setup.length = Number(value); }),
      select(t('strength'), this.engine.info.strengths.map((name) => [name, t(name)]), setup.strength, (value) => { setup.strength = value; }),
      h('button', { class: 'primary wide', 'data-act': 'start' }, t('start'))));
    preview();
  }

  take(state) {
    this.state = state;
    this.done = [];
    this.chosen = null;
    this.advice = null;
    this.busy = false;
    this.render();
    announce(`${state.log.slice(-2).join('. ')}. ${this.status()}`);
  }

  get plays() { return this.state.waiting.for === 'play' ? this.state.waiting.plays : []; }

  // Moves that lead on to a play, by their words.
  get nexts() {
    const found = new Set();
    for (const play of this.plays) for (const word of rest(play, this.done) ?? []) found.add(word);
    // A checker that another move brings first is not there yet.
    const here = this.shown();
    return [...found].filter((word) => { const step = move(word); return !step || (here.get(step.from) ?? 0) >= step.count; });
  }

  // The play that the moves so far are, if they are a whole one.
  get whole() {
    const made = sorted(this.done).join(' ');
    return this.done.length ? this.plays.find((play) => sorted(play.split(' ')).join(' ') === made) ?? null : null;
  }

  // The checkers with the moves so far.
  shown() {
    const found = counts(this.state);
    const add = (name, by) => {
      const now = (found.get(name) ?? 0) + by;
      if (now === 0) found.delete(name); else found.set(name, now);
    };
    for (const word of this.done) {
      const step = move(word);
      if (!step) continue;
      if (step.hits) { found.delete(step.to); add('other-bar', -1); }
      add(step.from, -step.count);
      add(step.to, step.count);
    }
    return found;
  }

  status() {
    const { waiting } = this.state;
    switch (waiting.for) {
      case 'play': return t('your_play', waiting.roll);
      case 'game_over': return waiting.winner === null ? t('drawn') : t(waiting.winner === 1 ? 'you_win' : 'you_lose', pointsOf(waiting.points));
      case 'match_over': return t(waiting.winner === 1 ? 'match_won' : 'match_lost');
      default: return t('thinking');
    }
  }

  // A touch chooses where a move begins, another one where it ends; where there is no choice, the
  // first does both.
  touch(place) {
    if (this.busy || !this.state) return;
    const steps = this.nexts.map((word) => ({ word, step: move(word) })).filter(({ step }) => step);
    if (this.chosen !== null && this.chosen !== place) {
      const found = steps.find(({ step }) => step.from === this.chosen && step.to === place);
      if (found) { this.make(found.word); return; }
    }
    const from = steps.filter(({ step }) => step.from === place);
    if (from.length === 1) { this.make(from[0].word); return; }
    this.chosen = from.length && this.chosen !== place ? place : null;
    this.render();
  }

  make(word) {
    this.done.push(word);
    this.chosen = null;
    this.render();
    announce(word);
  }

  undo() { this.done.pop(); this.chosen = null; this.render(); }

  render() {
    const { state } = this;
    const { waiting, board } = state;
    const steps = this.nexts.map(move).filter(Boolean);
    const movable = new Set(this.busy ? [] : this.chosen === null ? steps.map(({ from }) => from) : [this.chosen, ...steps.filter(({ from }) => from === this.chosen).map(({ to }) => to)]);
    const marked = board.kind === 'points' ? new Map(board.points.map(([, count], index) => [String(index + 1), count])) : null;
    const dice = waiting.for === 'play' ? waiting.numbers.map((die) => ({ die })) : [];
    this.board.show({ board, places: this.shown(), movable, dice, marked, label: `${t('board')}. ${this.status()}` });
    const seat = (index, side) => h('div', { class: `seat ${side} ${(index === 0) === (waiting.for === 'play') && !this.busy ? 'active' : ''}` },
      h('i', { class: 'token', 'aria-hidden': 'true' }), h('strong', {}, state.names[index]), h('span', { class: 'notes' }, state.notes[index]),
      h('span', { class: 'score' }, h('b', {}, String(state.score[index])), state.length ? h('small', {}, t('away', Math.max(state.length - state.score[index], 0))) : null));
    replace(this.top, seat(1, 'other'));
    replace(this.bottom, seat(0, 'own'));
    this.controls();
    this.side();
  }

  controls() {
    const { waiting } = this.state;
    const over = [];
    if (!this.busy && waiting.for === 'play' && (this.done.length || this.plays.length === 1)) {
      if (this.done.length) over.push(button(t('undo'), () => this.undo(), { 'data-act': 'undo' }));
      if (this.whole) over.push(button(t('done'), () => this.act({ act: 'play', play: this.whole }), { class: 'primary', 'data-act': 'done' }));
    } else if (waiting.for === 'game_over') over.push(button(t('next_game'), () => this.act({ act: 'next_game' }), { class: 'primary', 'data-act': 'next_game' }));
    else if (waiting.for === 'match_over') over.push(button(t('new_game'), () => this.app.go('tables'), { class: 'primary', 'data-act': 'new' }));
    this.board.over.className = `over ${waiting.for !== 'play' ? 'middle' : this.state.board.kind === 'points' ? 'aside' : 'seam'}`;
    replace(this.board.over, over);
  }

  side() {
    const { state } = this;
    const { waiting } = state;
    const isOver = waiting.for === 'game_over' || waiting.for === 'match_over';
    const words = this.nexts.filter((word) => this.chosen === null || move(word)?.from === this.chosen);
    replace(this.app.panel,
      h('header', { class: 'status' }, h('p', { class: 'eyebrow' }, `${t(`name_${state.game.split(':')[0]}`)} · ${t('game_n', state.game_number)} · ${t(state.strength)}`),
        h('h1', { class: this.busy ? 'thinking' : '' }, this.busy ? t('thinking') : this.status()), isOver ? h('p', { class: 'quiet' }, waiting.how) : null),
      waiting.for === 'play' && !this.busy ? h('section', { class: 'moves' }, h('h2', {}, t('your_moves')),
        h('p', { class: 'made' }, this.done.length ? this.done.join('  ') : h('span', { class: 'quiet' }, t('tables_help'))),
        h('div', { class: 'row', role: 'group', 'aria-label': t('your_moves') }, words.slice(0, 40).map((word) => button(word, () => this.make(word), { class: 'chip', 'data-move': word })))) : null,
      h('div', { class: 'row' },
        button(t('hint'), () => this.hint(), { disabled: this.busy || waiting.for !== 'play', 'data-act': 'hint' }),
        button(t('take_back'), () => this.act({ act: 'take_back' }), { disabled: this.busy || !state.may_take_back, 'data-act': 'take_back' }),
        button(t('new_game'), () => this.app.go('tables'))),
      h('div', { class: 'advice', 'aria-live': 'polite' }, this.advice),
      h('details', {}, h('summary', {}, t('rules')), h('p', { class: 'quiet' }, t(`about_${state.game.split(':')[0]}`))),
      h('section', { class: 'log' }, h('h2', {}, t('game_log')),
        h('ol', { tabindex: 0 }, state.log.map((line) => h('li', { class: line.startsWith(`${state.names[0]}:`) ? 'own' : 'other' }, line)))),
      h('pre', { class: 'sr' }, state.text));
    const log = this.app.panel.querySelector('.log ol');
    log.scrollTop = log.scrollHeight;
  }

  async act(action) {
    if (this.busy) return;
    this.busy = true;
    try {
      const slow = setTimeout(() => this.render(), 250);
      const { state } = await this.engine.actTables(this.id, action).finally(() => clearTimeout(slow));
      if (!this.closed) this.take(state);
    } catch (error) {
      this.busy = false;
      if (!this.closed) this.render();
      this.app.fail(error);
    }
  }

  async hint() {
    try {
      const { plays } = await this.engine.hintTables(this.id);
      this.advice = h('ol', { class: 'plays' }, plays.map(({ play, equity: worth, loss }, index) => h('li', {},
        h('button', { type: 'button', class: index === 0 ? 'best' : '', onclick: () => { this.done = play === 'pass' ? [] : play.split(' '); this.chosen = null; this.render(); } },
          h('span', { class: 'rank' }, String(index + 1)), h('span', { class: 'name' }, play), h('span', { class: 'value' }, equity(worth)),
          h('span', { class: 'lost' }, index === 0 ? '' : `−${equity(Math.max(loss, 0)).slice(1)}`)))));
      this.side();
    } catch (error) { toast(t('failed', error.message)); }
  }

  key(key) {
    const press = (act) => { const found = this.board.over.querySelector(`[data-act="${act}"]`); found?.click(); return Boolean(found); };
    if (key === ' ') return ['done', 'next_game', 'new'].some(press);
    if (key === 'u') return press('undo');
    if (key === 'h') { this.app.panel.querySelector('[data-act="hint"]:not(:disabled)')?.click(); return true; }
    return false;
  }
}
