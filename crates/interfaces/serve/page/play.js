// A match against the engine.

import { Board, glide } from './board.js';
import { announce, button, choice, h, memory, replace, select, toggle, wait } from './dom.js';
import * as figures from './figures.js';
import { Moves } from './moves.js';
import { flipped, moved, off, steps } from './position.js';
import { equity, number, pointsOf, t } from './texts.js';
import { sayTurn } from './words.js';

const LENGTHS = [0, 1, 3, 5, 7, 11];

// Name, score and pips of a player beside the board.
export function seat({ name, pips, score, away, side, active, luck }) {
  return h('div', { class: `seat ${side} ${active ? 'active' : ''}` },
    h('i', { class: 'token', 'aria-hidden': 'true' }), h('strong', {}, name),
    memory.get('pips', true) && pips !== undefined ? h('span', {}, t('pips', pips)) : null, luck ?? null,
    score === undefined ? null : h('span', { class: 'score' }, h('b', {}, String(score)), away ? h('small', {}, t('away', away)) : null));
}

export class Play {
  constructor(app) {
    this.app = app;
    this.engine = app.engine;
    this.busy = false;
    this.board = new Board({
      grab: (from) => this.grab(from), drop: (from, to) => this.drop(from, to),
      tap: (point, other) => this.tap(point, other), dice: () => this.dice(), cube: () => this.cube(),
    });
    this.top = h('div', { class: 'seat-box' });
    this.bottom = h('div', { class: 'seat-box' });
  }

  async open(id) {
    this.board.mirror(memory.get('home', 'right') === 'left');
    replace(this.app.stage, this.top, this.board.element, this.bottom);
    if (!id) return this.begin();
    try {
      const { state } = await this.engine.state('games', id);
      this.id = id;
      memory.set('last', id);
      this.take(state);
    } catch (error) {
      memory.remove('last');
      this.app.go('play');
      throw error;
    }
  }

  close() { this.closed = true; clearTimeout(this.timer); }

  settled() {
    this.board.mirror(memory.get('home', 'right') === 'left');
    if (this.state) this.render();
  }

