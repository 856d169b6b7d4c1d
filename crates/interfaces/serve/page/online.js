// A game between people on several devices: links that seat them or let them watch, the clock, and what the others do.

import { Board } from './board.js';
import { announce, ask, button, choice, h, memory, pause, replace, select, share, toggle } from './dom.js';
import { STARTS } from './position.js';
import { TABLE, nameOf, number, pointsOf, t } from './texts.js';
import './texts-later.js';

// Seconds of the reserve for each point, and of the delay of a turn.
const CLOCKS = { none: null, calm: [240, 20], usual: [120, 12], fast: [60, 8] };
// Letters of a token, as the server has them.
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

const newToken = () => Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => LETTERS[byte % 32]).join('');
const isHere = () => /^(localhost|127\.|\[?::1)/.test(location.hostname);
const time = (milliseconds) => { const seconds = Math.ceil(milliseconds / 1000); return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`; };
const clockOf = ({ reserve, delay }) => t('clock_is', time(1000 * reserve), number(delay));
const ownName = (name) => TABLE.you.includes(name) ? '' : name;

// Asks how the other one is to be met, and begins the game that waits for them.
export async function invite(play, { people, dice, seed, seat, ...game }, seats) {
  const { name = t('you'), ...known } = { clock: 'none', seat: '', hints: false, guests: 1, ...memory.get('invite', {}), name: ownName(game.name) };
  const wish = { ...known, ...(seats ? { seat: String(seat), guests: Math.min(known.guests, seats.length - 1) } : {}) };
  const input = h('input', { name: 'own-name', value: name, maxlength: 24, autocomplete: 'off' });
  const places = (seats ?? [1, 2]).map((seat, index) => [String(index + 1), seats ? t(`seat_${seat}`) : t('player_n', seat)]);
  const answer = await ask([h('h2', {}, t('invite')), h('p', { class: 'quiet' }, t('invite_lead')), h('label', { class: 'field' }, h('span', {}, t('your_name')), input),
    select(t('own_seat'), [['', t('seat_random')], ...places], wish.seat, (value) => { wish.seat = value; }),
    seats ? select(t('guests'), seats.slice(1).map((_, index) => [index + 1, number(index + 1)]), wish.guests, (value) => { wish.guests = Number(value); })
      : choice(t('clock'), 'clock', Object.keys(CLOCKS).map((kind) => [kind, t(`clock_${kind}`)]), wish.clock, (value) => { wish.clock = value; }),
    toggle(t('hints_for_all'), wish.hints, (on) => { wish.hints = on; })], [['', t('close')], ['yes', t('make_link')]]);
  if (answer !== 'yes') return;
  memory.set('invite', wish);
  const pace = seats ? null : CLOCKS[wish.clock];
  const begun = await play.engine.invite({
    game: { ...game, name: input.value.trim() || t('host') }, guests: seats ? wish.guests : 1, hints: wish.hints,
    ...(wish.seat ? { seat: Number(wish.seat) } : {}), ...(pace ? { clock: { reserve: pace[0] * Math.max(game.length || 5, 1), delay: pace[1] } } : {}),
  });
  memory.set(`seat.${begun.id}`, begun.seats.token);
  if (!play.closed) play.app.go(`${play.kind}/${begun.id}`);
}

// The seats of a running game, for the page that shows it.
export class Online {
  constructor(play) {
    this.play = play;
    this.ending = new AbortController();
    this.ticking = setInterval(() => this.tick(), 250);
  }

  set seats(seats) { this.all = seats; this.since = performance.now(); }
  get plays() { return this.all.you !== null && this.all.begun; }
  get watches() { return this.all.you === null; }
  get hints() { return this.all.hints && !this.watches; }

  // What concerns both now stands before the game.
  get first() { const { begun, clock, you } = this.all; return !begun || you === null || Boolean(clock?.off.some((seat) => seat !== you)); }

  stop() { this.ending.abort(); clearInterval(this.ticking); }

  // Waits for what the others do, again and again; a connection that is lost comes back.
  async follow() {
    const { play, ending: { signal } } = this;
    for (let failed = 0; !signal.aborted;) {
      // What is done here comes first.
      if (play.busy) { await pause(100); continue; }
      const { state } = play, { version } = this.all;
      try {
        const answer = await play.engine.next(play.id, { version, game: state.game_number, shown: state.log.length }, signal);
        failed = 0;
        if (!signal.aborted && !play.busy && play.state === state) await this.heard(answer);
      } catch (error) {
        if (signal.aborted) return;
        if (['not_found', 'seat'].includes(error.kind)) { play.app.fail(error); play.app.route(); return; }
        await new Promise((again) => { setTimeout(again, Math.min(8000, 400 * 2 ** failed++)); });
      }
    }
  }

  async heard({ state, happened, seats }) {
    const { play } = this, shown = play.state, begun = this.all.begun;
    this.seats = seats;
    if (JSON.stringify(state) === JSON.stringify(shown)) { this.draw(); return; }
    const next = state.game_number !== shown.game_number;
    clearTimeout(play.timer);
    if (next) play.table.opened(state);
    await play.replay(happened, next || !begun ? { ...state, log: [] } : shown);
    if (!play.closed) play.take(state);
  }

  // What changes without a turn.
  draw() { if (!this.play.busy) this.play.render(); }

  get status() {
    const { play, all: { begun, acts, people } } = this;
    if (!begun) return t('waits_for', people.filter(({ taken }) => !taken).map(({ seat }) => this.nameOf(seat)).join(', '));
    return acts ? t('turn_of', this.nameOf(acts)) : t('thinking');
  }

  nameOf(seat) { return this.all.people.find((person) => person.seat === seat)?.taken === false ? t('guest') : this.play.state.names[seat - 1]; }

  // The roll that another one has to play lies on the board.
  dice() {
    const { play: { table, state: { log, cube, seat, waiting } } } = this, last = log.at(-1);
    if (cube && waiting.for === 'engine' && last?.act === 'roll') table.throw(last.seat === seat ? 'own' : 'other', last.dice);
  }

  // Who is not there, and the clocks, beside the names.
  mark() {
    const { play, all: { you, people, clock } } = this, own = you ?? 1;
    this.clocks = new Map();
    if (play.state.names.length > 2) return;
    for (const [box, seat] of [[play.top, 3 - own], [play.bottom, own]]) {
      const place = box.querySelector('strong'), person = people.find((each) => each.seat === seat);
      if (!place || !person) continue;
      place.textContent = this.nameOf(seat);
      if (person.taken && !person.here && seat !== you) place.after(h('small', { class: 'gone' }, t('not_there')));
      if (clock) { const shown = h('time', { class: `clock ${clock.runs === seat ? 'runs' : ''}` }); place.after(shown); this.clocks.set(seat, shown); }
    }
    this.tick();
  }

  tick() {
    const { clock } = this.all ?? {};
    if (!clock || !this.clocks) return;
    const passed = performance.now() - this.since;
    for (const [seat, shown] of this.clocks) {
      const runs = clock.runs === seat, free = runs ? Math.max(clock.delay_left - passed, 0) : 0, left = Math.max(clock.left[seat - 1] - (runs ? Math.max(passed - clock.delay_left, 0) : 0), 0);
      shown.textContent = `${time(left)}${free > 0 ? ` +${Math.ceil(free / 1000)}` : ''}`;
      shown.classList.toggle('short', left < 30000);
      // The server says that it is over.
      if (runs && left === 0 && clock.lost === null && !(performance.now() - this.looked < 1000)) { this.looked = performance.now(); this.play.refetch().catch(() => {}); }
    }
  }

  // An address of this game for another one; a server with a token is asked with it.
  address(token) {
    const server = sessionStorage.getItem('tavola.token');
    return `${location.href.split('#')[0]}#/join/${this.play.id}/${token}${server ? `&token=${server}` : ''}`;
  }

  hand(token) { share(this.address(token), t('copied')).catch((error) => this.play.app.fail(error)); }

  // What stands in the panel of the game: links to free seats, who watches, the clock.
  panel() {
    const { play, all: { you, begun, people, watching, watch, hints, clock } } = this;
    const free = people.filter(({ taken }) => !taken), host = free.some(({ invitation }) => invitation), send = (path, body) => play.engine.post(`games/${play.id}/${path}`, body).then(({ seats }) => { this.seats = seats; this.draw(); }).catch((error) => play.app.fail(error));
    const link = ({ seat, invitation }) => h('div', { class: 'link' }, free.length > 1 ? h('h2', {}, play.state.names.length > 2 ? play.seatName(seat) : t('player_n', seat)) : null, h('input', { readonly: true, value: this.address(invitation), 'aria-label': t('share_link'), 'data-link': '', onfocus: ({ target }) => target.select() }),
      button(t('share_link'), () => this.hand(invitation), { class: 'primary wide', 'data-act': 'share-link' }));
    return h('section', { class: `card online ${begun ? '' : 'waits'}` },
      you === null ? h('p', { class: 'verdict' }, t('you_watch')) : null,
      host ? [h('p', {}, t('link_lead')), ...free.map(link), isHere() ? h('p', { class: 'quiet' }, t('link_local')) : null] : free.length && you !== null ? [h('p', {}, t('link_ended')), button(t('new_link'), () => send('links', {}), { class: 'wide', 'data-act': 'new-link' })] : null,
      h('p', { class: 'quiet' }, [clock ? clockOf(clock) : t('no_clock'), t(hints ? 'hints_are' : 'hints_none'), watching ? t('watching', number(watching)) : null].filter(Boolean).join(' · ')),
      clock && clock.lost === null && you !== null && begun ? [clock.off.some((seat) => seat !== you) ? h('p', { class: 'verdict' }, t('clock_asked')) : null, button(t(clock.off.includes(you) ? 'clock_keep' : 'clock_off'), () => send('clock', { off: !clock.off.includes(you) }), { 'data-act': 'clock' })] : null,
      watch ? button(t('watch_link'), () => this.hand(watch), { class: 'plain', 'data-act': 'watch-link' }) : null);
  }
}

