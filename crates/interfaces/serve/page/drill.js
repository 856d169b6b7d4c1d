// The daily drill: the user's own errors of all matches as questions, each of which comes back when it is due.

import * as cards from './deck.js';
import { announce, button, choice, h, memory, replace, save, select } from './dom.js';
import * as figures from './figures.js';
import * as history from './history.js';
import { graph } from './moves.js';
import { moved, off, parse, pips, steps } from './position.js';
import { Mover, seat } from './table.js';
import { themes } from './themes.js';
import { number, pointsOf, t } from './texts.js';
import './texts-later.js';
import { action as say } from './words.js';

// Answers that are offered where nothing is moved.
const CHOICES = 4;
const PLY = 2;

const endOf = (position, play) => String(moved(parse(position).board, steps(play)));
// The actions that a question on the cube has, as an analysis calls them, with the texts of their buttons.
const actions = ({ position, kind, best = '' }) => kind === 'response' || parse(position).offered ? [['drop', 'pass'], ['take', 'take']]
  : best.includes('redouble') ? [['no_double', 'no redouble'], ['double', 'redouble']] : [['no_double', 'no double'], ['double', 'double']];

export class Drill {
  constructor(app) {
    this.app = app;
    this.engine = app.engine;
    this.busy = false;
    this.long = true;
    this.mover = new Mover(this);
    this.board = this.mover.board;
    this.top = h('div', { class: 'seat-box' });
    this.bottom = h('div', { class: 'seat-box' });
    this.session = { count: 0, right: 0 };
  }

  async open(theme) {
    this.theme = theme || 'all';
    this.app.stage.classList.add('long');
    replace(this.app.stage, this.top, this.board.element, this.bottom);
    scrollTo(0, 0);
    await this.next();
  }

  close() { this.closed = true; this.app.stage.classList.remove('long'); }
  get idle() { return true; }
  settled() { this.mover.settled(); this.show(); }
  // Errors of more matches are known.
  kept() { if (!this.card) this.next(); }

  get fits() { return this.theme === 'all' ? () => true : (card) => themes(card).includes(this.theme); }

  // The next question that is due, or, once none is, one `ahead` of its day.
  async next(ahead = false) {
    this.all = cards.deck();
    const last = this.card, fitting = this.all.filter(this.fits), waiting = cards.due(fitting);
    const queue = waiting.length ? waiting : ahead ? fitting.sort((one, two) => one.memory.due.localeCompare(two.memory.due)) : [];
    // What was just wrong comes back after the others.
    this.card = queue.find(({ position }) => position !== last?.position) ?? queue[0] ?? null;
    Object.assign(this, { answer: null, doubled: null, ahead });
    this.mover.moves = null;
    this.show();
    if (this.card) await this.ask();
  }

  get isPlay() { return Boolean(this.card && parse(this.card.position).dice); }
  get chooses() { return memory.get('drillChoices', false) || this.unplayable === this.card; }

  // Lets checkers be moved; where the engine does not answer, answers are chosen.
  async ask() {
    const { card } = this, here = () => !this.closed && card === this.card && !this.answer;
    announce(this.question());
    if (!this.isPlay) return;
    const { board, dice } = parse(card.position);
    try {
      if (!card.choices) card.choices = (await this.engine.ask('best', { position: card.position, ply: 0, top: 5 })).plays.map(({ play, loss }) => [play, loss]);
      if (here() && !this.chooses) {
        const { plays } = await this.engine.ask('legal', { position: card.position, dice });
        if (here() && !this.chooses) this.mover.begin(board, graph(board, dice, plays.map(({ play }) => play)), dice);
      }
    } catch (error) {
      if (!here()) return;
      if (card.choices) this.unplayable = card; else this.app.fail(error);
    }
    if (here()) this.show();
  }

  changed() { this.show(); }
  render() { this.show(); }
  finish() { if (this.card && !this.answer && this.mover.play) this.judge(this.mover.play); }

  // What an answer loses: as the analysis of the match knows it, else as the engine says now.
  async judge(chosen) {
    const { card, doubled } = this;
    if (this.busy || this.answer) return;
    this.busy = true;
    try {
      const same = this.isPlay ? ([play]) => endOf(card.position, play) === endOf(card.position, chosen) : ([action]) => action === chosen;
      let known = (doubled ? card.then : card.choices)?.find(same);
      if (!known && this.isPlay) known = (await this.engine.ask('best', { position: card.position, ply: PLY, top: 500 })).plays.map(({ play, loss }) => [play, loss]).find(same);
      else if (!known) {
        const { losses } = await this.engine.ask('cube', { position: card.position, ply: PLY });
        card.choices = actions(card).map(([key, action]) => [action, losses[key === 'drop' ? 'pass' : key]]);
        known = card.choices.find(same);
      }
      if (this.closed || card !== this.card) return;
      const own = Math.max(known?.[1] ?? 0, 0);
      // The answer of a double is asked for before anything is told.
      if (card.then && !doubled) { this.doubled = { chosen, loss: own }; announce(this.question()); this.show(); return; }
      const loss = own + (doubled?.loss ?? 0), memory = cards.answered(card, loss);
      card.memory = memory;
      this.answer = { chosen, loss, memory, good: cards.isGood(loss), parts: doubled ? [doubled, { chosen, loss: own }] : [{ chosen, loss }] };
      this.session = { count: this.session.count + 1, right: this.session.right + Number(this.answer.good) };
      this.mover.moves = null;
      announce(this.verdict());
    } catch (error) { this.app.fail(error); } finally { this.busy = false; }
    if (!this.closed) this.show();
  }

