// Any position: set up, evaluated, rolled out.

import { Board } from './board.js';
import { announce, button, choice, glyph, group, h, memory, picture, replace, save, select, toast, toggle } from './dom.js';
import * as figures from './figures.js';
import { keepTree, tree as kept } from './history.js';
import { Moves, Tree, graph } from './moves.js';
import * as scores from './scores.js';
import { seat } from './table.js';
import { START, flip, moved, off, parse, pips, steps, write } from './position.js';
import { equity, number, percent, pointsOf, t } from './texts.js';
import './texts-later.js';
import { say } from './words.js';

// What was tried, as this device keeps it; another tab may have added to it.
const tree = () => new Tree(kept());

const CUBES = [1, 2, 4, 8, 16, 32, 64];
// Games of a rollout, and what each knows of its player.
const TRIALS = [324, 1296, 5184];

const beginning = () => ({ position: parse(START), turned: false });

export class Analyze {
  constructor(app) {
    this.app = app;
    this.engine = app.engine;
    this.editing = memory.get('editing', false);
    this.ply = memory.get('ply', 2);
    this.trials = memory.get('trials', TRIALS[1]);
    this.rolling = memory.get('rolloutPly', 0);
    this.asked = this.left = 0;
    Object.assign(this, beginning());
    this.board = new Board({
      grab: (from) => this.grab(from), drop: (from, to) => this.drop(from, to), tap: (point, other) => this.tap(point, other),
    });
    this.top = h('div', { class: 'seat-box' });
    this.bottom = h('div', { class: 'seat-box' });
    this.result = h('div', { class: 'result' });
    this.rollout = h('div', { class: 'rollout' });
  }

  async open(text) {
    this.board.mirror(memory.get('home', 'right') === 'left');
    replace(this.app.stage, this.top, this.board.element, this.bottom);
    replace(this.board.over);
    await this.turn(text);
  }

  // Another address; one that can't be read leaves what is shown, the start at first, and its address.
  async turn(text) {
    const { left } = this, mine = this.turning = {}, latest = () => !this.closed && mine === this.turning && left === this.left;
    let found = beginning();
    // What looks like a position is seen while the engine reads it.
    if (!this.shown && /^XGID=[-A-Pa-p]{26}(:-?\w+){9}$/.test(text)) { Object.assign(this, { position: parse(text), turned: /^[^:]*:[^:]*:[^:]*:-1:/.test(text) }); this.draw(); }
    try { if (text) found = await this.read(text); } catch (error) {
      if (latest()) {
        if (!this.shown) { Object.assign(this, beginning()); this.show(); }
        this.app.go(`analyze/${this.address}`, { silent: true });
      }
      throw error;
    }
    if (!latest()) return;
    this.leave();
    Object.assign(this, found);
    this.show();
  }

  // Ends what takes a while: it is of the position before.
  leave() {
    this.left++;
    this.stop?.abort();
    this.stop = null;
    replace(this.rollout);
  }

  close() { this.closed = true; this.stop?.abort(); }
  settled() { this.board.mirror(memory.get('home', 'right') === 'left'); this.show(); }

  // A position in any notation, read by the engine.
  async read(text) {
    const { xgid, ...answer } = await this.engine.ask('convert', { position: text, to: 'xgid' });
    return { position: parse(xgid ?? answer.position), turned: /^(XGID=)?[^:]*:[^:]*:[^:]*:-1:/.test(text) };
  }

  get checkers() { return 15; }
  get address() { return write(this.position, this.turned); }

  // Another position; the way back leads to the one before.
  changed(push = true) {
    this.leave();
    this.app.go(`analyze/${this.address}`, { silent: true, push });
    this.show();
  }

  show() {
    Object.assign(this, { moves: null, plays: [], shown: true });
    const position = this.seen;
    const [own, other] = pips(position.board);
    const needs = (index) => position.length > 0 ? Math.max(position.length - position.score[index], 0) : 0;
    this.draw();
    replace(this.top, seat({ name: this.name('other'), pips: other, side: 'other', score: position.length ? position.score[1] : undefined, away: needs(1), active: this.turned }));
    replace(this.bottom, seat({ name: this.name('own'), pips: own, side: 'own', score: position.length ? position.score[0] : undefined, away: needs(0), active: !this.turned }));
    this.side();
    this.evaluate();
  }