  // The form of a new match, before a board that waits.
  begin() {
    const setup = { length: 5, strength: 'world-class', game: 'backgammon', dice: 'computer', jacoby: false, beavers: 'off', name: t('you'), ...memory.get('setup', {}) };
    const board = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0];
    this.board.show({ board, off: [0, 0], cube: { value: 1, owner: 'center' } });
    replace(this.board.over);
    replace(this.top, seat({ name: 'tavola', side: 'other' }));
    replace(this.bottom, seat({ name: setup.name, side: 'own' }));
    const last = memory.get('last');
    const money = h('div', { class: 'money', hidden: setup.length > 0 },
      toggle(t('jacoby'), setup.jacoby, (on) => { setup.jacoby = on; }),
      toggle(t('beavers'), setup.beavers !== 'off', (on) => { setup.beavers = on ? 'beavers' : 'off'; }));
    const start = async (event) => {
      event.preventDefault();
      setup.name = form.elements.name.value.trim() || t('you');
      memory.set('setup', setup);
      const asked = { ...setup };
      if (asked.length > 0) { asked.jacoby = false; asked.beavers = 'off'; }
      try {
        const { id, state, happened } = await this.engine.begin('games', asked);
        this.fresh = { id, state, happened };
        memory.set('last', id);
        this.id = id;
        this.app.go(`play/${id}`, { silent: true });
        await this.opening(state, happened);
      } catch (error) { this.app.fail(error); }
    };
    const form = h('form', { class: 'new', onsubmit: start },
      h('h1', {}, t('new_match')), h('p', { class: 'lead' }, t('new_lead')),
      last ? button(t('go_on'), () => this.app.go(`play/${last}`), { class: 'wide' }) : null,
      choice(t('length'), 'length', LENGTHS.map((length) => [length, length === 0 ? t('money') : String(length)]), setup.length, (length) => { setup.length = length; money.hidden = length > 0; }),
      select(t('strength'), this.engine.info.strengths.map((name) => [name, t(name)]), setup.strength, (value) => { setup.strength = value; }),
      h('details', {}, h('summary', {}, t('settings')),
        select(t('variant'), ['backgammon', 'nackgammon', 'hypergammon', 'longgammon'].filter((name) => this.engine.info.matches?.includes(name) ?? true).map((name) => [name, name[0].toUpperCase() + name.slice(1)]), setup.game, (value) => { setup.game = value; }),
        select(t('dice'), [['computer', t('dice_computer')], ['typed', t('dice_typed')]], setup.dice, (value) => { setup.dice = value; }),
        h('label', { class: 'field' }, h('span', {}, t('your_name')), h('input', { name: 'name', value: setup.name, maxlength: 24, autocomplete: 'off' })),
        money),
      h('button', { class: 'primary wide', 'data-act': 'start' }, t('start')));
    replace(this.app.panel, form);
  }

  async opening(state, happened) {
    const board = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0];
    const checkers = state.off[0] + state.board.reduce((sum, count) => sum + Math.max(count, 0), 0);
    this.checkers = checkers;
    if (state.game === 'backgammon') {
      this.shown = board;
      await this.replay(happened, { ...state, waiting: { for: 'engine' } });
    }
    this.take(state);
  }

  // The match as it is now.
  take(state) {
    this.state = state;
    this.checkers = state.off[0] + state.board.reduce((sum, count) => sum + Math.max(count, 0), 0);
    this.shown = state.board;
    this.moves = state.waiting.for === 'play' ? new Moves(state.waiting.plays, state.waiting.dice) : null;
    this.advice = null;
    this.rolled = this.rolledNow;
    this.rolledNow = false;
    this.busy = false;
    this.render();
    announce(this.status());
    clearTimeout(this.timer);
    if (this.moves?.dances) this.timer = setTimeout(() => this.act({ act: 'play', play: 'pass' }), 1500);
    else if (state.waiting.for === 'roll' && !state.may_double && state.dice === 'computer' && memory.get('autoRoll', true)) {
      this.timer = setTimeout(() => this.act({ act: 'roll' }), 500);
    }
  }

  status() {
    const { waiting, cube } = this.state;
    const dice = waiting.dice?.join('-');
    switch (waiting.for) {
      case 'roll': return t(this.state.may_double ? 'your_roll_double' : 'your_roll');
      case 'play': return t(this.moves?.dances ? 'your_dance' : 'your_play', dice);
      case 'answer': return waiting.offer === 'double' ? t('offered', 2 * cube.value) : t('offered_beaver', 4 * cube.value);
      case 'resignation': return t('offers_resign', t(waiting.size));
      case 'opening': return t('enter_opening');
      case 'dice': return t(waiting.player === 1 ? 'enter_own' : 'enter_other');
      case 'game_over': return t(waiting.winner === 1 ? 'you_win' : 'you_lose', pointsOf(waiting.points));
      case 'match_over': return t(waiting.winner === 1 ? 'match_won' : 'match_lost');
      default: return t('thinking');
    }
  }

  // The board as it is, with what the user has moved so far.
  view(extra = {}) {
    const { state, moves } = this;
    const board = moves ? moved(this.shown, moves.hops) : this.shown;
    const last = !moves || moves.path.length === 0 ? state.last : null;
    return {
      board, off: off(board, this.checkers), cube: state.cube, crawford: !state.cube_in_play,
      offered: state.waiting.for === 'answer', roller: 'own',
      dice: moves ? moves.dice : [], whole: moves?.isWhole && !moves.dances,
      movable: moves && !this.busy ? moves.movable : new Set(),
      last: last?.player === 2 ? (last.steps ?? []).map(([from, to]) => [from, to]) : [], lastBy: 'other',
      rolled: this.rolled, arrows: this.advice?.arrows ?? [], label: `${t('board')}. ${this.status()}`, ...extra,
    };
  }

  render(extra) {
    const { state } = this;
    this.board.show(this.view(extra));
    this.rolled = false;
    const needs = (index) => state.length > 0 ? Math.max(state.length - state.score[index], 0) : 0;
    const mine = ['roll', 'play', 'answer', 'resignation'].includes(state.waiting.for) && !this.busy;
    const board = this.view(extra).board;
    const count = [board.reduce((sum, men, point) => sum + Math.max(men, 0) * point, 0), board.reduce((sum, men, point) => sum + Math.max(-men, 0) * (25 - point), 0)];
    replace(this.top, seat({ name: state.names[1], pips: count[1], score: state.score[1], away: needs(1), side: 'other', active: this.busy }));
    replace(this.bottom, seat({ name: state.names[0], pips: count[0], score: state.score[0], away: needs(0), side: 'own', active: mine }));
    this.controls();
    this.side();
  }

  // What lies on the board to be pressed.
  controls() {
    const { state, moves } = this;
    const over = [];
    const act = (text, action, kind = '') => button(text, () => this.act(action), { class: kind, 'data-act': action.act });
    if (!this.busy) {
      switch (state.waiting.for) {
        case 'roll':
          if (state.may_double) over.push(act(t('double'), { act: 'double' }));
          over.push(state.dice === 'typed' ? this.picker((dice) => this.act({ act: 'roll', dice })) : act(t('roll'), { act: 'roll' }, 'primary'));
          break;
        case 'play':
          if (moves.path.length) over.push(button(t('undo'), () => this.undo(), { 'data-act': 'undo' }));
          if (moves.isWhole && !moves.dances) over.push(button(t('done'), () => this.finish(), { class: 'primary', 'data-act': 'done' }));
          break;
        case 'answer':
          over.push(act(t('drop'), { act: 'drop' }));
          if (state.may_beaver) over.push(act(t('beaver'), { act: 'beaver' }));
          if (state.may_raccoon) over.push(act(t('raccoon'), { act: 'raccoon' }));
          over.push(act(t('take'), { act: 'take' }, 'primary'));
          break;
        case 'resignation': over.push(act(t('refuse'), { act: 'refuse' }), act(t('accept'), { act: 'accept' }, 'primary')); break;
        case 'game_over': over.push(act(t('next_game'), { act: 'next_game' }, 'primary')); break;
        case 'match_over':
          over.push(button(t('review'), () => this.review(), { 'data-act': 'review' }), button(t('new_match'), () => this.app.go('play'), { class: 'primary', 'data-act': 'new' }));
          break;
        case 'opening': over.push(this.picker((dice) => this.act({ act: 'opening', dice }))); break;
        case 'dice': over.push(this.picker((dice) => this.act({ act: 'roll', dice }))); break;
        default: break;
      }
    }
    const where = state.waiting.for === 'play' ? 'aside' : 'middle';
    this.board.over.className = `over ${where} ${memory.get('home', 'right') === 'left' ? 'mirrored' : ''}`;
    replace(this.board.over, over);
  }

  // Two dice to be entered.
  picker(done) {
    const chosen = [];
    const row = (index) => h('div', { class: 'picks', role: 'group' }, [1, 2, 3, 4, 5, 6].map((die) =>
      button(String(die), (event) => {
        chosen[index] = die;
        for (const other of event.target.parentNode.children) other.classList.toggle('on', other === event.target);
        if (chosen[0] && chosen[1]) done([chosen[0], chosen[1]]);
      }, { 'data-die': `${index}${die}` })));
    return h('div', { class: 'picker', 'aria-label': this.status() }, row(0), row(1));
  }

  side() {
    const { state } = this;
    const what = state.length === 0 ? t('money') : pointsOf(state.length);
    const isOver = ['game_over', 'match_over'].includes(state.waiting.for);
    const deciding = ['roll', 'play', 'answer', 'resignation'].includes(state.waiting.for) && !this.busy;
    replace(this.app.panel,
      h('header', { class: 'status' }, h('p', { class: 'eyebrow' }, `${what} · ${t('game_n', state.game_number)}${state.crawford ? ` · ${t('crawford_game')}` : ''} · ${t(state.strength)}`),
        h('h1', { class: this.busy ? 'thinking' : '' }, this.busy ? t('thinking') : this.status())),
      h('div', { class: 'row' },
        button(t('hint'), () => this.hint(), { disabled: !deciding, 'data-act': 'hint' }),
        button(t('take_back'), () => this.act({ act: 'take_back' }), { disabled: this.busy || !state.may_take_back, 'data-act': 'take_back' }),
        button(t('resign'), () => this.resign(), { disabled: this.busy || isOver || state.on_roll === null, 'data-act': 'resign' }),
        state.xgid ? h('a', { class: 'button', href: `#/analyse/${state.xgid}` }, t('analyse')) : null),
      h('div', { class: 'advice', 'aria-live': 'polite' }, this.advice?.content ?? null),
      h('section', { class: 'log' }, h('h2', {}, t('game_log')),
        h('ol', { tabindex: 0 }, state.log.map((line) => h('li', { class: line.startsWith(`${state.names[0]}:`) ? 'own' : 'other' }, sayTurn(line, state.names))))),
      h('footer', { class: 'row' },
        button(t('review'), () => this.review()), button(t('download'), () => this.download()), button(t('new_match'), () => this.app.go('play'))));
    const log = this.app.panel.querySelector('.log ol');
    log.scrollTop = log.scrollHeight;
  }

  // Does something; the engine answers, and what it does is shown.
  async act(action, sure = false) {
    if (this.busy || this.closed) return;
    clearTimeout(this.timer);
    this.busy = true;
    this.advice = null;
    try {
      if (!sure && memory.get('tutor', false) && ['play', 'double', 'take', 'drop', 'roll', 'beaver'].includes(action.act)) {
        const mistake = await this.engine.mistake('games', this.id, action);
        if (mistake && mistake.loss >= 0.03 && !await this.insist(mistake)) {
          this.busy = false;
          this.render();
          return;
        }
      }
      replace(this.board.over);
      const slow = setTimeout(() => this.render(), 250);
      const before = this.state;
      const { happened, state } = await this.engine.act('games', this.id, action);
      clearTimeout(slow);
      if (this.closed) return;
      if (action.act === 'next_game') this.shown = this.opened(state);
      else if (action.act !== 'take_back') this.shown = this.view().board;
      this.moves = null;
      if (action.act !== 'take_back') await this.replay(happened, before);
      if (!this.closed) this.take(state);
    } catch (error) {
      this.busy = false;
      if (!this.closed) this.render();
      this.app.fail(error);
    }
  }

  // The board before the first play of a game.
  opened(state) {
    return state.game === 'backgammon' ? [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0] : state.board;
  }

  async replay(happened, before) {
    let board = this.shown;
    const show = (extra) => {
      if (this.closed) return;
      this.shown = board;
      this.state = before;
      this.moves = null;
      this.busy = true;
      this.board.show({ ...this.view({ movable: new Set(), last: [] }), board, off: off(board, this.checkers), offered: false, ...extra });
      replace(this.board.over);
    };
    let dice = [];
    for (const { player, act, dice: rolled, steps: hops, words } of happened) {
      if (this.closed) return;
      if (player === 2) announce(sayTurn(words, before.names));
      const roller = player === 1 ? 'own' : 'other';
      if (act === 'roll') {
        dice = (rolled[0] === rolled[1] ? [rolled[0], rolled[0], rolled[0], rolled[0]] : rolled).map((die) => ({ die, used: false }));
        if (player === 1) { this.rolledNow = true; continue; }
        show({ dice, roller, rolled: true });
        await wait(650);
      } else if (act === 'play' && player === 2) {
        for (const [from, to] of hops ?? []) {
          board = flipped(moved(flipped(board), [[from, to]]));
          const used = dice.find((die) => !die.used && (die.die === from - to || to === 0)) ?? dice.find((die) => !die.used);
          dice = dice.map((die) => die === used ? { ...die, used: true } : die);
          show({ dice, roller });
          await wait(glide() + 140);
        }
        if (!hops?.length) await wait(900);
      } else if (player === 2) {
        await wait(450);
      }
    }
  }

  insist({ chosen, better, loss }) {
    return new Promise((answer) => {
      const dialog = h('dialog', { class: 'sheet', onclose: () => { dialog.remove(); answer(dialog.returnValue === 'yes'); } },
        h('form', { method: 'dialog' }, h('h2', {}, t('mistake_title', chosen, number(loss, 3))), h('p', {}, t('mistake_better', better)),
          h('div', { class: 'row' }, h('button', { value: 'yes' }, t('do_anyway')), h('button', { value: 'no', class: 'primary' }, t('think_again')))));
      document.body.append(dialog);
      dialog.showModal();
    });
  }

  resign() {
    const dialog = h('dialog', { class: 'sheet', onclose: () => {
      dialog.remove();
      if (['single', 'gammon', 'backgammon'].includes(dialog.returnValue)) this.act({ act: 'resign', size: dialog.returnValue });
    } }, h('form', { method: 'dialog' }, h('h2', {}, t('resign_how')),
      h('div', { class: 'row' }, ['single', 'gammon', 'backgammon'].map((size) => h('button', { value: size, 'data-size': size }, t(size)))),
      h('button', { class: 'wide', value: '' }, t('close'))));
    document.body.append(dialog);
    dialog.showModal();
  }

  async hint() {
    try {
      const hint = await this.engine.hint('games', this.id);
      const arrows = (play) => [{ steps: steps(play.play), kind: 'best' }];
      const pick = (play) => {
        if (this.moves?.path.length) { this.moves.reset(); this.render(); }
        this.board.arrows(arrows(play));
      };
      let content = null;
      if (hint.about === 'plays') {
        content = [h('h2', {}, t('best_plays')), figures.plays(hint.plays, { pick })];
        this.moves?.reset();
      } else if (hint.about === 'cube') {
        content = [h('h2', {}, t('cube_decision')), figures.cube(hint), figures.chances(hint.probs)];
      } else if (hint.about === 'resignation') content = h('p', { class: 'verdict' }, t(hint.accept ? 'accept' : 'refuse'));
      this.advice = { content, arrows: hint.about === 'plays' && hint.plays[0] ? arrows(hint.plays[0]) : [] };
      this.render();
      if (hint.about === 'plays' && hint.plays[0]) announce(`${hint.plays[0].play}, ${equity(figures.worth(hint.plays[0]))}`);
    } catch (error) { this.app.fail(error); }
  }

  async review() {
    try {
      const text = await this.engine.record(this.id);
      memory.set('review', text);
      this.app.go('match/own');
    } catch (error) { this.app.fail(error); }
  }

  async download() {
    try {
      const url = URL.createObjectURL(new Blob([await this.engine.record(this.id)], { type: 'text/plain' }));
      h('a', { href: url, download: 'match.mat' }).click();
      URL.revokeObjectURL(url);
    } catch (error) { this.app.fail(error); }
  }

  // What hands do.
  grab(from) {
    if (this.busy || !this.moves) return null;
    const targets = this.moves.targets(from);
    return targets.size ? targets : null;
  }

  drop(from, to) {
    const hops = this.moves?.targets(from).get(to);
    if (hops) this.moves.do(hops);
    this.stepped();
  }

  tap(point, other) {
    if (this.busy || !this.moves) return;
    if (this.moves.isWhole && !this.moves.dances) return;
    if (!this.moves.click(point, other)) {
      const taken = this.view().board[point] ?? 0;
      if (point < 1 || point > 24 || taken > 0 || !this.moves.make(point)) return;
    }
    this.stepped();
  }

  stepped() {
    this.advice = null;
    this.render();
    const hop = this.moves?.path.at(-1);
    if (hop) announce(`${hop.from === 25 ? t('bar') : hop.from}/${hop.to === 0 ? 'off' : hop.to}${hop.hit ? '*' : ''}`);
  }

  dice() {
    if (this.busy || !this.moves) return;
    if (this.moves.isWhole) { this.finish(); return; }
    this.moves.swap();
    this.render();
  }

  cube() { if (this.state?.may_double) this.act({ act: 'double' }); }
  undo() { if (this.moves?.undo()) this.render(); }
  finish() { if (this.moves?.isWhole && !this.busy) this.act({ act: 'play', play: this.moves.play }); }

  key(key) {
    if (!this.state) return false;
    const { waiting } = this.state;
    const acts = {
      ' ': () => waiting.for === 'roll' && this.state.dice === 'computer' ? this.act({ act: 'roll' }) : waiting.for === 'game_over' ? this.act({ act: 'next_game' }) : this.finish(),
      d: () => this.cube(), u: () => this.undo(), h: () => this.hint(), x: () => { if (!this.moves?.isWhole) this.dice(); },
      r: () => { if (this.moves?.redo()) this.render(); }, t: () => { if (waiting.for === 'answer') this.act({ act: 'take' }); },
      backspace: () => this.undo(),
    };
    if (!acts[key] || this.busy) return false;
    acts[key]();
    return true;
  }
}