  question() {
    const { card } = this, { dice } = parse(card.position);
    return dice ? t('find_best', dice.join('-')) : t(this.doubled ? 'and_then' : actions(card)[0][0] === 'drop' ? 'take_or_pass' : 'double_or_roll');
  }

  verdict() {
    const { good, parts } = this.answer;
    return good ? t('right_now') : parts.filter(({ loss }) => loss > 0.0005).map(({ chosen, loss }) => t('still_loses', say(chosen), number(loss, 3))).join('; ');
  }

  show() {
    const { card, answer, mover } = this;
    const position = parse(card?.position ?? 'XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10'), board = mover.moves ? mover.now : position.board, { moves } = mover;
    const [best] = card?.choices?.filter(([, loss]) => loss <= 0.0005).map(([play]) => play) ?? [];
    const arrows = answer && this.isPlay ? [...answer.loss > 0.001 ? [{ steps: steps(answer.chosen), kind: 'played' }] : [], ...best ?? card.best ? [{ steps: steps(card.best ?? best), kind: 'best' }] : []] : [];
    this.board.show({
      board, off: off(board).map((count) => Math.max(count, 0)), cube: position.cube, crawford: position.crawford, roller: 'own', arrows, movable: moves?.movable, whole: moves?.isWhole,
      dice: moves?.dice ?? (position.dice ?? []).map((die) => ({ die, used: false })), offered: position.offered || Boolean(this.doubled), label: card ? this.question() : t('board'), result: answer,
    });
    const count = pips(board), needs = (side) => position.length ? Math.max(position.length - position.score[side], 0) : 0, names = card?.match ? [card.match.names[card.match.me], card.match.names[1 - card.match.me]] : [t('you'), t('opponent')];
    replace(this.top, card ? seat({ name: names[1], pips: count[1], score: position.score[1], away: needs(1), side: 'other' }) : null);
    replace(this.bottom, card ? seat({ name: names[0], pips: count[0], score: position.score[0], away: needs(0), side: 'own', active: true }) : null);
    this.controls();
    this.side();
  }

  controls() {
    const { over } = this.board, { card, answer, mover } = this;
    over.className = `over ${this.isPlay ? 'aside' : 'middle'} ${this.board.mirrored ? 'mirrored' : ''}`;
    replace(over, !card ? null : answer ? button(t('next_question'), () => this.next(this.ahead), { class: 'primary', 'data-act': 'next' })
      : this.isPlay ? [mover.begun ? button(t('undo'), () => { mover.undo(); this.show(); }, { 'data-act': 'undo' }) : null, mover.play ? button(t('done'), () => this.finish(), { class: 'primary', 'data-act': 'done' }) : null]
        : (this.doubled ? [['drop', 'pass'], ['take', 'take']] : actions(card)).map(([key, action]) => button(t(key), () => this.judge(action), { 'data-act': key })));
  }

  side() {
    const { card, answer, all, session } = this, { today, row } = cards.streak(), waiting = cards.due(all.filter(this.fits)).length;
    const counts = new Map();
    for (const each of cards.due(all)) for (const theme of themes(each)) counts.set(theme, (counts.get(theme) ?? 0) + 1);
    for (const each of all) for (const theme of themes(each)) if (!counts.has(theme)) counts.set(theme, 0);
    const named = [...counts].sort(([one, a], [two, b]) => b - a || one.localeCompare(two)).map(([theme, count]) => [theme, `${t(theme)} (${number(count)})`]);
    const facts = [[t('due'), number(waiting)], [t('done_today'), number(today)], [t('days_in_row'), number(row)]];
    replace(this.app.panel, h('header', { class: `status ${card ? '' : 'waits'}` }, h('p', { class: 'eyebrow' }, `${t('drill')}${session.count ? ` · ${t('so_far', number(session.right), number(session.count))}` : ''}`),
      h('h1', {}, !card ? t(all.length ? 'nothing_due' : 'no_questions') : answer ? this.verdict() : this.question())),
    card ? (answer ? this.told() : this.choices()) : this.empty(),
    h('dl', { class: 'facts thirds' }, facts.map(([word, value]) => h('div', {}, h('dt', {}, word), h('dd', {}, value)))),
    named.length ? select(t('theme_of'), [['all', t('all_themes')], ...named], this.theme, (theme) => this.app.go(theme === 'all' ? 'drill' : `drill/${theme}`)) : null,
    all.length ? choice(t('answer_by'), 'answer-by', [[false, t('by_hand')], [true, t('by_choice')]], memory.get('drillChoices', false), (on) => { memory.set('drillChoices', on); this.mover.moves = null; this.show(); if (this.card && !this.answer) this.ask(); }) : null,
    this.progress(named), all.length ? h('div', { class: 'row' }, button(t('save_deck'), () => save(cards.written(), 'quiz.json', 'application/json'), { 'data-act': 'deck', title: t('save_deck_lead') })) : null);
  }

