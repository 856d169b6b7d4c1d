// How to play: the rules of backgammon a step at a time, each with a board that shows it, and those of
// the other games.

import { announce, button, h, memory, replace, select } from './dom.js';
import { Board } from './board.js';
import { STARTS, off } from './position.js';
import { nameOf, t } from './texts.js';
import './texts-games.js';
import './texts-later.js';
import { say } from './words.js';

const at = (points) => { const board = new Array(26).fill(0); for (const [point, count] of Object.entries(points)) board[point] = count; return board; };
const START_BOARD = STARTS.backgammon;
const HOME = at({ 1: 3, 2: 2, 3: 3, 4: 2, 5: 3, 6: 2, 24: -2, 23: -3, 20: -2 });
// Each rule with its board: dice, the way of checkers, the cube.
const STEPS = [
  { key: 'setup', board: START_BOARD },
  { key: 'direction', board: START_BOARD, arrows: [[24, 18], [18, 13], [13, 7], [7, 1]] },
  { key: 'moving', board: START_BOARD, dice: [3, 1], arrows: [[8, 5], [6, 5]] },
  { key: 'doubles', board: START_BOARD, dice: [6, 6], arrows: [[24, 18], [24, 18], [13, 7], [13, 7]] },
  { key: 'hitting', board: at({ 6: 5, 8: 3, 13: 5, 24: 2, 5: -1, 12: -5, 17: -3, 19: -5, 1: -1 }), dice: [3, 1], arrows: [[8, 5], [6, 5]] },
  { key: 'entering', board: at({ 25: 1, 6: 5, 8: 3, 13: 4, 24: 2, 1: -2, 12: -4, 17: -3, 19: -4, 21: -2 }), dice: [5, 4], arrows: [[25, 20], [13, 9]] },
  { key: 'bearing', board: HOME, dice: [6, 3], arrows: [[6, 0], [3, 0]] },
  { key: 'winning', board: at({ 1: 1, 20: -3, 22: -4, 23: -4, 12: -4 }) },
  { key: 'cube', board: START_BOARD, cube: { value: 2, owner: 'center' }, offered: true },
  { key: 'match', board: START_BOARD, crawford: true, cube: { value: 1, owner: 'center' } },
  { key: 'money', board: START_BOARD },
  { key: 'levels', board: START_BOARD },
];

// Special cases of old games, from games of their networks: `docs/images/games/` has the same.
const CASES = {
  tabula: [['first', 'hand:15 first / 2:1 3:2 hand:12', [3, 2, 1]], ['late', '23:2 off:13 / 24:1 off:14', [2, 2, 1]]],
  puff: [['double', '6:6 8:2 11:2 12:1 13:1 14:1 18:1 24:1 / 2:2 3:2 4:3 5:2 9:2 10:2 16:1 21:1', [5, 5]], ['low', '6:2 7:2 9:2 10:2 11:2 12:2 15:1 24:1 hand:1 / 1:2 2:1 3:1 4:2 5:4 8:1 13:1 21:1 23:2', [4, 1]]],
  fallas: [['hit', 'm12:2 19:11 23:1 24:1 / m7:1 m9:1 19:9 20:1 21:1 22:1 23:1', [6, 4, 3]], ['guard', 'm18:1 19:10 21:2 22:1 m22:1 / m13:1 19:9 20:1 m20:1 21:1 22:1 off:1', [5, 4, 1]]],
  emperador: [['barata', '1:5 2:1 3:1 16:1 19:2 20:2 21:2 bar:1 / 1:1 8:1 15:2 17:2 18:2 19:2 20:3 21:2', [3, 3, 1]]],
  buffa: [['heir', '24:2 off:13 inherits:65 / 22:2 23:5 24:8', [5, 4, 3]]],
  ludus: [['stack', '6:7 9:8 / 16:15', [6, 2, 2]]],
  trictrac: [['power', '1:10 2:1 7:1 9:2 10:1 points:2 interrupted / 1:9 2:2 7:2 9:1 11:1 points:2', [6, 3]], ['full', '1:2 2:1 5:1 7:1 8:2 9:2 10:2 11:2 12:2 holes:8 / 1:2 5:1 6:2 7:2 8:2 9:2 11:2 12:2', [4, 1]]],
};

export class Rules {
  constructor(app) {
    this.app = app;
    this.board = new Board({});
    this.step = 0;
  }

