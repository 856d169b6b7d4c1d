// The historical games: a board for each, and a play that is put together move by move, by touching,
// dragging or words.

import { Assembling, Assembly, move } from './assembly.js';
import { face, stone, wood } from './board.js';
import { announce, button, h, memory, replace, s, select, toast } from './dom.js';
import { glide, listen } from './hands.js';
import { RoundBoard } from './round.js';
import { equity, pointsOf, t } from './texts.js';
import { say, sayTurn } from './words.js';

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

export class TablesBoard {
  // `ask` has what is told: grab(from) -> Map of targets, drop(from, to), tap(place).
  constructor(ask = {}) {
    this.ask = ask;
    this.svg = s('svg', { class: 'board tables', role: 'group' });
    this.over = h('div', { class: 'over' });
    this.element = h('div', { class: 'board-box' }, this.svg, this.over);
    listen(this);
  }

  // What hands ask of the board.
  at(event) {
    const box = this.svg.getBoundingClientRect();
    const x = (event.clientX - box.left) * WIDTH / box.width, y = (event.clientY - box.top) * this.tall / box.height;
    const inside = ([, place]) => x >= place.x - place.width / 2 && x < place.x + place.width / 2
      && (place.way > 0 ? y >= place.y && y < place.y + place.room : y >= place.y - place.room && y < place.y);
    return { x, y, place: [...this.places].find(inside)?.[0] ?? null };
  }

  named(element) { return element.dataset?.place ?? null; }

  lift(place) {
    const element = this.uppermost.get(place) ?? null;
    element?.classList.remove('borne');
    if (element) this.svg.insertBefore(element, this.svg.querySelector('.touch'));
    return element;
  }

  lay() { this.show(this.view); }

  light(places, kind) {
    for (const touch of this.svg.querySelectorAll('.touch')) touch.classList.toggle(kind, places.has(touch.dataset.place));
  }

  // `places` has the checkers by place, ours positive; `marked` how many of a point are marked.
  show(view) {
    this.view = view;
    const { board, places: found, movable, dice, label, marked } = view;
    const { tall, places } = board.kind === 'points' ? pointsLayout() : scriptaLayout();
    const before = this.stones ?? [];
    Object.assign(this, { tall, places, uppermost: new Map(), stones: [] });
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
        this.stones.push({ element: checker, side, place: name, height });
        this.uppermost.set(name, checker);
      }
      if (many > 3) drawn.push(s('text', { class: `count ${at.flat ? 'tray-count' : side}`, x: at.x, y: at.flat ? at.y + at.way * (at.room - 8) + 5 : at.y + at.way * (RADIUS + 3 + (shown - 1) * gap) + 6 }, String(many)));
    }
    if (dice?.length) {
      const center = FRAME + TRAY + half + GAP + half / 2;
      dice.forEach(({ die }, index) => {
        const beside = (index - (dice.length - 1) / 2) * 60;
        const [x, y] = board.kind === 'points' ? [center + beside, tall / 2] : [WIDTH / 2, tall / 2 + beside];
        drawn.push(s('g', { class: 'die', transform: `translate(${x} ${y}) scale(.92)` }, s('rect', { x: -26, y: -26, width: 52, height: 52, rx: 11 }),
          face(Number(die))));
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
        tabindex: may ? 0 : -1, 'aria-label': words(name),
        onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); this.ask.tap?.(name); } },
      }));
    }
    this.svg.setAttribute('viewBox', `0 0 ${WIDTH} ${tall}`);
    this.svg.setAttribute('aria-label', label);
    this.svg.replaceChildren(...drawn);
    glide(this.svg, before, this.stones);
  }
}

export class Tables extends Assembling {
  constructor(app) {
    super(app);
    this.board = new TablesBoard(this.hands());
    this.top = h('div', { class: 'seat-box' });
    this.bottom = h('div', { class: 'seat-box' });
  }

  async open(id) {
    replace(this.app.stage, this.top, this.board.element, this.bottom);
    if (!id) return this.begin();
    try {
      const { state } = await this.engine.state('tables', id);
      this.id = id;
      memory.set('tables.last', `tables/${id}`);
      this.take(state);
    } catch (error) {
      memory.remove('tables.last');
      this.app.go('tables');
      throw error;
    }
  }