  // Answers to choose from: the best, what was played, and the next ones.
  choices() {
    const { card } = this;
    if (!this.isPlay || !this.chooses || !card.choices) return this.isPlay && !this.chooses ? h('p', { class: 'quiet' }, t('drill_help')) : null;
    const list = card.choices.slice(0, CHOICES);
    if (card.done && !list.some(([play]) => play === card.done)) list.splice(-1, 1, ...card.choices.filter(([play]) => play === card.done));
    // In an order that tells nothing, and stays.
    return h('ol', { class: 'answers' }, list.sort(([one], [two]) => one < two ? -1 : 1).map(([play]) => h('li', {}, button(say(play), () => this.judge(play), {
      class: 'wide', 'data-answer': play, onpointerenter: () => this.board.arrows([{ steps: steps(play), kind: 'other' }]), onfocus: () => this.board.arrows([{ steps: steps(play), kind: 'other' }]),
    }))));
  }

  // What is best, what was done then, and when the question comes back.
  told() {
    const { card, answer } = this, { match } = card, days = Math.round((Date.parse(answer.memory.due) - Date.parse(cards.today())) / 86_400_000);
    const list = [card.choices ?? [], card.then ?? []].flatMap((part) => [...part].sort(([, one], [, two]) => one - two));
    return [h('p', { class: 'quiet' }, days > 1 ? t('comes_back', number(days)) : t(days ? 'comes_tomorrow' : 'comes_again')),
      list.length ? h('table', { class: 'summary' }, h('tbody', {}, list.map(([name, loss]) => h('tr', { class: loss <= 0.0005 ? 'right' : '' }, h('th', { scope: 'row' }, say(name), name === card.done ? h('small', {}, ` · ${t('done_then')}`) : null), h('td', { class: figures.grade(loss) }, loss <= 0.0005 ? t('best') : `−${number(loss, 3)}`))))) : null,
      match ? h('p', { class: 'quiet' }, [match.names[1 - match.me], match.event, match.length ? pointsOf(match.length) : t('money'), new Date(match.date).toLocaleDateString(document.documentElement.lang), t('game_n', card.game)].filter(Boolean).join(' · ')) : card.source ? h('p', { class: 'quiet' }, card.source) : null,
      h('p', { class: 'quiet' }, themes(card).map((theme) => t(theme)).join(' · ')),
      h('div', { class: 'row' }, card.id && history.hasFile(card.id) ? h('a', { class: 'button', href: `#/match/${card.id}/${card.at}` }, t('see_match')) : null, h('a', { class: 'button', href: `#/analyze/${card.position}` }, t('analyze')))];
  }

  // Why there is no question, and what can be done.
  empty() {
    const ahead = this.all.filter(this.fits).filter(({ memory: kept }) => kept).map(({ memory: kept }) => kept.due).sort()[0];
    return this.all.length ? [ahead ? h('p', { class: 'quiet' }, t('next_due', new Date(ahead).toLocaleDateString(document.documentElement.lang))) : null, ahead ? button(t('ahead'), () => this.next(true), { 'data-act': 'ahead' }) : null]
      : [h('p', {}, t('no_questions_lead', number(history.LEAST, 2))), h('a', { class: 'button primary wide', href: '#/match' }, t('match'))];
  }

  // Whether it helps: errors of each kind in matches before it was practised, and since.
  progress(named) {
    const rows = named.map(([theme]) => [theme, cards.helped(theme, this.all)]).filter(([, told]) => told);
    return rows.length ? h('details', { class: 'helped' }, h('summary', {}, t('helped')), h('table', { class: 'summary' }, h('thead', {}, h('tr', {}, h('td'), ['before', 'since'].map((key) => h('th', { scope: 'col' }, t(key))))),
      h('tbody', {}, rows.map(([theme, sides]) => h('tr', {}, h('th', { scope: 'row' }, t(theme)), sides.map(([matches, mean]) => h('td', {}, `${number(mean, 2)} (${number(matches)})`))))))) : null;
  }

  key(key) {
    if (!this.card) return false;
    const acts = { ' ': () => this.answer ? this.next(this.ahead) : this.finish(), n: () => this.answer && this.next(this.ahead), u: () => { this.mover.undo(); this.show(); } };
    if (!acts[key]) return false;
    acts[key]();
    return true;
  }
}