  // The server is there again.
  returned() { if (this.result.querySelector('.problem')) this.evaluate(); }

  // Another network answers.
  renewed() { this.evaluate(); }

  name(side) { return t(side === 'own' ? 'you' : 'opponent'); }

  // As the board shows it: colors stay with their players.
  get seen() { return this.turned ? flip(this.position) : this.position; }

  // A place of the board as the player on roll names it, and back.
  place(name) { return this.turned ? { 25: -25, [-25]: 25, 0: -1, [-1]: 0 }[name] ?? 25 - name : name; }

  draw(arrows = []) {
    const { moves } = this, side = this.turned ? 'other' : 'own';
    const made = moves ? { ...this.position, board: moved(this.position.board, moves.hops) } : this.position;
    const position = this.turned ? flip(made) : made;
    this.board.show({
      board: position.board, off: off(position.board, this.checkers).map((count) => Math.max(count, 0)), cube: position.cube,
      crawford: position.crawford, dice: moves?.dice ?? (position.dice ?? []).map((die) => ({ die, used: false })), whole: moves?.isWhole, roller: side, turned: this.turned,
      movable: new Set([...moves?.movable ?? []].map((name) => this.place(name))), arrows: arrows.map((arrow) => ({ ...arrow, side })), label: this.address,
    });
    this.board.svg.classList.toggle('editing', this.editing);
    const { over } = this.board;
    over.className = `over ${this.turned !== this.board.mirrored ? 'middle' : 'aside'}`;
    replace(over, moves?.path.length ? button(t('undo'), () => { moves.undo(); this.draw(); }, { 'data-act': 'undo' }) : null,
      moves?.isWhole ? button(t('done'), () => this.choose(moves.play), { class: 'primary', 'data-act': 'done' }) : null);
  }