  // The form of a new game. Games for more than two have a seat to choose, and a board of their own.
  begin() {
    const { info } = this.engine;
    const names = [...info.games.filter((name) => !info.matches.includes(name)), ...info.several.map(({ game }) => game)];
    const setup = { game: names[0], length: 1, strength: 'world-class', name: t('you'), seat: 1, ...memory.get('tables.setup', {}) };
    if (!names.includes(setup.game)) [setup.game] = names;
    const several = () => info.several.find(({ game }) => game === setup.game);
    const about = h('p', { class: 'quiet about' });
    const more = h('div', { class: 'new' });
    const ring = new RoundBoard();
    const preview = () => {
      about.textContent = t(`about_${setup.game}`);
      const many = several();
      const kind = setup.game === 'ludus' ? 'scripta' : 'points';
      if (many) {
        setup.seat = Math.min(setup.seat, many.seats.length);
        ring.preview(setup.game, many.seats, setup.seat);
      } else {
        this.board.show({ board: { kind }, places: new Map([['hand', 15], ['other-hand', -15]]), movable: new Set(), label: t('board') });
        replace(this.board.over);
      }
      replace(this.app.stage, this.top, (many ? ring : this.board).element, this.bottom);
      const opponents = info.trained.includes(setup.game) ? ['network', 'rule-based'] : ['rule-based'];
      replace(more, many ? [
        select(t('seat'), many.seats.map((name, index) => [index + 1, t(`seat_${name}`)]), setup.seat, (value) => { setup.seat = Number(value); preview(); }),
        select(t('others'), opponents.map((name) => [name, t(`by_${name}`)]), setup.opponents ?? opponents[0], (value) => { setup.opponents = value; }),
      ] : [
        select(t('length'), [1, 3, 5, 7, 12].map((length) => [length, pointsOf(length)]), setup.length, (value) => { setup.length = Number(value); }),
        select(t('strength'), info.strengths.map((name) => [name, t(name)]), setup.strength, (value) => { setup.strength = value; }),
      ]);
    };
    const start = async (event) => {
      event.preventDefault();
      memory.set('tables.setup', setup);
      const { game, length, strength, name, seat, opponents, seed } = setup;
      try {
        if (several()) {
          const asked = { game, name, seat, seed, opponents: info.trained.includes(game) ? opponents : 'rule-based' };
          const { id } = await this.engine.begin('several', asked);
          this.app.go(`several/${id}`);
          return;
        }
        const { id, state } = await this.engine.begin('tables', { game, length, strength, name, seed });
        this.id = id;
        memory.set('tables.last', `tables/${id}`);
        this.app.go(`tables/${id}`, { silent: true });
        this.take(state);
      } catch (error) { this.app.fail(error); }
    };
    const last = [memory.get('tables.last', '')].find((path) => path.includes('/'));
    replace(this.top);
    replace(this.bottom);
    replace(this.app.panel, h('form', { class: 'new', onsubmit: start },
      h('h1', {}, t('tables')), h('p', { class: 'lead' }, t('tables_lead')),
      last ? button(t('go_on'), () => this.app.go(last), { class: 'wide', 'data-act': 'go_on' }) : null,
      select(t('variant'), names.map((name) => [name, t(`name_${name}`)]), setup.game, (value) => { setup.game = value; preview(); }), about, more,
      h('button', { class: 'primary wide', 'data-act': 'start' }, t('start'))));
    preview();
  }

  take(state) {
    this.state = state;
    const plays = state.waiting.for === 'play' ? state.waiting.plays : [];
    this.play = new Assembly(plays, (place, done) => this.shown(done).get(place) ?? 0);
    this.chosen = null;
    this.advice = null;
    this.busy = false;
    this.render();
    announce(`${state.log.slice(-2).map((line) => sayTurn(line, state.names)).join('. ')}. ${this.status()}`);
  }