  async open(game) {
    const { info } = this.app.engine;
    this.games = [...info.matches, ...info.games.filter((name) => !info.matches.includes(name)), ...info.many.map((each) => each.game)];
    this.game = this.games.includes(game) ? game : 'backgammon';
    if (!info.matches.includes(this.game)) this.tables = await import('./old.js');
    if (!this.closed) this.settled();
  }

  close() { this.closed = true; }

  settled() {
    this.board.mirror(memory.get('home', 'right') === 'left');
    this.show();
  }

  show() {
    const { info } = this.app.engine, { game } = this, old = !info.matches.includes(game);
    const choose = select(t('variant'), this.games.map((name) => [name, nameOf(name)]), game, (name) => this.app.go(`rules/${name}`));
    const play = h('a', { class: 'button primary', href: `#/${old ? 'tables' : 'play'}` }, t('play'));
    if (game !== 'backgammon') {
      const round = info.many.find((each) => each.game === game);
      if (old) {
        const table = new (round ? this.tables.RoundTable : this.tables.PairTable)({ busy: true });
        replace(this.app.stage, table.board.element);
        table.preview({ game, seats: round?.seats, seat: 1 });
      } else this.draw({ board: STARTS[game] });
      replace(this.app.panel, h('h1', {}, nameOf(game)), choose, h('ul', { class: 'rules' }, t(`about_${game}`).split(/(?<=\.) /).map((rule) => h('li', {}, rule))), old ? this.museum() : h('p', { class: 'quiet' }, t('as_backgammon')), h('div', { class: 'row' }, play, button(t('print'), () => print(), { 'data-act': 'print' })));
      return;
    }
    const step = STEPS[this.step], to = (index) => { this.step = index; this.show(); announce(t(`rule_${STEPS[index].key}`)); };
    this.draw(step);
    replace(this.app.panel, h('h1', {}, t('rules')), choose,
      h('section', { class: 'rule' }, h('h2', {}, `${this.step + 1}. ${t(`rule_${step.key}`)}`), h('p', {}, t(`rule_${step.key}_text`))),
      h('div', { class: 'row nav' }, button('‹', () => to(this.step - 1), { disabled: this.step === 0, 'aria-label': t('previous') }), h('span', {}, `${this.step + 1} / ${STEPS.length}`),
        button('›', () => to(this.step + 1), { disabled: this.step === STEPS.length - 1, 'aria-label': t('next'), 'data-act': 'next' }), play),
      h('ol', { class: 'turns' }, STEPS.map(({ key }, index) => h('li', { class: index === this.step ? 'here' : '' }, h('button', { type: 'button', onclick: () => to(index) }, `${index + 1}. ${t(`rule_${key}`)}`)))));
  }

  // Where an old game comes from, and what decides it.
  museum() {
    const { game } = this;
    const cases = (CASES[game] ?? []).map(([name, position, dice]) => {
      const words = t(`case_${game}_${name}`), picture = h('img', { alt: words });
      this.app.engine.ask('convert', { game, position, dice, to: 'svg' }).then((answer) => { picture.src = `data:image/svg+xml,${encodeURIComponent(answer.position.replace(/>([^<]+)</g, (_, words) => `>${say(words)}<`))}`; }, () => picture.remove());
      return h('figure', { class: 'special' }, picture, h('figcaption', {}, words));
    });
    return h('section', { class: 'card' }, ...cases, h('h2', {}, t('past')), h('p', {}, t(`past_${game}`)), h('h2', {}, t('decides')), h('p', {}, t(`decides_${game}`)), game === 'todas-tablas' ? null : h('p', { class: 'quiet' }, t('by_own_games')));
  }

  draw({ board, dice = [], arrows = [], cube = { value: 1, owner: 'center' }, offered, crawford, key }) {
    replace(this.app.stage, this.board.element);
    this.board.show({
      board, off: off(board, this.game === 'hypergammon' ? 3 : 15).map((count) => Math.max(count, 0)), dice: (dice[0] === dice[1] ? [...dice, ...dice] : dice).map((die) => ({ die, used: false })), roller: 'own',
      cube: offered ? { ...cube, value: 1 } : cube, offered, crawford, arrows: [{ steps: arrows, kind: 'best' }], label: key ? t(`rule_${key}`) : t('board'),
    });
  }

  key(key) {
    const by = { arrowright: 1, arrowleft: -1 }[key];
    if (!by || this.game !== 'backgammon') return false;
    this.step = Math.min(Math.max(this.step + by, 0), STEPS.length - 1);
    this.show();
    return true;
  }
}