  side() {
    const { position } = this;
    const xgid = this.address;
    const set = (change) => { Object.assign(this.position, change); this.changed(); };
    const copy = (text) => navigator.clipboard.writeText(text).then(() => toast(t('copied')), (error) => this.app.fail(error));
    const paste = (event) => {
      event.preventDefault();
      const { id } = event.target.elements;
      this.read(id.value).then((found) => { if (!this.closed) { Object.assign(this, found); this.changed(); } }, (error) => { id.value = xgid; this.app.fail(error); });
    };
    const dice = position.dice ?? this.half;
    // The first of two dice waits for the other.
    const throwDie = (index, die) => {
      const next = [...(dice ?? [])];
      next[index] = die;
      this.half = next[0] && next[1] ? null : next;
      if (this.half) this.side(); else set({ dice: next, offered: false });
    };
    const pick = (index) => h('div', { class: 'picks', role: 'group', 'aria-label': `${t('dice')} ${index + 1}` }, [1, 2, 3, 4, 5, 6].map((die) =>
      button(String(die), () => throwDie(index, die), { class: dice?.[index] === die ? 'on' : '', 'aria-pressed': String(dice?.[index] === die) })));
    replace(this.app.panel, h('h1', { class: 'sr' }, t('analyze')),
      h('form', { class: 'paste', onsubmit: paste }, h('label', { class: 'field' }, h('span', {}, t('position_id')),
        h('input', { name: 'id', value: xgid, spellcheck: 'false', autocomplete: 'off', placeholder: t('position_hint'), onfocus: (event) => event.target.select(), onpaste: (event) => setTimeout(() => event.target.form.requestSubmit()) })),
      h('div', { class: 'row' }, button(t('copy'), () => copy(xgid)), button(t('copy_link'), () => copy(location.href)))),
      h('div', { class: 'set-up' },
        h('div', { class: 'row dice-row' }, button(t('no_dice'), () => { this.half = null; set({ dice: null, offered: false }); }, { class: dice ? '' : 'on', 'data-act': 'no-dice' }), h('div', { class: 'picker' }, pick(0), pick(1))),
        choice(t('depth'), 'ply', [0, 1, 2, 3].map((ply) => [ply, String(ply)]), this.ply, (ply) => { this.ply = ply; memory.set('ply', ply); this.evaluate(); })),
      this.result, this.led(),
      group(t('group_see'), button(glyph('dice', t('roll_out')), () => this.rollOut(), { class: 'primary', 'data-act': 'rollout' }), button(glyph('grid', t('score_matrix')), () => this.tool((watch) => position.dice ? scores.plays(this.engine, position, Math.min(this.ply, 2), watch) : scores.cubes(this.engine, position)), { 'data-act': 'matrix' }), button(glyph('book', t('opening_book')), () => this.tool(() => this.book()), { 'data-act': 'book' }), button(glyph('heat', t('next_rolls')), () => this.tool(() => this.rolls()), { 'data-act': 'rolls' })), this.rollout,
      scores.elsewhere(write(position), (to) => this.app.go(`analyze/${to}`)),
      group(t('group_try'), h('a', { class: 'button', href: `#/play/from/${write(position)}`, 'data-act': 'play-on' }, glyph('play', t('play_on'))), h('a', { class: 'button', href: `#/play/against/${write(position)}`, 'data-act': 'play-against' }, glyph('swap', t('play_against')))),
      h('details', {}, h('summary', {}, t('roll_out')),
        choice(t('rollout_games'), 'trials', TRIALS.map((trials) => [trials, number(trials)]), this.trials, (trials) => { this.trials = trials; memory.set('trials', trials); }),
        choice(t('rollout_ply'), 'rollout-ply', [0, 1, 2].map((ply) => [ply, String(ply)]), this.rolling, (ply) => { this.rolling = ply; memory.set('rolloutPly', ply); })),
      group(t('group_take'), button(glyph('copy', t('as_text')), () => this.tell(copy), { 'data-act': 'text' }), button(glyph('save', t('as_picture')), () => picture(this.board.svg).then((blob) => save(blob, 'tavola.png'), (error) => this.app.fail(error)), { 'data-act': 'picture' })),
      h('details', { open: this.editing, class: 'editor' }, h('summary', {}, t('settings')),
        toggle(t('edit'), this.editing, (on) => { memory.set('editing', on); this.edit(on); this.show(); }),
        this.editing ? h('p', { class: 'quiet' }, t('edit_help')) : null,
        h('div', { class: 'row' },
          button(t('to_start'), () => set({ board: parse(START).board })),
          button(t('clear'), () => { this.edit(true); set({ board: new Array(26).fill(0) }); }),
          button(t('turn_board'), () => { this.position = flip(position); this.changed(); }, { 'data-act': 'flip' })),
        select(t('cube'), [['center', t('centered')], ['player', t('mine')], ['opponent', t('theirs')]], position.cube.owner, (owner) => set({ cube: { owner, value: owner === 'center' ? 1 : Math.max(position.cube.value, 2) } })),
        select(t('cube_value'), CUBES.map((value) => [value, String(value)]), position.cube.value, (value) => set({ cube: { value: Number(value), owner: position.cube.owner === 'center' && value > 1 ? 'player' : position.cube.owner } })),
        select(t('length'), [0, 1, 2, 3, 4, 5, 7, 9, 11, 13, 15, 17, 21, 25].map((length) => [length, length === 0 ? t('money') : pointsOf(length)]), position.length, (length) => set({ length: Number(length), score: [0, 0], crawford: false, jacoby: false, beavers: false })),
        position.length > 0 ? [
          ...[0, 1].map((index) => select(`${t('score')}: ${t(index ? 'theirs' : 'mine')}`, Array.from({ length: position.length }, (_, points) => [points, String(points)]), position.score[index], (points) => { const score = [...position.score]; score[index] = Number(points); set({ score, crawford: position.crawford && score.some((own) => own === position.length - 1) }); })),
          toggle(t('crawford_game'), position.crawford, (crawford) => set({ crawford })),
        ] : [toggle(t('jacoby'), position.jacoby, (jacoby) => set({ jacoby })), toggle(t('beavers'), position.beavers, (beavers) => set({ beavers }))]));
  }

  // Setting up is done from below.
  edit(on) {
    this.editing = on;
    if (on) this.turned = false;
  }