  // The checkers with the moves so far.
  shown(done = this.play.done) {
    const found = counts(this.state);
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

  status() {
    const { waiting } = this.state;
    switch (waiting.for) {
      case 'play': return t('your_play', waiting.roll);
      case 'game_over': return waiting.winner === null ? t('drawn') : t(waiting.winner === 1 ? 'you_win' : 'you_lose', pointsOf(waiting.points));
      case 'match_over': return t(waiting.winner === 1 ? 'match_won' : 'match_lost');
      default: return t('thinking');
    }
  }

  render() {
    const { state } = this;
    const { waiting, board } = state;
    const steps = this.play.steps().map(({ step }) => step);
    const movable = new Set(this.busy ? [] : this.chosen === null ? steps.map(({ from }) => from) : [this.chosen, ...steps.filter(({ from }) => from === this.chosen).map(({ to }) => to)]);
    const marked = board.kind === 'points' ? new Map(board.points.map(([, count], index) => [String(index + 1), count])) : null;
    const dice = waiting.for === 'play' ? waiting.numbers.map((die) => ({ die })) : [];
    this.board.show({ board, places: this.shown(), movable, dice, marked, label: `${t('board')}. ${this.status()}` });
    const seat = (index, side) => h('div', { class: `seat ${side} ${(index === 0) === (waiting.for === 'play') && !this.busy ? 'active' : ''}` },
      h('i', { class: 'token', 'aria-hidden': 'true' }), h('strong', {}, state.names[index]), h('span', { class: 'notes' }, say(state.notes[index])),
      h('span', { class: 'score' }, h('b', {}, String(state.score[index])), state.length ? h('small', {}, t('away', Math.max(state.length - state.score[index], 0))) : null));
    replace(this.top, seat(1, 'other'));
    replace(this.bottom, seat(0, 'own'));
    this.controls();
    this.side();
  }

  controls() {
    const { waiting } = this.state;
    const over = [];
    if (!this.busy && waiting.for === 'play' && (this.play.done.length || this.play.plays.length === 1)) {
      if (this.play.done.length) over.push(button(t('undo'), () => this.undo(), { 'data-act': 'undo' }));
      if (this.play.whole) over.push(button(t('done'), () => this.act({ act: 'play', play: this.play.whole }), { class: 'primary', 'data-act': 'done' }));
    } else if (waiting.for === 'game_over') over.push(button(t('next_game'), () => this.act({ act: 'next_game' }), { class: 'primary', 'data-act': 'next_game' }));
    else if (waiting.for === 'match_over') over.push(button(t('new_game'), () => this.app.go('tables'), { class: 'primary', 'data-act': 'new' }));
    this.board.over.className = `over ${waiting.for !== 'play' ? 'middle' : this.state.board.kind === 'points' ? 'aside' : 'seam'}`;
    replace(this.board.over, over);
  }

  side() {
    const { state } = this;
    const { waiting } = state;
    const isOver = waiting.for === 'game_over' || waiting.for === 'match_over';
    const words = this.play.nexts().filter((word) => this.chosen === null || move(word)?.from === this.chosen);
    replace(this.app.panel,
      h('header', { class: 'status' }, h('p', { class: 'eyebrow' }, `${t(`name_${state.game.split(':')[0]}`)} · ${t('game_n', state.game_number)} · ${t(state.strength)}`),
        h('h1', { class: this.busy ? 'thinking' : '' }, this.busy ? t('thinking') : this.status()), isOver ? h('p', { class: 'quiet' }, say(waiting.how)) : null),
      waiting.for === 'play' && !this.busy ? h('section', { class: 'moves' }, h('h2', {}, t('your_moves')),
        h('p', { class: 'made' }, this.play.done.length ? say(this.play.done.join('  ')) : h('span', { class: 'quiet' }, t('tables_help'))),
        h('div', { class: 'row', role: 'group', 'aria-label': t('your_moves') }, words.slice(0, 40).map((word) => button(say(word), () => this.make([word]), { class: 'chip', 'data-move': word })))) : null,
      h('div', { class: 'row' },
        button(t('hint'), () => this.hint(), { disabled: this.busy || waiting.for !== 'play', 'data-act': 'hint' }),
        button(t('take_back'), () => this.act({ act: 'take_back' }), { disabled: this.busy || !state.may_take_back, 'data-act': 'take_back' }),
        button(t('new_game'), () => this.app.go('tables'))),
      h('div', { class: 'advice', 'aria-live': 'polite' }, this.advice),
      h('details', {}, h('summary', {}, t('rules')), h('p', { class: 'quiet' }, t(`about_${state.game.split(':')[0]}`))),
      h('section', { class: 'log' }, h('h2', {}, t('game_log')),
        h('ol', { tabindex: 0 }, state.log.map((line) => h('li', { class: line.startsWith(`${state.names[0]}:`) ? 'own' : 'other' }, sayTurn(line, state.names))))),
      h('pre', { class: 'sr' }, state.text));
    const log = this.app.panel.querySelector('.log ol');
    log.scrollTop = log.scrollHeight;
  }

  async act(action) {
    if (this.busy) return;
    this.busy = true;
    try {
      const slow = setTimeout(() => this.render(), 250);
      const { state } = await this.engine.act('tables', this.id, action).finally(() => clearTimeout(slow));
      if (!this.closed) this.take(state);
    } catch (error) {
      this.busy = false;
      if (!this.closed) this.render();
      this.app.fail(error);
    }
  }

  async hint() {
    try {
      const { plays } = await this.engine.hint('tables', this.id);
      this.advice = h('ol', { class: 'plays' }, plays.map(({ play, equity: worth, loss }, index) => h('li', {},
        h('button', { type: 'button', class: index === 0 ? 'best' : '', onclick: () => { this.play.set(play); this.chosen = null; this.render(); } },
          h('span', { class: 'rank' }, String(index + 1)), h('span', { class: 'name' }, say(play).replaceAll('-', '\u2011')), h('span', { class: 'value' }, equity(worth)),
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