// Where a link leads: to a free seat, to the seat that this device has, or to a place to watch.
export class Join {
  constructor(app) { this.app = app; }

  close() { this.closed = true; }

  settled() {
    this.board.mirror(memory.get('home', 'right') === 'left');
    this.board.show({ board: STARTS.backgammon, off: [0, 0], cube: { value: 1, owner: 'center' } });
  }

  async open(what) {
    const [id, token] = what.split('/'), { app, app: { engine, panel } } = this;
    const sorry = (key) => replace(panel, h('h1', {}, t(key)), h('a', { class: 'button wide', href: '#/play' }, t('new_match')));
    this.board = new Board();
    this.settled();
    replace(app.stage, this.board.element);
    if (engine.info.local || !/^[a-km-z2-9]{24}$/.test(id) || !/^[a-km-z2-9]{24}$/.test(token)) { sorry('link_bad'); return; }
    const kept = memory.get(`seat.${id}`), known = `seat.${id}`;
    let found = null;
    // The seat that this device has comes before what the link gives; it may have been asked for in vain.
    for (const each of [kept, token]) {
      if (!each || found?.seats.you) continue;
      memory.set(known, each);
      try { found = await engine.state(id); } catch (error) {
        memory.remove(known);
        if (this.closed) return;
        if (error.kind === 'not_found') { sorry('link_gone'); return; }
        if (error.kind !== 'seat') { if (kept) memory.set(known, kept); throw error; }
      }
    }
    if (this.closed) return;
    if (!found?.seats) { sorry('link_bad'); return; }
    const { state, seats } = found, kind = state.cube ? 'play' : 'tables', enter = () => app.go(`${kind}/${id}`, { silent: true }) ?? app.route();
    if (seats.you) { enter(); return; }
    memory.set(known, token);
    const host = seats.people.find(({ taken }) => taken), about = [nameOf(state.game.split(':')[0]), state.length ? pointsOf(state.length) : t('money'), seats.clock ? clockOf(seats.clock) : t('no_clock'), t(seats.hints ? 'hints_are' : 'hints_none')];
    const input = h('input', { name: 'guest', value: ownName(memory.get('setup', {}).name ?? t('you')), maxlength: 24, autocomplete: 'off' }), fresh = newToken();
    const sit = async () => {
      try {
        const { seats: { token: own } } = await engine.post(`games/${id}/seats`, { token: fresh, ...(input.value.trim() ? { name: input.value.trim() } : {}) });
        memory.set(known, own);
        if (!this.closed) enter();
      } catch (error) { app.fail(error); if (['seat', 'expired'].includes(error.kind)) app.route(); }
    };
    const open = seats.invited && !seats.closed;
    replace(panel, h('section', { class: 'new' }, h('h1', {}, t('invites_you', state.names[host.seat - 1])), h('p', { class: 'lead' }, about.join(' · ')),
      open ? [h('label', { class: 'field' }, h('span', {}, t('your_name')), input), button(t('sit_down'), sit, { class: 'primary wide', 'data-act': 'sit-down' })] : seats.closed ? h('p', { class: 'problem' }, t(`link_${seats.closed}`)) : null,
      button(t('just_watch'), enter, { class: `wide ${open ? '' : 'primary'}`, 'data-act': 'watch' })));
    announce(panel.querySelector('h1').textContent);
  }
}