  // What was tried, with its variations; each leads back to where it was chosen.
  led() {
    const { address } = this, all = tree(), { here, knows } = all.at(address);
    if (!knows) return null;
    const go = (to) => () => this.app.go(`analyze/${to}`);
    const step = (text, key, to) => button(text, go(to), { 'aria-label': t(key), 'data-act': key, disabled: !to });
    return h('section', { class: 'log' }, h('div', { class: 'row nav' }, h('h2', {}, t('game_log')), step('‹', 'previous', this.back), step('›', 'next', this.onward)),
      figures.moves(all.turns((play) => ({ side: play.side, name: this.name(play.side), text: play.text, loss: play.loss, here: play === here && play.address === address, go: go(play.address) }))));
  }

  // The addresses before this one and after it on its line.
  get back() { return tree().at(this.address).up?.address; }
  get onward() {
    const { here } = tree().at(this.address);
    return here?.address === this.address ? here.next[0]?.address ?? here.after : here?.address;
  }

  // What the position is worth: plays where there is a roll, else the cube.
  async evaluate() {
    const mine = ++this.asked;
    const position = write(this.position), { board } = this.position;
    if (!board.some((count) => count > 0) || !board.some((count) => count < 0)) { replace(this.result, h('p', { class: 'quiet' }, t('edit_help'))); return; }
    this.result.classList.add('waiting');
    // The first answer has its room before it comes.
    this.result.classList.toggle('plays-come', Boolean(this.position.dice));
    try {
      const { dice } = this.position, [answer, moves] = await Promise.all(dice ? [this.engine.ask('best', { position, ply: this.ply, top: 12 }), this.editing ? this.moves : this.legal(position)]
        : [this.engine.ask('cube', { position, ply: this.ply })]);
      if (mine !== this.asked || this.closed) return;
      this.result.classList.remove('waiting');
      if (dice) {
        Object.assign(this, { plays: answer.plays, moves });
        this.showPlays(answer.plays);
      } else {
        replace(this.result, h('h2', {}, t('cube_decision')), figures.cube(answer), figures.chances(answer.probs),
          h('p', { class: 'quiet' }, `${t('equity')} ${equity(answer.cubeful_equity)} · ${t('ply', answer.ply)}`));
        announce(figures.verdict(answer));
      }
    } catch (error) {
      if (mine !== this.asked || this.closed) return;
      this.result.classList.remove('waiting');
      replace(this.result, h('p', { class: 'problem' }, error.message));
    }
  }

  // All ways of playing the roll, for the hand.
  async legal(position) {
    const { board, dice } = this.position;
    const { plays } = await this.engine.ask('legal', { position, dice });
    return plays.length ? new Moves(graph(board, dice, plays.map(({ play }) => play)), dice) : null;
  }

  // The board and what was found, as text.
  async tell(copy) {
    try {
      const { board } = await this.engine.ask('show', { position: write(this.position) });
      const plays = this.plays.map((play, index) => `${index + 1}. ${play.play} ${equity(figures.worth(play))}`);
      copy([this.address, board, ...plays.length ? plays : [this.result.querySelector('.verdict')?.textContent ?? '']].join('\n'));
    } catch (error) { this.app.fail(error); }
  }

  // Goes on from the position after a play.
  choose(play) {
    const end = (each) => String(moved(this.position.board, steps(each)));
    const board = moved(this.position.board, steps(play)), before = this.address;
    const loss = this.plays.find((each) => end(each.play) === String(board))?.loss;
    const side = this.turned ? 'other' : 'own';
    this.position = flip({ ...this.position, board, dice: null, offered: false });
    this.turned = !this.turned;
    const tried = tree();
    tried.add({ address: before, after: this.address, side, text: `${/:([1-6]{2}):/.exec(before)[1]}: ${play || say('no legal play')}`, loss });
    keepTree(tried.saved);
    this.changed();
  }

  showPlays(list) {
    // A list that waits for its successor has no arrows any more, and nothing to choose.
    const { asked } = this;
    const arrows = (play) => { if (asked !== this.asked) return; this.moves?.reset(); this.draw([{ steps: steps(play.play), kind: 'best' }]); };
    const choose = (play) => { if (asked === this.asked) this.choose(play.play); };
    replace(this.result, h('h2', {}, t('best_plays')), figures.plays(list, { pick: arrows, choose, board: this.board.element }),
      list[0] ? figures.chances(list[0].probs) : button(t('next'), () => choose({ play: '' }), { 'data-act': 'dance' }));
    if (list[0]) {
      arrows(list[0]);
      announce(`${list[0].play}, ${equity(figures.worth(list[0]))}`);
    }
  }

