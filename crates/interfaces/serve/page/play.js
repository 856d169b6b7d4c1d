// A game against the engine, whichever it is: its form, its turns, and what stands beside the board.

import { due } from './deck.js';
import { announce, ask, button, choice, glyph, h, memory, pause, replace, save, select, toast, toggle } from './dom.js';
import * as figures from './figures.js';
import * as history from './history.js';
import { flipped, parse } from './position.js';
import { CubeTable, seat } from './table.js';
import { TABLE, equity, number, pointsOf, t } from './texts.js';
import { action, say } from './words.js';

// The boards of old games come when one of them is played.
let boards = {};
const fetchBoards = async () => { boards = await import('./old.js'); };

const LENGTHS = [0, 1, 3, 5, 7, 11];
const STRONGEST = 'world-class', LEVELS = ['beginner', 'casual', 'intermediate', 'advanced', 'expert', STRONGEST];
// How many play for money: from three on a chouette.
const PLAYERS = [2, 3, 4, 5, 6, 7, 8];
// What a take makes of the cube.
const TIMES = { double: 2, beaver: 4, raccoon: 8 };
// What a player may do instead of moving.
const CHOICES = ['pass', 'decline'];

export const nameOf = (game) => { const known = t(`name_${game}`); return known.startsWith('name_') ? game[0].toUpperCase() + game.slice(1) : known; };
const signed = (value) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${number(Math.abs(value), Number.isInteger(value) ? 0 : 2)}`;

const isOver = ({ waiting }) => ['game_over', 'match_over'].includes(waiting.for);
const same = (one, two) => JSON.stringify(one) === JSON.stringify(two);

export class Play {
  // `kind` is the part of the page: `play` has backgammon, `tables` the historical games.
  constructor(app, kind) {
    this.app = app;
    this.engine = app.engine;
    this.kind = kind;
    this.busy = false;
    this.long = true;
    this.tutored = new Map();
    // A tap hurries what is shown.
    app.stage.onpointerdown = () => this.rush();
    this.top = h('div', { class: 'seat-box' });
    this.bottom = h('div', { class: 'seat-box' });
  }

  get last() { return this.kind === 'tables' ? 'tables.last' : 'last'; }

  async open(id) {
    if (this.kind === 'tables') await fetchBoards();
    if (this.closed) return;
    if (!id) { this.begin(); return; }
    const [, side, position] = /^(from|against)\/(.+)$/.exec(id) ?? [];
    if (side) { await this.playOn(position, side === 'against'); return; }
    this.id = id;
    try {
      const { state } = await this.engine.state(id);
      if (!state.cube) await fetchBoards();
      if (this.closed) return;
      this.enter(state);
      this.take(state);
    } catch (error) {
      if (this.closed) return;
      // Only a game that is gone is forgotten; a server that does not answer may come back.
      if (error.kind === 'not_found') {
        if (memory.get(this.last) === id) memory.remove(this.last);
        if (history.file(id)) history.keep({ id, running: false }); else history.forget(id);
        this.app.go(this.kind);
      } else this.unreachable(error);
      throw error;
    }
  }

  unreachable(error) {
    replace(this.app.stage);
    const kept = history.file(this.id);
    replace(this.app.panel, h('h1', {}, t('unreachable')), h('p', { class: 'problem' }, error.message), kept ? h('p', {}, t('kept_so_far')) : null,
      button(t('again'), () => this.app.route(), { class: 'primary wide', 'data-act': 'again' }),
      kept ? button(t('download'), () => save(history.bytesOf(kept), 'match.mat'), { class: 'wide', 'data-act': 'download' }) : null);
  }

  // The server is there again.
  returned() { if (this.state) this.refetch().catch((error) => this.app.fail(error)); else if (this.id) this.app.route(); }

  // Another network answers.
  renewed() { if (this.state && !this.busy) this.render(); }

  close() { this.closed = true; this.app.stage.onpointerdown = null; this.app.stage.classList.remove('long'); clearTimeout(this.timer); }

  // Shows what others do at once, from now to the user's turn; what has to be seen, else, is shown for a while.
  rush() { if (this.busy) { this.hurry = true; this.skip?.(); } }
  rest(time) { return this.hurry ? null : Promise.race([pause(time), new Promise((done) => { this.skip = done; })]); }
  // Whether nobody plays here.
  get idle() { return !this.id || Boolean(this.state && this.over && !this.busy); }

  settled() {
    this.table?.settled();
    if (this.state) this.render();
  }

  // The board of a game.
  seat(Table) {
    this.app.stage.classList.add('long');
    if (!(this.table instanceof Table)) this.table = new Table(this);
    replace(this.app.stage, this.top, this.table.board.element, this.bottom);
    replace(this.table.board.over);
  }

  enter(state) {
    memory.set(this.last, this.id);
    scrollTo(0, 0);
    this.seat(state.cube ? CubeTable : state.board.kind === 'round' ? boards.RoundTable : boards.PairTable);
  }

  // A match that begins with a position; `against` is the side of the player on roll.
  async playOn(position, against) {
    const { strength = 'world-class', beavers = 'off', name = t('you'), seed } = memory.get('setup', {});
    try {
      const found = await this.engine.ask('convert', { position, to: 'xgid' }), xgid = found.xgid ?? found.position, { board } = parse(xgid);
      await this.start({ position: xgid, engine_on_roll: against, strength, beavers, name, seed }, against ? flipped(board) : board);
    } catch (error) {
      if (!this.closed) this.app.go(`analyze/${position}`);
      throw error;
    }
  }

  // A game as it is asked for, from its first roll.
  async start(asked, points) {
    this.app.rater.pause();
    const { id, state, happened } = await this.engine.begin(asked);
    if (this.closed) return;
    this.id = id;
    this.app.go(`${this.kind}/${id}`, { silent: true });
    this.enter(state);
    this.table.opened(state, points);
    await this.replay(happened, { ...state, log: [] });
    if (!this.closed) this.take(state);
  }

  // The form of a new game, before a board that waits.
  begin() {
    const { info } = this.engine;
    const old = this.kind === 'tables', key = old ? 'tables.setup' : 'setup';
    const names = old ? [...info.games.filter((game) => !info.matches.includes(game)), ...info.several.map(({ game }) => game)] : info.matches;
    const setup = {
      game: names[0], length: old ? 1 : 5, strength: 'world-class', dice: 'computer', jacoby: false, beavers: 'off', seat: 1, players: 2, cubes: 'one', extras: 'off', name: t('you'), people: {}, condone: false, ...memory.get(key, {}),
    };
    if (!names.includes(setup.game)) [setup.game] = names;
    if (TABLE.you.includes(setup.name)) setup.name = t('you');
    const round = () => info.several.find(({ game }) => game === setup.game);
    const pick = (key, values) => select(t(key), values.map((value) => [value, typeof value === 'number' ? String(value) : t(`${key}_${value}`)]), setup[key], (value) => { setup[key] = typeof values[0] === 'number' ? Number(value) : value; show(); });
    const team = h('div', { class: 'new' }, pick('cubes', ['one', 'each']), pick('extras', ['off', 'optional', 'mandatory']));
    const money = h('div', { class: 'money' }, pick('players', PLAYERS), team,
      toggle(t('jacoby'), setup.jacoby, (on) => { setup.jacoby = on; }),
      toggle(t('beavers'), setup.beavers !== 'off', (on) => { setup.beavers = on ? 'beavers' : 'off'; }));
    const rules = h('a', {}, t('how_to_play')), more = h('div', { class: 'new' }), about = h('p', { class: 'quiet about' });
    // Six levels that people know; how long the strongest thinks is a choice of its own.
    const strengths = (all) => [select(t('strength'), all.filter((level) => LEVELS.includes(level)).map((level) => [level, t(level)]), LEVELS.includes(setup.strength) ? setup.strength : STRONGEST, (value) => { setup.strength = value; show(); }),
      (LEVELS.includes(setup.strength) && setup.strength !== STRONGEST) || all.every((level) => LEVELS.includes(level)) ? null : select(t('thinks'), all.filter((level) => !LEVELS.includes(level) || level === STRONGEST).map((level) => [level, t(`thinks_${level}`)]), setup.strength, (value) => { setup.strength = value; })];
    const game = select(t('variant'), names.map((game) => [game, nameOf(game)]), setup.game, (value) => { setup.game = value; show(); });
    const own = h('label', { class: 'field' }, h('span', {}, t('your_name')), h('input', { name: 'name', value: setup.name, maxlength: 24, autocomplete: 'off' }));
    // Who else sits at this board; where no name is, the engine plays.
    const people = h('fieldset', { class: 'people' }), free = h('div');
    const others = () => {
      const count = round()?.seats.length ?? (!old && setup.length === 0 ? setup.players : 2), own = round() ? setup.seat : 1;
      return Array.from({ length: count }, (_, index) => index + 1).filter((seat) => seat !== own);
    };
    const named = () => Object.fromEntries(others().map((seat) => [seat, setup.people[seat]?.trim()]).filter(([, name]) => name));
    const condones = () => { free.hidden = old || others().length > 1 || !Object.keys(named()).length; };
    const seats = () => {
      replace(people, h('legend', {}, t('people')), others().map((seat) => h('label', { class: 'field' }, h('span', {}, round() ? t(`seat_${round().seats[seat - 1]}`) : t('player_n', seat)),
        h('input', { name: `player-${seat}`, value: setup.people[seat] ?? '', maxlength: 24, autocomplete: 'off', placeholder: 'tavola', oninput: ({ target }) => { setup.people[seat] = target.value; condones(); } }))));
      replace(free, toggle(t('condone'), setup.condone, (on) => { setup.condone = on; }));
      condones();
    };
    const show = () => {
      const many = round();
      rules.setAttribute('href', `#/rules/${setup.game}`);
      if (many) setup.seat = Math.min(setup.seat, many.seats.length);
      this.seat(!old ? CubeTable : many ? boards.RoundTable : boards.PairTable);
      this.table.preview({ game: setup.game, seats: many?.seats, seat: setup.seat });
      replace(this.top, old ? null : seat({ name: 'tavola', side: 'other' }));
      replace(this.bottom, old ? null : seat({ name: setup.name, side: 'own' }));
      money.hidden = old || setup.length > 0;
      team.hidden = setup.players < 3;
      seats();
      about.textContent = old ? t(`about_${setup.game}`) : '';
      const opponents = info.trained.includes(setup.game) ? ['network', 'rule-based'] : ['rule-based'];
      const levels = info.strengths.filter((level) => !many || !['0+', '3-ply', 'roller', 'roller+'].includes(level));
      if (!levels.includes(setup.strength)) setup.strength = 'world-class';
      replace(more, many ? [
        select(t('seat'), many.seats.map((name, index) => [index + 1, t(`seat_${name}`)]), setup.seat, (value) => { setup.seat = Number(value); show(); }),
        select(t('others'), opponents.map((name) => [name, t(`by_${name}`)]), setup.opponents ?? opponents[0], (value) => { setup.opponents = value; }),
      ] : old ? select(t('length'), [1, 3, 5, 7, 12].map((length) => [length, pointsOf(length)]), setup.length, (value) => { setup.length = Number(value); })
        : choice(t('length'), 'length', LENGTHS.map((length) => [length, length === 0 ? t('money') : String(length)]), setup.length, (length) => { setup.length = length; money.hidden = length > 0; seats(); }),
      ...strengths(levels));
    };
    const start = async (event) => {
      event.preventDefault();
      setup.name = form.elements.name.value.trim() || t('you');
      // A name that only says who one is follows the language.
      memory.set(key, { ...setup, name: TABLE.you.includes(setup.name) ? undefined : setup.name });
      const { length, strength, dice, jacoby, beavers, name, seed } = setup;
      const asked = { game: setup.game, strength, name, seed, dice, people: named(), condone: setup.condone && !free.hidden };
      if (round()) Object.assign(asked, { seat: setup.seat, opponents: info.trained.includes(setup.game) ? setup.opponents : 'rule-based' });
      else Object.assign(asked, { length });
      if (!old && length === 0) Object.assign(asked, { jacoby, beavers });
      if (!old && length === 0 && setup.players > 2) {
        // One cube is the team's: nobody beavers it alone.
        Object.assign(asked, { chouette: setup.players, cubes: setup.cubes, extras: setup.extras, dice: 'computer' }, setup.cubes === 'one' ? { beavers: 'off' } : {});
      }
      const pressed = form.querySelector('[data-act="start"]');
      pressed.disabled = true;
      await this.start(asked).catch((error) => this.app.fail(error)).finally(() => { pressed.disabled = false; });
    };
    const last = String(memory.get(this.last, '')).split('/').at(-1), waiting = old ? 0 : due().filter(({ own, source }) => own || source).length;
    const form = h('form', { class: 'new', onsubmit: start },
      h('h1', {}, t(old ? 'tables' : 'new_match')), h('p', { class: 'lead' }, t(old ? 'tables_lead' : 'new_lead')),
      last && !history.isRemoved(last) && history.find(last)?.running !== false ? button(t('go_on'), () => this.app.go(`${this.kind}/${last}`), { class: 'wide', 'data-act': 'go_on' }) : null,
      waiting ? h('a', { class: 'button wide', href: '#/drill', 'data-act': 'drill' }, t('due_today', number(waiting))) : null, old ? [game, about] : null, more,
      h('details', {}, h('summary', {}, t('settings')), old ? null : game,
        select(t('dice'), [['computer', t('dice_computer')], ['typed', t('dice_typed')]], setup.dice, (value) => { setup.dice = value; }), old ? null : select(t('other_length'), Array.from({ length: 26 }, (_, length) => [length, length === 0 ? t('money') : pointsOf(length)]), setup.length, (value) => { setup.length = Number(value); show(); }), own, money, people, free),
      h('button', { class: 'primary wide', 'data-act': 'start' }, t('start')), rules);
    replace(this.app.panel, form);
    show();
  }

  // The game as it is now. One that is shown because of another tab does nothing by itself.
  take(state, active = true) {
    this.state = state;
    this.table.take(state);
    Object.assign(this, { advice: null, event: null, busy: false, hurry: false, card: null, losses: null });
    this.know(state);
    if (this.over && state.cube && !state.chouette) this.look().catch((error) => this.app.fail(error));
    this.render({ fresh: this.rolledNow });
    this.rolledNow = false;
    const said = state.log.slice(-state.names.length).filter(({ seat }) => seat !== state.seat).map((event) => this.line(event));
    // A double that is open is in the status.
    announce([...state.waiting.for === 'answer' ? [] : said, this.status()].join('. '));
    if (active) this.goOn(); else clearTimeout(this.timer);
    if (this.late) this.refetch(this.id);
  }

  // What goes on by itself.
  goOn() {
    const { state, state: { waiting, cube } } = this;
    clearTimeout(this.timer);
    const late = this.resignation;
    this.resignation = null;
    if (late && state.may_resign) this.act(late);
    else if (waiting.for === 'roll' && !cube.may_double && !state.may_claim && state.dice === 'computer' && memory.get('autoRoll', true)) {
      this.timer = setTimeout(() => this.act({ act: 'roll' }), 500);
    } else if (waiting.for === 'play' && waiting.plays.length === 1 && memory.get('autoForced', false)) {
      this.timer = setTimeout(() => this.act({ act: 'play', play: waiting.plays[0] }), 700);
    }
  }

  // The game as it is now in another tab, if that is not what is shown; without an `id` this tab comes to the front.
  async refetch(id) {
    if (!this.state || (id && id !== this.id)) return;
    this.late = this.busy;
    if (this.busy) return;
    const shown = this.state, mine = this.asked = {}, { state } = await this.engine.state(this.id);
    if (this.closed || this.busy || mine !== this.asked || shown !== this.state) return;
    if (!same(state, shown)) this.take(state, !id); else if (!id) this.goOn();
  }

  // Keeps what a game has come to, and its record: once it is over, and while it goes on where the server may lose it.
  know(state) {
    if (state.chouette) return;
    const over = isOver(state), { cube } = state;
    history.keep({ id: this.id, ...state.people.length > 1 ? {} : { me: state.seat - 1 }, level: state.strength, names: state.names, length: state.length, score: state.score, running: state.waiting.for !== 'match_over', ...(cube ? {} : { game: state.game.split(':')[0] }) });
    // One that was over before has a record that is wrong now.
    if (over || (cube && !this.engine.info.local) || history.file(this.id)) this.noted = this.note();
  }

  // Whether several people sit at the board.
  get shared() { return this.state.people.length > 1; }
  get over() { return isOver(this.state); }

  // Keeps the transcript of the game as far as it is played.
  async note() {
    const { id } = this;
    try { history.keep({ id }, await this.engine.record(id)); return true; } catch (error) { return error; }
  }

  // Analyses a game that is over, also if it is left meanwhile: the card has what came of it.
  async look() {
    const { id, state, app } = this, here = () => !this.closed && state === this.state;
    const coming = this.card = h('section', { class: 'card', role: 'status' }, h('p', { class: 'quiet' }, t('pr_coming')));
    const done = await this.noted;
    try {
      if (done !== true) throw done;
      const analysis = here() ? await app.rater.look(id) : null;
      if (here() && analysis) this.deal(analysis);
    } finally {
      if (here() && this.card === coming) { this.card = null; this.render(); }
      app.rater.run();
    }
  }

  // What an analysis says of a game, on its card.
  deal(analysis) {
    const { id, state } = this;
    const worst = analysis.decisions.map((each, index) => ({ ...each, index })).filter(({ player, loss, game, plays, actions }) => (this.shared || player === 1) && (plays || actions) && figures.isError(loss) && (state.waiting.for === 'match_over' || game === state.game_number))
      .sort((one, two) => two.loss - one.loss).slice(0, 3);
    // The moves have the colors of what they lost, and lead to the review.
    this.losses = new Map();
    const left = analysis.decisions.map((each, index) => ({ ...each, index })).filter(({ game }) => game === state.game_number);
    for (const [index, { seat, act }] of state.log.entries()) {
      const kind = { play: 'checker', double: 'double', take: 'response', drop: 'response' }[act], at = left.findIndex((each) => each.kind === kind && each.player === seat && (kind !== 'double' || !each.done.startsWith('no ')));
      if (kind && at >= 0) { const [{ loss, index: place }] = left.splice(0, at + 1).slice(-1); this.losses.set(index, { loss, go: () => this.app.go(`match/${id}/${place}`) }); }
    }
    const { pr } = analysis.players[0], players = analysis.players.slice(0, this.shared ? 2 : 1);
    const facts = ({ name, pr, luck_emg: luck, errors, blunders }) => [[t('pr'), pr === null ? '–' : number(pr, 1)], [t('luck'), equity(luck)], [t('error_rate'), `${errors} / ${blunders}`]].map(([word, value]) => [this.shared ? `${name}: ${word}` : word, value]);
    this.card = h('section', { class: 'card' },
      h('dl', { class: 'facts' }, players.flatMap(facts).map(([word, value]) => h('div', {}, h('dt', {}, word), h('dd', {}, value)))),
      worst.length ? [h('h2', {}, t('worst')), h('ol', { class: 'errors' }, worst.map((each) => h('li', {}, h('button', { type: 'button', class: figures.grade(each.loss), 'data-act': 'again', onclick: () => this.app.go(`match/${id}/${each.index}/again`) },
        h('span', {}, t('try_again')), h('span', { class: 'name' }, action(each.done)), h('b', {}, `−${number(each.loss, 3)}`)))))] : pr === null ? null : h('p', { class: 'quiet' }, t('no_errors')));
    this.render();
  }

  seatName(seat) {
    const { state } = this;
    return state.board.kind === 'round' && seat !== state.seat ? t(`seat_${state.board.players[seat - 1].name}`) : state.names[seat - 1];
  }

  line(event) { return `${this.seatName(event.seat)}: ${[event.words, ...event.reasons ?? []].map(say).join('; ')}`; }

  // The log by turns: a roll stands before what was played with it.
  turns() {
    const { log, seat: own, board: { players } } = this.state;
    const turns = [], told = (index) => this.losses?.get(index) ?? { loss: this.tutored.get(`${this.state.game_number} ${index}`) ?? 0 };
    for (const [index, { seat, act, dice, words, reasons }] of log.entries()) {
      const last = turns.at(-1);
      const text = say(words);
      const why = reasons?.map(say);
      if (act === 'play' && last?.seat === seat && last.rolled) Object.assign(last, { text: `${last.rolled}: ${text}`, rolled: null, ...told(index) });
      else turns.push({ seat, ...told(index), side: seat === own ? 'own' : 'other', name: this.seatName(seat), text, why, rolled: act === 'roll' && !players ? dice.join('') : null, color: players?.[seat - 1].color });
    }
    return turns;
  }

  status() {
    const { waiting, cube, seat, log } = this.state;
    const said = (text) => this.shared ? `${this.seatName(seat)}: ${text}` : text;
    const other = () => this.seatName(log.findLast((event) => event.seat !== seat)?.seat ?? 3 - seat);
    const over = ({ winner, gains }, won, lost) => {
      const points = gains[(winner ?? seat) - 1];
      if (winner !== null) return t(winner === seat && !this.shared ? won : lost, pointsOf(points), this.seatName(winner));
      if (gains.every((gain) => gain === 0)) return t(gains.length > 2 ? 'you_even' : 'drawn');
      return t(points > 0 ? 'you_gain' : points < 0 ? 'you_give' : 'you_even', signed(Math.abs(points)).slice(1));
    };
    switch (waiting.for) {
      case 'roll': return said(t(cube.may_double ? 'your_roll_double' : 'your_roll'));
      case 'cube': return said(waiting.about === 'turn' && waiting.with === seat ? t('cube_own') : t(`cube_${waiting.about}`, this.seatName(waiting.with)));
      case 'play': return said(t(waiting.offered ? 'offered_dice' : 'your_play', waiting.dice.join('-')));
      case 'answer': return said(waiting.offer === 'double' ? t('offered', 2 * cube.value, other()) : t('offered_beaver', 4 * cube.value, other()));
      case 'resignation': return said(t('offers_resign', t(waiting.size), other()));
      case 'opening': return cube ? t('enter_opening') : t('enter_start', this.state.names.map((_, index) => this.seatName(index + 1)).join(', '));
      case 'dice': return t(waiting.seat === seat && !this.shared ? 'enter_own' : 'enter_other', this.seatName(waiting.seat));
      case 'game_over': return over(waiting, 'you_win', 'you_lose');
      case 'match_over': return over(waiting, 'match_won', 'match_lost');
      default: return t('thinking');
    }
  }

  render(extra = {}) {
    const { state, busy, event } = this;
    const held = document.activeElement?.dataset?.act;
    this.table.draw({ state, busy, event, arrows: this.arrows ?? this.advice?.arrows, label: `${t('board')}. ${this.status()}`, ...extra });
    const [top, bottom] = this.table.seats(this);
    replace(this.top, top);
    replace(this.bottom, bottom);
    this.controls();
    this.side();
    // Who presses by keys goes on where they were, or at what is to be done next.
    if (held && document.activeElement === document.body && !busy) (this.app.panel.querySelector(`[data-act="${held}"]:not(:disabled)`) ?? this.table.board.over.querySelector('button') ?? this.app.panel).focus({ preventScroll: true });
    else if (held && document.activeElement === document.body) this.app.panel.focus({ preventScroll: true });
  }

  // What lies on the board to be pressed.
  controls() {
    const { state, table } = this;
    const { waiting, cube, seat } = state;
    const act = (text, action, kind = '') => button(text, () => this.act(action), { class: kind, 'data-act': action.act });
    const roll = (name) => this.picker((dice) => this.act({ act: name, dice }), waiting.dice, waiting.faces);
    const buttons = {
      roll: () => [state.may_claim ? act(t('claim'), { act: 'claim' }) : null, cube.may_double ? act(t('double'), { act: 'double' }) : null, state.dice === 'typed' ? roll('roll') : act(t('roll'), { act: 'roll' }, 'primary')],
      cube: () => [act(t('leave'), { act: 'leave' }), waiting.about === 'turn' && seat === state.chouette.order[0] ? act(t('roll'), { act: 'roll' }) : null,
        act(...{ turn: [t('double'), { act: 'double' }], give_extra: [t('extra'), { act: 'extra' }], take_extra: [t('take'), { act: 'take' }] }[waiting.about], 'primary')],
      play: () => [table.begun ? button(t('undo'), () => this.undo(), { 'data-act': 'undo' }) : null, table.play ? button(t('done'), () => this.finish(), { class: 'primary', 'data-act': 'done' }) : null],
      answer: () => [act(t('drop'), { act: 'drop' }), cube.may_beaver ? act(t('beaver'), { act: 'beaver' }) : null, cube.may_raccoon ? act(t('raccoon'), { act: 'raccoon' }) : null, act(t('take'), { act: 'take' }, 'primary')],
      resignation: () => [act(t('refuse'), { act: 'refuse' }), act(t('accept'), { act: 'accept' }, 'primary')],
      game_over: () => [act(t('next_game'), { act: 'next_game' }, 'primary')],
      match_over: () => [cube ? button(t('review'), () => this.review(), { 'data-act': 'review' }) : null, button(t(cube ? 'new_match' : 'new_game'), () => this.app.go(this.kind), { class: 'primary', 'data-act': 'new' })],
      opening: () => [roll('roll')],
      dice: () => [roll('roll')],
    };
    const { over } = table.board;
    over.className = `over ${table.place(state)}`;
    replace(over, this.busy ? [] : buttons[waiting.for]?.() ?? []);
  }

  // Dice to be entered.
  picker(done, count = 2, faces = 6) {
    const chosen = [], indices = Array.from({ length: count }, (_, index) => index);
    const row = (index) => h('div', { class: 'picks', role: 'group' }, Array.from({ length: faces }, (_, die) => die + 1).map((die) =>
      button(String(die), (event) => {
        chosen[index] = die;
        for (const other of event.target.parentNode.children) other.classList.toggle('on', other === event.target);
        if (indices.every((index) => chosen[index])) done([...chosen]);
      }, { 'data-die': `${index}${die}` })));
    return h('div', { class: 'picker', 'aria-label': this.status() }, indices.map(row));
  }

  // What stands in the panel.
  side() {
    const { state, busy, table, event } = this;
    const { waiting, cube } = state;
    const { over } = this;
    const deciding = ['roll', 'cube', 'play', 'answer', 'resignation'].includes(waiting.for) && !busy;
    const family = state.game.split(':')[0];
    const what = cube ? (state.length === 0 ? t('money') : pointsOf(state.length)) : nameOf(family);
    const level = state.people.length === state.names.length ? '' : history.find(this.id)?.network ?? (state.opponents === 'rule-based' ? t('by_rule-based') : t(state.strength));
    const words = busy ? [] : table.words;
    replace(this.app.panel,
      h('header', { class: 'status' }, h('p', { class: 'eyebrow' }, `${what} · ${t('game_n', state.game_number)}${cube?.crawford ? ` · ${t('crawford_game')}` : ''}${level && ` · ${level}`}${this.engine.info.local && !this.engine.strong ? ` · ${t('local_engine')}` : ''}`),
        h('h1', { class: `${busy && !event ? 'thinking' : ''} ${event?.reasons?.length ? 'reasons' : ''}` }, event ? this.line(event).replaceAll('-', '\u2011') : busy ? t('thinking') : this.status()),
        over && waiting.how && !busy ? h('p', { class: 'quiet' }, say(waiting.how)) : null), busy ? null : this.card,
      !cube && waiting.for === 'play' && !busy ? h('section', { class: 'moves' }, h('h2', {}, t('your_moves')),
        h('p', { class: 'made' }, table.begun ? say(table.made.join('  ')) : h('span', { class: 'quiet' }, t('tables_help'))),
        h('div', { class: 'row', role: 'group', 'aria-label': t('your_moves') }, words.slice(0, 40).map((word) => button(CHOICES.includes(word) ? t(`move_${word}`) : say(word), () => table.make([word]), { class: 'chip', 'data-move': word })))) : null,
      h('div', { class: 'row tools' },
        busy && event ? button(glyph('skip', t('skip')), () => this.rush(), { 'data-act': 'skip' }) : button(glyph('hint', t('hint')), () => this.advice?.content ? this.changed() : this.hint(), { disabled: !deciding, 'data-act': 'hint', 'aria-pressed': String(Boolean(this.advice?.content)) }),
        button(glyph('back', t('take_back')), () => this.act({ act: 'take_back' }), { disabled: busy || !state.may_take_back, 'data-act': 'take_back' }),
        cube ? button(glyph('flag', t('resign')), () => this.resign(), { disabled: busy || !state.may_resign, 'data-act': 'resign' }) : null,
        cube && state.position ? h('a', { class: 'button', href: `#/analyze/${state.position}` }, glyph('search', t('analyze'))) : null),
      h('div', { class: 'advice', 'aria-live': 'polite' }, this.advice?.content ? [button('×', () => this.changed(), { class: 'plain away', 'aria-label': t('close') }), this.advice.content] : null),
      state.chouette ? this.team(state.chouette) : null,
      state.names.length > 2 && (state.game_number > 1 || over) ? h('section', {}, h('h2', {}, t('score')), h('table', {}, h('tbody', {}, state.names.map((_, index) => h('tr', { class: index + 1 === state.seat ? 'right' : '' },
        h('th', {}, this.seatName(index + 1)), over && state.game_number > 1 ? h('td', {}, signed(waiting.gains[index])) : null, h('td', {}, signed(state.score[index]))))))) : null,
      h('details', {}, h('summary', {}, t('rules')), h('p', { class: 'quiet' }, t(`about_${family}`), ' ', h('a', { href: `#/rules/${family}` }, t('how_to_play')))),
      h('section', { class: 'log' }, h('h2', {}, t('game_log')),
        figures.moves(this.turns(), state.names.length)),
      h('footer', { class: 'row' }, cube && !state.chouette && waiting.for !== 'match_over' ? button(glyph('table', t('review')), () => this.review()) : null, button(glyph('save', t('download')), () => this.download(), { 'data-act': 'download' }),
        waiting.for === 'match_over' ? null : button(t(cube ? 'new_match' : 'new_game'), () => this.app.go(this.kind))),
      cube ? null : h('pre', { class: 'sr' }, state.text));
  }

  // The order of a chouette, the cube of each member, and who is out.
  team({ order: [owner, ...line], captain, members, extras }) {
    const cube = (seat) => {
      const member = members.find((each) => each.seat === seat);
      const extra = extras.filter(({ taker }) => taker === seat - 1).map(({ giver }) => t('extra_of', this.seatName(giver + 1)));
      return member ? [member.playing ? t('cube_at', member.cube.value) : t('is_out'), ...extra].join(', ') : '';
    };
    return h('section', {}, h('h2', {}, t('chouette')), h('table', {}, h('tbody', {}, [owner, ...line].map((seat) => h('tr', { class: seat === this.state.seat ? 'right' : '' },
      h('th', {}, this.seatName(seat)), h('td', {}, seat === owner ? t('box') : seat === captain ? t('captain') : ''), h('td', {}, cube(seat)), h('td', {}, signed(this.state.score[seat - 1])))))));
  }

  // Does something; the engine answers, and what it does is shown.
  async act(action, sure = false) {
    if (this.closed) return;
    if (this.busy) {
      // A resignation that was chosen while the engine plays comes after its turn.
      if (action.act === 'resign') this.resignation = action;
      return;
    }
    // What is won and lost is not taken back by one tap, but in the tutor.
    const { state } = this;
    if (action.act === 'take_back' && this.over && !memory.get('tutor', false)
      && (await ask([h('h2', {}, t('take_back_over')), h('p', {}, t('take_back_lead'))], [['yes', t('take_back')], ['', t('close')]]) !== 'yes' || this.closed || this.busy || state !== this.state)) return;
    clearTimeout(this.timer);
    this.app.rater.pause();
    Object.assign(this, { busy: true, advice: null, arrows: null });
    // What was pressed is gone at once, and what asks about this decision waits for the next one.
    this.controls();
    for (const each of this.app.panel.querySelectorAll('[data-act="hint"], .moves button')) each.disabled = true;
    const asks = !['next_game', 'take_back'].includes(action.act);
    try {
      if (asks && !sure && memory.get('tutor', false)) {
        const mistake = await this.engine.mistake(this.id, action);
        // What the tutor has seen is colored in the list, too.
        this.tutored.set(`${this.state.game_number} ${this.state.log.length}`, mistake?.loss ?? 0);
        // Who has left the game meanwhile can't think again.
        if (mistake && mistake.loss >= 0.03 && (this.closed || !await this.insist(mistake))) {
          if (this.closed) return;
          this.busy = false;
          this.render();
          return;
        }
      }
      const slow = setTimeout(() => { if (!this.closed) this.render(); }, 250);
      const { happened, state } = await this.engine.act(this.id, action).finally(() => clearTimeout(slow));
      this.app.tell(this.id);
      // Who leaves while the end is shown has played it.
      if (isOver(state)) this.know(state);
      if (this.closed) { await this.noted; this.app.rater.run(); return; }
      if (action.act === 'next_game') {
        this.table.opened(state);
        await this.replay(happened, { ...state, log: [] });
      } else if (asks && state.people.length === 1) await this.replay(happened, this.state, action);
      else {
        if (asks) await this.tell(happened);
        this.table.rolled = null;
      }
      if (!this.closed) this.take(state);
    } catch (error) {
      if (this.closed) { this.app.fail(error); return; }
      // What the page shows may be older than the game: it may have gone on in another window.
      const { state: now } = await this.engine.state(this.id).catch(() => ({ state }));
      if (same(now, state)) this.app.fail(error); else toast(t('went_on'));
      if (!this.closed) this.take(now);
    }
  }

  // Where people take turns at one board its sides change with them: the engine's turns are told in words.
  async tell(happened) {
    for (const event of happened.filter(({ seat }) => !this.state.people.includes(seat))) {
      if (this.closed) return;
      this.event = event;
      this.side();
      announce(this.line(event));
      await this.rest(900);
    }
    this.event = null;
  }

  // Shows what was done, one by one; `base` is the game before it, and what the user has just done is
  // on the board already.
  async replay(happened, base, action) {
    this.busy = true;
    const log = [...base.log];
    for (const [index, event] of happened.entries()) {
      if (this.closed) return;
      const known = index === 0 && event.seat === base.seat && event.act === action?.act;
      const offer = log.at(-1)?.act;
      log.push(event);
      // A cube is turned by its take; a beaver stays the owner.
      if (event.act === 'take' && TIMES[offer] && !base.chouette) {
        const own = (event.seat === base.seat) !== (offer === 'beaver');
        base = { ...base, cube: { ...base.cube, value: base.cube.value * TIMES[offer], owner: own ? 'player' : 'opponent' } };
      }
      this.state = { ...base, log: [...log], waiting: { for: 'engine' } };
      this.event = known ? null : event;
      if (known && event.act === 'roll') this.rolledNow = true;
      if (known && event.act !== 'roll') { this.table.lay(event.board); this.table.rolled = null; this.render(); continue; }
      const time = await this.table.show(event, (extra) => { if (!this.closed) this.render(extra); });
      if (!known && event.seat !== base.seat) announce(this.line(event));
      // A roll of the user is played at once, unless it can't be.
      if (time && !(known && index === happened.length - 1)) await this.rest(time);
    }
    this.event = null;
  }

  insist({ chosen, better, loss }) {
    return new Promise((answer) => {
      const dialog = h('dialog', { class: 'sheet', onclose: () => { dialog.remove(); answer(dialog.returnValue === 'yes'); } },
        h('form', { method: 'dialog' }, h('h2', {}, t('mistake_title', say(chosen), number(loss, 3))), h('p', {}, t('mistake_better', say(better))),
          h('div', { class: 'row' }, h('button', { value: 'yes' }, t('do_anyway')), h('button', { value: 'no', class: 'primary' }, t('think_again')))));
      document.body.append(dialog);
      dialog.showModal();
    });
  }

  resign() {
    const sizes = ['single', 'gammon', 'backgammon'];
    const dialog = h('dialog', { class: 'sheet', onclose: () => {
      dialog.remove();
      if (sizes.includes(dialog.returnValue)) this.act({ act: 'resign', size: dialog.returnValue });
    } }, h('form', { method: 'dialog' }, h('h2', {}, t('resign_how')),
      h('div', { class: 'row' }, sizes.map((size) => h('button', { value: size, 'data-size': size }, t(size)))),
      h('button', { class: 'wide', value: '' }, t('close'))));
    document.body.append(dialog);
    dialog.showModal();
  }

  async hint() {
    try {
      const { state } = this, { begun } = this.table, hint = await this.engine.hint(this.id);
      // The game may have gone on.
      if (this.closed || this.busy || state !== this.state) return;
      const pick = (play) => this.table.point(play.play);
      const best = hint.plays?.[0];
      let content = null;
      if (hint.about === 'plays') content = [h('h2', {}, t('best_plays')), this.state.cube ? figures.plays(hint.plays, { pick }) : this.ranked(hint.plays, pick, (play) => play.equity)];
      else if (hint.about === 'seats') content = this.ranked(hint.plays, pick, (play) => play.payoffs?.[0]);
      else if (hint.about === 'cube') content = [h('h2', {}, t('cube_decision')), figures.cube(hint), figures.chances(hint.probs)];
      else if (hint.about === 'extra') content = h('p', { class: 'verdict' }, t('extra_worth', equity(hint.worth)));
      else if (hint.about === 'resignation') content = h('p', { class: 'verdict' }, t(hint.accept ? 'accept' : 'refuse'));
      this.advice = { content };
      // An arrow takes back what was moved, but not what was moved since.
      if (this.state.cube && best && (begun || !this.table.begun)) this.table.point(best.play);
      else this.render();
      announce(best ? `${say(best.play)}, ${equity(best.payoffs?.[0] ?? figures.worth(best))}` : hint.about === 'cube' ? figures.verdict(hint) : this.app.panel.querySelector('.advice').textContent);
    } catch (error) { this.app.fail(error); }
  }

  // Plays in words; the rules of thumb give them no worth.
  ranked(plays, pick, worth) {
    const best = worth(plays[0]);
    return h('ol', { class: 'plays' }, plays.map((play, index) => h('li', {},
      h('button', { type: 'button', class: index === 0 ? 'best' : '', onclick: () => pick(play) },
        h('span', { class: 'rank' }, String(index + 1)), h('span', { class: 'name' }, say(play.play).replaceAll('-', '\u2011')), h('span', { class: 'value' }, best === undefined ? '' : equity(worth(play))),
        h('span', { class: 'lost' }, index === 0 || best === undefined ? '' : `−${equity(Math.max(best - worth(play), 0)).slice(1)}`)))));
  }

  async review() {
    try {
      history.keep({ id: this.id }, await this.engine.record(this.id));
      if (!this.closed) this.app.go(`match/${this.id}`);
    } catch (error) { this.app.fail(error); }
  }

  async download() {
    try { save(await this.engine.record(this.id), this.state.cube && !this.state.chouette ? 'match.mat' : 'game.txt'); } catch (error) { this.app.fail(error); }
  }

  // What the table tells.
  changed() { Object.assign(this, { advice: null, arrows: null }); this.render(); }
  point(arrows) { this.arrows = arrows; this.render(); }
  cube() { if (this.state?.cube.may_double) this.act({ act: 'double' }); }
  undo() { if (this.table.undo()) this.changed(); }
  finish() { if (this.table.play && !this.busy) this.act({ act: 'play', play: this.table.play }); }

  key(key) {
    if (!this.state) return false;
    if (this.busy) { if (key === ' ') this.rush(); return key === ' '; }
    const { waiting, dice, cube } = this.state;
    const acts = {
      ' ': () => waiting.for === 'roll' && dice === 'computer' ? this.act({ act: 'roll' }) : waiting.for === 'game_over' ? this.act({ act: 'next_game' }) : this.finish(),
      // The first press asks, the second does it.
      d: () => { const offer = this.table.board.over.querySelector('[data-act="double"]'); if (offer && document.activeElement === offer) offer.click(); else offer?.focus(); }, u: () => this.undo(), backspace: () => this.undo(),
      h: () => this.app.panel.querySelector('[data-act="hint"]:not(:disabled)')?.click(),
      x: () => { if (cube && !this.table.play) this.table.dice(); },
      r: () => { if (this.table.redo()) this.render(); }, t: () => { if (waiting.for === 'answer') this.act({ act: 'take' }); },
    };
    if (!acts[key]) return false;
    acts[key]();
    return true;
  }
}
