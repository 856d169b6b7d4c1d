// A game against the engine or against people, whichever it is: its turns, and what stands beside the board.

import { side, signed } from './beside.js';
import { announce, ask, button, h, memory, pause, replace, save, toast } from './dom.js';
import * as figures from './figures.js';
import { form } from './form.js';
import * as history from './history.js';
import { flipped, parse } from './position.js';
import { CubeTable } from './table.js';
import { equity, number, pointsOf, t } from './texts.js';
import { say } from './words.js';

// The boards of old games come when one of them is played.
let boards = {};
const fetchBoards = async () => { boards = await import('./old.js'); };

// What a take makes of the cube.
const TIMES = { double: 2, beaver: 4, raccoon: 8 };



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
    if (!id) { form(this); return; }
    const [, side, position] = /^(from|against)\/(.+)$/.exec(id) ?? [];
    if (side) { await this.playOn(position, side === 'against'); return; }
    this.id = id;
    try {
      const { state, seats } = await this.engine.state(id);
      if (!state.cube) await fetchBoards();
      await this.with(seats);
      if (this.closed) return;
      this.enter(state);
      this.take(state);
      this.online?.follow();
    } catch (error) {
      if (this.closed) return;
      // Only a game that is gone is forgotten; a server that does not answer may come back.
      if (error.kind === 'not_found') {
        if (memory.get(this.last) === id) memory.remove(this.last);
        memory.remove(`seat.${id}`);
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

  close() { this.closed = true; this.app.stage.onpointerdown = null; this.app.stage.classList.remove('long'); clearTimeout(this.timer); this.online?.stop(); }

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
    this.seat(this.kindOf(state.cube, state.board.kind === 'round'));
  }

  kindOf(cube, round) { return cube ? CubeTable : round ? boards.RoundTable : boards.PairTable; }

  // Who sits where, in a game between people on several devices.
  async with(seats) {
    if (!seats) return;
    this.online ??= new (await import('./online.js')).Online(this);
    this.online.seats = seats;
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

  // The game as it is now. One that is shown because of another tab does nothing by itself.
  take(state, active = true) {
    this.state = state;
    this.table.take(state);
    Object.assign(this, { advice: null, event: null, busy: false, hurry: false, card: null, losses: null });
    this.online?.dice();
    this.know(state);
    if (this.over && state.cube && !state.chouette && !this.online?.watches) this.look().catch((error) => this.app.fail(error));
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
    const shown = this.state, mine = this.asked = {}, { state, seats } = await this.engine.state(this.id);
    if (this.closed || this.busy || mine !== this.asked || shown !== this.state) return;
    await this.with(seats);
    if (!same(state, shown)) this.take(state, !id); else if (!id) this.goOn();
  }

  // Keeps what a game has come to, and its record: once it is over, and while it goes on where the server may lose it.
  know(state) {
    if (state.chouette || (this.online && !this.online.plays)) return;
    const over = isOver(state), { cube } = state;
    history.keep({ id: this.id, ...this.shared ? {} : { me: state.seat - 1 }, level: this.online ? undefined : state.strength, names: state.names, length: state.length, score: state.score, running: state.waiting.for !== 'match_over', ...(cube ? {} : { game: state.game.split(':')[0] }) });
    // One that was over before has a record that is wrong now.
    if (over || (cube && !this.engine.info.local) || history.file(this.id)) this.noted = this.note();
  }

  // Whether several people sit at this board.
  get shared() { return this.state.people.length > 1 && !this.online; }
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
      if (here() && analysis) (await import('./card.js')).deal(this, analysis);
    } finally {
      if (here() && this.card === coming) { this.card = null; this.render(); }
      app.rater.run();
    }
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
      default: return this.online?.status ?? t('thinking');
    }
  }

  render(extra = {}) {
    const { state, busy, event } = this;
    const held = document.activeElement?.dataset?.act;
    this.table.draw({ state, busy, event, arrows: this.arrows ?? this.advice?.arrows, label: `${t('board')}. ${this.status()}`, ...extra });
    const [top, bottom] = this.table.seats(this);
    replace(this.top, top);
    replace(this.bottom, bottom);
    this.online?.mark();
    this.controls();
    side(this);
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
    const asks = !['next_game', 'take_back'].includes(action.act), alone = !this.online || this.online.hints;
    try {
      if (asks && !sure && alone && memory.get('tutor', false)) {
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
      const { happened, state, seats } = await this.engine.act(this.id, action).finally(() => clearTimeout(slow));
      await this.with(seats);
      this.app.tell(this.id);
      // Who leaves while the end is shown has played it.
      if (isOver(state)) this.know(state);
      if (this.closed) { await this.noted; this.app.rater.run(); return; }
      if (action.act === 'next_game') {
        this.table.opened(state);
        await this.replay(happened, { ...state, log: [] });
      } else if (asks && !this.shared) await this.replay(happened, this.state, action);
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
      side(this);
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

  async insist({ chosen, better, loss }) {
    return await ask([h('h2', {}, t('mistake_title', say(chosen), number(loss, 3))), h('p', {}, t('mistake_better', say(better)))], [['yes', t('do_anyway')], ['no', t('think_again')]]) === 'yes';
  }

  async resign() {
    const size = await ask(h('h2', {}, t('resign_how')), [...['single', 'gammon', 'backgammon'].map((size) => [size, t(size)]), ['', t('close')]]);
    if (size) this.act({ act: 'resign', size });
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
      else if (hint.about === 'many') content = this.ranked(hint.plays, pick, (play) => play.payoffs?.[0]);
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