  // Something that takes a while, in the place of the rollout.
  async tool(work) {
    this.stop?.abort();
    const stop = this.stop = new AbortController();
    replace(this.rollout, h('p', { class: 'quiet' }, t('loading')));
    try {
      const found = await work({ signal: stop.signal });
      if (!this.closed && stop === this.stop && !stop.signal.aborted) {
        replace(this.rollout, found);
        this.rollout.scrollIntoView({ block: 'nearest' });
      }
    } catch (error) {
      if (!this.closed && stop === this.stop) replace(this.rollout);
      this.app.fail(error);
    }
  }

  // What each of the 36 rolls is worth, from the worst in red to the best in green.
  async rolls() {
    const position = { ...this.position }, found = new Map();
    for (let high = 1; high <= 6; high++) for (let low = 1; low <= high; low++) {
      const { plays } = await this.engine.ask('best', { position: write({ ...position, dice: [high, low] }), ply: 0, top: 1 });
      if (this.closed) return [];
      found.set(`${high}${low}`, plays[0]);
    }
    const of = (one, two) => found.get(`${Math.max(one, two)}${Math.min(one, two)}`);
    const dice = [1, 2, 3, 4, 5, 6], all = dice.flatMap((one) => dice.map((two) => figures.worth(of(one, two))));
    const [least, most] = [Math.min(...all), Math.max(...all)], mean = all.reduce((sum, value) => sum + value, 0) / all.length;
    const heat = (value) => `color-mix(in srgb, var(${value < mean ? '--bad' : '--good'}) ${Math.round(45 * Math.abs(value - mean) / ((value < mean ? mean - least : most - mean) || 1))}%, transparent)`;
    return [h('h2', {}, t('next_rolls')), h('p', { class: 'quiet' }, t('mean_roll', equity(mean))), h('table', { class: 'grid' },
      h('thead', {}, h('tr', {}, h('td'), dice.map((die) => h('th', { scope: 'col' }, String(die))))),
      h('tbody', {}, dice.map((one) => h('tr', {}, h('th', { scope: 'row' }, String(one)), dice.map((two) => { const play = of(one, two); return h('td', { title: play.play, style: `background: ${heat(figures.worth(play))}` }, equity(figures.worth(play))); })))))];
  }

  // The best plays of each roll, with what the others lose: from the start a book of openings.
  async book() {
    const { stop, ply } = this, list = h('ol', { class: 'book' }), fill = async () => {
      for (let high = 1; high <= 6; high++) for (let low = 1; low <= high; low++) {
        const { plays } = await this.engine.ask('best', { position: write({ ...this.position, dice: [high, low] }), ply, top: 3 });
        if (this.closed || stop !== this.stop || stop.signal.aborted) return;
        list.append(h('li', {}, h('b', {}, `${high}-${low}`), plays.map(({ play, loss }, index) => h('span', { class: index ? figures.grade(loss) : 'best' }, play, index ? h('small', {}, ` −${number(loss, 3)}`) : ''))));
      }
    };
    fill().catch((error) => this.app.fail(error));
    return [h('h2', {}, t('opening_book')), h('p', { class: 'quiet' }, t('ply', ply)), list];
  }

  async rollOut() {
    this.stop?.abort();
    const stop = this.stop = new AbortController(), { trials: all, rolling: ply } = this;
    const live = h('div', { class: 'so-far' }), began = performance.now();
    const bar = h('progress', { max: all, value: 0 });
    const stopper = button(t('stop'), () => stop.abort());
    replace(this.rollout, bar, live, stopper);
    const spread = (mean, error) => figures.interval(mean, error, `${equity(mean)} ± ${number(1.96 * error, 3)}`);
    // What each action of the cube is worth; one that is passed is worth 1.
    const actions = ({ no_double: no, no_double_se: noError, double_take: taken, double_take_se: takenError }) => typeof no !== 'number' ? null
      : [['no_double', no, noError], ['double_take', taken, takenError], ['double_pass', 1, 0]].map(([key, mean, error]) => h('div', { class: 'action' }, h('span', {}, t(key)), spread(mean, error)));
    const progress = ({ trials, equity: mean, equity_se: error, best, ...cube }) => {
      bar.value = trials;
      // What is left, by what it took so far.
      const left = trials ? (performance.now() - began) * (all - trials) / trials / 1000 : null;
      replace(live, best ? h('p', {}, best) : null, actions(cube) ?? spread(mean, error), h('p', { class: 'quiet' }, t('games_so_far', number(trials), number(all)), left === null ? '' : ` · ${t('seconds_left', number(Math.ceil(left)))}`));
    };
    try {
      const answer = await this.engine.job({ op: 'rollout', position: write(this.position), trials: all, ply, seed: 1 }, { progress, signal: stop.signal });
      if (this.closed || stop !== this.stop) return;
      const of = (found) => [found.cubeful_equity ?? found.equity, found.cubeful_equity_se ?? found.equity_se];
      replace(this.rollout, h('h2', {}, t('roll_out')), answer.plays
        ? [h('ol', { class: 'rolled' }, answer.plays.map((play) => h('li', {}, h('strong', {}, play.play), spread(...of(play))))), h('p', { class: 'quiet' }, t('rolled_out', number(answer.plays[0]?.trials ?? 0)))]
        : [actions(answer) ?? spread(...of(answer)), figures.chances(answer.probs), answer.action ? h('p', { class: 'verdict' }, figures.verdict(answer)) : null,
          h('p', { class: 'quiet' }, `${t('rolled_out', number(answer.trials))} · ${percent(answer.probs[0])}`)]);
    } catch (error) {
      if (!this.closed && stop === this.stop) { stopper.remove(); bar.remove(); }
      this.app.fail(error);
    }
  }

  // Setting up: from anywhere to anywhere.
  count(place) {
    const { board } = this.position;
    if (place === 0 || place === -1) return Math.max(off(board, this.checkers)[place === 0 ? 0 : 1], 0) * (place === 0 ? 1 : -1);
    return place === -25 ? board[0] : board[place];
  }

  put(place, side, change) {
    if (place === 0 || place === -1) return true;
    const { board } = this.position;
    const index = place === -25 ? 0 : place;
    if ((place === -25 && side > 0) || (place === 25 && side < 0)) return false;
    if (board[index] * side < 0) { if (change < 0 || Math.abs(board[index]) > 1) return false; board[index] = 0; }
    board[index] += side * change;
    return true;
  }

  grab(from) {
    if (!this.editing) {
      const targets = [...this.moves?.targets(this.place(from)) ?? []];
      return targets.length ? new Map(targets.map(([to, hops]) => [this.place(to), hops])) : null;
    }
    if (this.count(from) === 0) return null;
    const side = Math.sign(this.count(from));
    const all = [0, -1, 25, -25, ...Array.from({ length: 24 }, (_, index) => index + 1)];
    const fits = (to) => to !== from && !(to === 0 && side < 0) && !(to === -1 && side > 0) && !(to === 25 && side < 0) && !(to === -25 && side > 0)
      && !(to > 0 && to < 25 && this.position.board[to] * side < -1);
    return new Map(all.filter(fits).map((to) => [to, []]));
  }

  drop(from, to) {
    if (!this.editing) {
      const hops = this.moves?.targets(this.place(from)).get(this.place(to));
      if (hops) this.moves.do(hops);
      this.draw();
      return;
    }
    const side = Math.sign(this.count(from));
    this.put(from, side, -1);
    this.put(to, side, 1);
    this.changed();
  }

  tap(point, other) {
    if (!this.editing) {
      if (this.moves && !this.moves.isWhole && this.moves.click(this.place(point), other)) this.draw();
      return;
    }
    const side = other ? -1 : 1;
    const left = off(this.position.board, this.checkers)[other ? 1 : 0];
    const there = this.count(point);
    if (point === 0 || point === -1) return;
    if (left > 0 && there * side >= 0) this.put(point, side, 1);
    else if (there !== 0) this.put(point, Math.sign(there), -1);
    this.changed();
  }

  key(key) {
    if (key === 'h' || key === 'e') { this.evaluate(); return true; }
    if (key === ' ') { this.board.over.querySelector('.primary')?.click(); return true; }
    const to = document.activeElement.matches('.touch') ? null : { arrowleft: this.back, arrowright: this.onward }[key];
    if (to) this.app.go(`analyze/${to}`);
    return Boolean(to);
  }
}
