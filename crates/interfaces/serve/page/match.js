// Matches: those that were played or opened, and one of them with its decisions, the curve of chances
// and the errors, each of which can be tried again.

import { announce, ask, button, choice, glyph, group, h, renew, replace, s, save, select, share, toast } from './dom.js';
import * as figures from './figures.js';
import * as history from './history.js';
import { graph } from './moves.js';
import { Mine, removedName } from './mine.js';
import { STARTS, flip, moved, off, parse, pips, steps } from './position.js';
import { UNREADABLE } from './rater.js';
import { headline, stored, summary, verifier, worst } from './result.js';
import { elsewhere } from './scores.js';
import { Mover, seat } from './table.js';
import { equity, number, percent, t } from './texts.js';
import './texts-later.js';
import { action as say } from './words.js';

const { grade, isError, lossOf } = figures;
// How deep a review looks, one after the other; then it rolls out what is close.
const PLIES = [0, 2];
// Plays that are less apart, and errors that are smaller, are close.
const CLOSE = 0.03, DOUBTFUL = 0.16;
// What is better than this is taken as right.
const RIGHT = 0.005;

export class Matches {
  constructor(app) {
    this.app = app;
    this.engine = app.engine;
    this.busy = false;
    // The boards of the worst errors, each made once.
    this.small = {};
    this.mover = new Mover(this);
    this.board = this.mover.board;
    this.top = h('div', { class: 'seat-box' });
    this.bottom = h('div', { class: 'seat-box' });
    // A finger that sweeps over the board turns the leaves.
    let began = null;
    const { svg } = this.board;
    svg.addEventListener('touchstart', ({ touches: [touch] }) => { began = this.trying ? null : touch.clientX; }, { passive: true });
    svg.addEventListener('touchend', ({ changedTouches: [touch] }) => {
      const way = began === null ? 0 : touch.clientX - began;
      if (this.decisions && Math.abs(way) > 50) this.to(this.at + (way < 0 ? 1 : -1));
    });
    this.curve = h('div', { class: 'curve' });
    this.deeper = h('div', { class: 'deeper' });
  }

  async open(what) {
    replace(this.app.stage, this.top, this.board.element, this.bottom, this.curve);
    replace(this.board.over);
    this.board.show({ board: STARTS.backgammon, off: [0, 0], cube: { value: 1, owner: 'center' }, flat: Boolean(what) });
    const [name, at, again] = what.split('/');
    this.id = await this.shared(name);
    if (this.closed) return;
    const { id } = this;
    const kept = id ? history.file(id) : undefined;
    // A review begins with its result.
    this.overview = at === undefined;
    if (kept) await this.read(history.bytesOf(kept), Number(at ?? 0), again === 'again');
    else this.ask(id === null ? t('bad_link') : id ? t('not_here') : null);
  }

  // The name of a match here; one that a link has is kept first. `null` for a link that can't be read.
  async shared(name) {
    try {
      const bytes = await history.unpack(name);
      if (!bytes) return name;
      const id = history.keepFile(bytes, t('shared'));
      this.app.go(`match/${id}`, { silent: true });
      return id;
    } catch { return null; }
  }

  // Hands a whole match on: as a link that has all of it, or as a file where that is too long.
  async hand(id) {
    const bytes = history.bytesOf(history.file(id)), packed = await history.pack(bytes);
    if (packed.length <= history.LONGEST) { await share(`${location.href.split('#')[0]}#/match/${packed}`, t('copied')); return; }
    const file = new File([bytes], 'match.mat', { type: 'text/plain' }), may = navigator.canShare?.({ files: [file] });
    const way = await ask([h('h2', {}, t('share_match')), h('p', {}, t('link_too_long', number(packed.length), number(history.LONGEST)))], [['', t('close')], ...may ? [['share', t('share')]] : [], ['save', t('download')]]);
    if (way === 'share') await navigator.share({ files: [file] }).catch(() => {});
    if (way === 'save') save(bytes, file.name);
  }

  // A button that does.
  hander(id, text, attributes) {
    return button(text, () => this.hand(id).catch((error) => this.app.fail(error)), { title: t('share_match'), 'data-act': 'share-match', ...attributes });
  }

  // Another decision of the match that is shown.
  turn(what) {
    const [id, at, again] = what.split('/');
    if (!this.decisions || id !== this.id) return null;
    if (at === undefined) { Object.assign(this, { at: 0, trying: null, overview: true }); this.show(); return Promise.resolve(); }
    this.to(Number(at));
    return again === 'again' ? this.tryAgain(true) : Promise.resolve();
  }

  close() { this.closed = true; this.stop?.abort(); }
  // Whether others may be looked at meanwhile.
  get idle() { return !this.id; }
  // Another network answers: the match is looked at anew.
  renewed() {
    if (!this.decisions || this.trying) return;
    this.stop?.abort();
    this.read(history.bytesOf(history.file(this.id)), this.at, false).catch((error) => this.app.fail(error));
  }

  settled() { this.mover.settled(); if (this.decisions) this.show(); else this.list?.show(); }

  // The matches of this device; `problem` is said above them.
  ask(problem) {
    Object.assign(this, { decisions: null, id: null });
    this.list = new Mine(this.app, [this.top, this.board.element, this.bottom, this.curve]);
    this.list.hander = (...all) => this.hander(...all);
    this.list.open(problem);
    replace(this.curve);
    this.app.rater.run();
  }

  // What is kept has changed.
  kept() { if (!this.decisions) this.list?.again(); }

  // Analyses the file, deeper and deeper while one reads.
  async read(bytes, at, again) {
    const bar = h('progress', { max: 1, value: 0 });
    const words = h('p', { class: 'quiet' }, t('loading'));
    // What was pasted or dropped is read already.
    const begun = this.app.begun?.id === this.id ? this.app.begun : null;
    this.app.begun = null;
    this.text = history.file(this.id);
    this.list = null;
    const stop = this.stop = begun?.stop ?? new AbortController();
    // What comes has its room before it is there.
    if (!this.overview) replace(this.curve, h('div', { class: 'curve-head' }, h('span', {}, '\u00a0')), h('div', { class: 'curve-room' }));
    replace(this.app.panel, h('h1', { class: this.overview ? 'coming' : '' }, t('match')), words, bar, button(t('stop'), () => stop.abort()));
    for (const ply of PLIES) {
      const progress = ({ done, total }) => {
        if (this.closed) return;
        bar.max = total; bar.value = done; words.textContent = t('analyzing', number(done), number(total));
        if (ply) replace(this.deeper, h('p', { class: 'quiet' }, `${t('ply', ply)}: ${t('analyzing', number(done), number(total))}`));
      };
      try {
        if (!ply && begun) begun.progress = progress;
        const answer = await (!ply && begun?.answer || this.engine.analyze(bytes, ply, { progress, signal: stop.signal }));
        if (this.closed) return;
        // A reader has gone on to another match or leaf meanwhile.
        const index = this.analysis ? this.matches.indexOf(this.analysis) : Math.min(history.partOf(this.id), answer.matches.length - 1), here = this.analysis ? this.at : at;
        this.matches = answer.matches;
        history.rateAll(this.id, answer.matches, this.text);
        this.notes = answer.matches[0]?.notes ?? [];
        this.ply = ply;
        replace(this.deeper);
        this.choose(index, here);
        if (!ply && again) this.tryAgain(true);
      } catch (error) {
        // What is known already stays.
        replace(this.deeper);
        // A file that can't be read is not kept; one that nobody has read yet is.
        const wrong = UNREADABLE.includes(error.kind), known = history.find(this.id);
        if (!ply && !this.closed) { if (wrong && !known?.pr && known?.me === undefined) history.forget(this.id); this.app.go('match', { silent: true }); this.ask(); }
        if (this.closed || (ply && error.kind === 'canceled')) return;
        throw error;
      }
    }
    await this.rollOut(stop);
  }

  // Rolls out what is close: first what is looked at, then the worst.
  async rollOut({ signal }) {
    const close = ({ kind, plays, forced, close: near, loss, rolled }) => !rolled && !forced && (loss > 0.001 ? loss < DOUBTFUL : kind === 'checker' ? plays?.[1]?.loss < CLOSE : near);
    let done = 0, told = performance.now();
    for (;;) {
      const waiting = this.decisions.filter(close).sort((one, two) => two.loss - one.loss);
      const next = waiting.find((each) => each === this.decision) ?? waiting[0];
      if (!next) break;
      replace(this.deeper, h('p', { class: 'quiet' }, `${t('roll_out')}: ${t('analyzing', number(done), number(done + waiting.length))}`));
      const { analysis } = this, op = next.kind === 'checker' ? 'best' : 'cube';
      const answer = await this.engine.job({ op, position: next.position, level: 'roller', ...(op === 'best' ? { top: 500 } : {}) }, { signal }).catch((error) => { if (!signal.aborted) throw error; });
      if (this.closed || signal.aborted) return;
      done++;
      this.sharpen(next, answer, analysis.players[next.player - 1]);
      // What is looked at is told at once, the rest with it or every two seconds.
      if (next !== this.decision && waiting.length > 1 && performance.now() - told < 2000) continue;
      told = performance.now();
      history.rate(history.part(this.id, this.matches.indexOf(analysis)), analysis, this.text);
      if (analysis === this.analysis) this.refresh(this.decision, renew);
    }
    replace(this.deeper);
  }

  // Takes what a rollout says of a decision, into the figures of its player too.
  sharpen(decision, { plays, losses, ...actions }, player) {
    const { loss: before, interval: wide } = decision, half = ({ rollout }) => 1.96 * (rollout?.loss_se ?? 0);
    decision.rolled = true;
    if (plays) {
      const { board } = parse(decision.position), end = (play) => String(moved(board, steps(play))), made = end(decision.done);
      const index = plays.findIndex(({ play }) => end(play) === made), found = plays[index];
      if (!found) return;
      found.play = decision.done;
      Object.assign(decision, { plays: plays.slice(0, Math.max(decision.plays.length, index + 1)), loss: found.loss, best: plays[0].play, mwc: found.mwc ?? decision.mwc, why: [] });
      // The best play loses what another one may be better by.
      if (found.rollout) decision.interval = found.loss > 0 ? half(found) : Math.max(0, ...plays.slice(1).filter(({ rollout }) => rollout).map((play) => half(play) - play.loss));
    } else {
      const [[, no], [, yes]] = answers(decision), [lost, other] = [no, yes].includes(decision.done) ? (decision.kind === 'response' ? ['pass', 'take'] : ['no_double', 'double']).map((key) => losses[key]) : [];
      if (lost === undefined) return;
      decision.loss = decision.done === no ? lost : other;
      if (actions.rollout) decision.interval = decision.loss > 0 ? half(actions) : Math.max(0, half(actions) - Math.max(lost, other));
      Object.assign(decision.actions, actions);
      if ((decision.loss > 0) === (decision.best === decision.done)) decision.best = decision.done === no ? yes : no;
    }
    decision.chance = chance(decision);
    if (decision.counted_pr && player.pr !== null) {
      const share = (value) => 500 * value / player.pr_decisions;
      player.pr += share(decision.loss - before);
      player.pr_interval = Math.sqrt(Math.max(player.pr_interval ** 2 + share(decision.interval) ** 2 - share(wide) ** 2, 0));
    }
    for (const [key, is] of [['errors', (loss) => grade(loss) === 'error'], ['blunders', (loss) => grade(loss) === 'blunder']]) player[key] += is(decision.loss) - is(before);
  }

  // The figures anew, for one who reads on.
  refresh(decision, place = replace) {
    if (this.trying) return;
    const { panel } = this.app, all = () => [...panel.querySelectorAll('button, a, select, input, [tabindex]')];
    const held = all().indexOf(document.activeElement);
    if (decision === this.decision) this.show(place);
    else { this.drawCurve(place); this.side(place); }
    if (held >= 0 && !panel.contains(document.activeElement)) all()[held]?.focus({ preventScroll: true });
  }

  choose(index, at = 0) {
    this.analysis = this.matches[index];
    this.decisions = this.analysis.decisions;
    for (const decision of this.decisions) decision.chance = chance(decision);
    this.at = Math.min(at, Math.max(this.decisions.length - 1, 0));
    this.whose ??= history.find(this.id)?.me ?? null;
    this.id = history.part(this.id, index);
    this.refresh(this.decision);
  }

  get decision() { return this.decisions[this.at]; }

  // Leaves are turned without a trace; the way back leads over what was chosen.
  to(at, push = false) {
    this.at = Math.max(0, Math.min(at, this.decisions.length - 1));
    Object.assign(this, { trying: null, overview: false });
    this.app.go(`match/${this.id}/${this.at}`, { silent: true, push });
    this.show();
  }

  // The result of the match again.
  result() {
    Object.assign(this, { trying: null, overview: true });
    this.app.go(`match/${this.id}`, { silent: true, push: true });
    this.show();
    scrollTo(0, 0);
    this.app.panel.scrollTop = 0;
  }

  // The errors that are looked at, in the order of the match, each without its answer.
  drill() {
    const first = this.decisions.findIndex((each) => this.wrong(each) && (each.plays || each.actions));
    if (first < 0) { toast(t('no_errors')); return; }
    this.to(first, true);
    this.tryAgain(true).catch((error) => this.app.fail(error));
  }

  // Whether a decision is an error of one whose errors are looked at.
  wrong({ loss, player }) { return isError(loss) && (this.whose === null || player === this.whose + 1); }

  nextError(step = 1) {
    for (let at = this.at + step; at >= 0 && at < this.decisions.length; at += step) {
      if (this.wrong(this.decisions[at])) { this.to(at, true); return true; }
    }
    return false;
  }

  // The decision once more, without the answer. It is `known` as an error where a later look may find it smaller.
  async tryAgain(known = Boolean(this.trying)) {
    const { decision } = this, at = parse(decision.position);
    if ((!known && !isError(decision.loss)) || (!decision.plays && !decision.actions)) return;
    this.trying = { said: null };
    this.overview = false;
    this.mover.moves = null;
    this.show();
    if (decision.plays) {
      const plays = await this.asked('legal', { position: decision.position, dice: at.dice }, () => this.to(this.at));
      if (!plays) return;
      this.mover.begin(at.board, graph(at.board, at.dice, plays.map(({ play }) => play)), at.dice);
      this.show();
    }
  }

  // The plays that the engine names for the decision that is tried, or `null` where none is tried any
  // more. A deeper analysis that comes meanwhile has the same decision.
  async asked(operation, fields, failed = () => {}) {
    const { trying } = this, goesOn = () => !this.closed && this.trying === trying;
    try {
      const { plays } = await this.engine.ask(operation, fields);
      return goesOn() ? plays : null;
    } catch (error) {
      this.app.fail(error);
      if (goesOn()) failed();
      return null;
    }
  }

  changed() { this.show(); }
  render() { this.show(); }
  finish() { if (this.trying && this.mover.play) this.judge(this.mover.play); }

  // What a play or an action of the cube loses.
  async judge(chosen) {
    const { decision } = this, { board } = parse(decision.position);
    let loss = 0;
    if (decision.plays) {
      const end = (play) => String(moved(board, steps(play)));
      const same = ({ play }) => end(play) === end(chosen);
      const plays = decision.plays.some(same) ? decision.plays : await this.asked('best', { position: decision.position, ply: this.ply, top: 500 });
      if (!plays) return;
      loss = plays.find(same)?.loss ?? 0;
    } else if (chosen !== decision.best) ({ loss } = decision);
    this.mover.moves = null;
    this.trying = { said: loss <= RIGHT ? t('right_now') : t('still_loses', say(chosen), number(loss, 3)), loss, chosen };
    if (loss <= RIGHT) this.trying.done = true;
    announce(this.trying.said);
    this.show();
  }

  // `place` puts the parts where they belong: where the same is shown with other figures, what is the same stays.
  show(place) {
    const { decision, analysis, trying } = this;
    if (!decision) { replace(this.app.panel, h('h1', {}, t('match')), h('p', {}, this.notes.join('; ')), button(t('other_file'), () => this.app.go('match'))); return; }
    const asking = trying && !trying.said;
    const own = parse(decision.position);
    // The board of an error that is tried again is that of its player.
    const isFirst = decision.player === 1, near = trying ? decision.player - 1 : 0;
    const seen = near === decision.player - 1 ? own : flip(own);
    const side = near === decision.player - 1 ? 'own' : 'other';
    const done = decision.kind === 'checker' ? decision.done : '', moves = asking ? this.mover.moves : null;
    const arrows = [];
    if (!trying && done) {
      const worse = decision.loss > 0.001 && !decision.forced;
      if (worse) arrows.push({ steps: steps(done), kind: 'played', side });
      arrows.push({ steps: steps(worse ? decision.best : done), kind: 'best', side });
    } else if (trying?.said && done) arrows.push({ steps: steps(trying.chosen), kind: trying.done ? 'best' : 'played', side });
    const board = moves ? this.mover.now : seen.board;
    this.board.show({
      board, off: off(board).map((count) => Math.max(count, 0)), cube: seen.cube, crawford: seen.crawford, roller: side, arrows, movable: moves?.movable, whole: moves?.isWhole,
      dice: moves ? moves.dice : (own.dice ?? []).map((die) => ({ die, used: false })), offered: decision.kind === 'response', flat: !trying, turned: side === 'other', label: `${analysis.players[decision.player - 1].name}: ${asking ? t('your_turn') : say(decision.done)}`,
    });
    // Colors stay with their players.
    this.board.svg.classList.toggle('swapped', near === 1);
    for (const box of [this.top, this.bottom]) box.classList.toggle('swapped', near === 1);
    this.controls(asking);
    const count = pips(board);
    const needs = (index) => analysis.length > 0 ? Math.max(analysis.length - seen.score[index], 0) : 0;
    const chair = (index, side) => seat({ name: analysis.players[index ? 1 - near : near].name, pips: count[index], score: seen.score[index], away: needs(index), side, active: (index === 0) === (trying ? true : isFirst) });
    replace(this.top, chair(1, 'other'));
    replace(this.bottom, chair(0, 'own'));
    if (trying) replace(this.curve); else this.drawCurve(place);
    this.side(place);
    if (!trying) announce(`${analysis.players[decision.player - 1].name}: ${say(decision.done)}${isError(decision.loss) ? `, ${t('loses', number(decision.loss, 3))}` : ''}`);
  }

  controls(asking) {
    const { over } = this.board;
    over.className = `over ${this.decision.plays ? 'aside' : 'middle'} ${this.board.mirrored ? 'mirrored' : ''}`;
    const act = (key, chosen) => button(t(key), () => this.judge(chosen), { 'data-act': key });
    const { decision, mover } = this, [no, yes] = answers(decision);
    replace(over, !asking ? [] : decision.plays ? [mover.begun ? button(t('undo'), () => { mover.undo(); this.show(); }, { 'data-act': 'undo' }) : null, mover.play ? button(t('done'), () => this.finish(), { class: 'primary', 'data-act': 'done' }) : null]
      : [act(no[0], no[1]), act(yes[0], yes[1])]);
  }

  side(place = replace) {
    const { decision, analysis, decisions, trying } = this;
    const player = (each) => analysis.players[each.player - 1].name;
    const name = player(decision);
    const errors = decisions.map((each, index) => ({ ...each, index })).filter((each) => this.wrong(each)).sort((one, two) => two.loss - one.loss);
    const nav = h('div', { class: 'row nav', role: 'toolbar' },
      button('«', () => this.to(0), { 'aria-label': t('first') }), button('‹', () => this.to(this.at - 1), { 'aria-label': t('previous') }),
      h('span', {}, `${this.at + 1} / ${decisions.length}`),
      button('›', () => this.to(this.at + 1), { 'aria-label': t('next'), 'data-act': 'next' }), button('»', () => this.to(decisions.length - 1), { 'aria-label': t('last') }),
      button(t('next_error'), () => this.nextError(), { 'data-act': 'next-error' }));
    const again = (text) => button(glyph('again', text), () => this.tryAgain(), { 'data-act': 'again' });
    const eyebrow = h('p', { class: 'eyebrow' }, `${t('game_n', decision.game)} · ${name}`);
    if (trying) {
      replace(this.app.panel, h('header', { class: 'status' }, eyebrow, h('h1', {}, trying.said ?? t(decision.plays ? 'find_best' : 'find_action', parse(decision.position).dice?.join('-')))),
        h('div', { class: 'row' }, trying.said && !trying.done ? again(t('again')) : null, button(t('show_answer'), () => this.to(this.at), { 'data-act': 'answer' }),
          button(t('next_error'), () => { if (this.nextError()) this.tryAgain(); else toast(t('no_more_errors')); }, { class: trying.done ? 'primary' : '', 'data-act': 'next-error' })));
      return;
    }
    const { overview } = this, pick = (play) => this.board.arrows([{ steps: steps(play.play), kind: 'best', side: decision.player === 1 ? 'own' : 'other' }]);
    const figure = decision.actions ? cubeTable(decision) : decision.plays?.length ? figures.plays(decision.plays.map((play) => ({ ...play })), { pick, played: decision.done }) : null;
    const several = this.matches.length > 1 ? select(t('match'), this.matches.map((each, index) => [index, `${each.players[0].name} – ${each.players[1].name}`]), this.matches.indexOf(analysis), (index) => this.choose(Number(index))) : null;
    const notes = this.notes.length ? h('details', { class: 'notes', open: this.at === 0 }, h('summary', {}, `${t('notes_on_file')} (${this.notes.length})`), this.notes.map((note) => h('p', { class: 'problem' }, note))) : null;
    this.log ??= h('section', { class: 'log' }, h('h2', {}, t('game_log')));
    replace(this.log, this.log.firstChild, this.told = figures.moves(this.turns(), 2, this.told));
    const list = [h('h2', {}, t('errors')), choice(t('errors_of'), 'whose', [[null, t('both')], ...analysis.players.map((player, index) => [index, player.name])], this.whose, (whose) => { this.whose = whose; this.side(); }),
      errors.length ? h('ol', { class: 'errors' }, errors.slice(0, 30).map((each) => h('li', {}, h('button', { type: 'button', class: grade(each.loss), 'data-at': each.index, onclick: () => this.to(each.index, true) },
        h('span', {}, player(each)), h('span', { class: 'name' }, `${say(each.done)} → ${say(each.best)}`), h('b', {}, `−${lossOf(each)}`))))) : h('p', { class: 'quiet' }, t('no_errors'))];
    const take = group(t('group_take'), this.hander(this.id, glyph('share', t('share_match'))), button(glyph('save', t('download')), () => save(history.bytesOf(history.file(this.id)), 'match.mat'), { 'data-act': 'download' }), button(t('other_file'), () => this.app.go('match')));
    this.verifying ??= verifier(this);
    if (overview) {
      place(this.app.panel, several, headline(this), this.asks(), summary(this), errors.length ? button(t('through_errors'), () => this.drill(), { class: 'primary wide', 'data-act': 'drill-errors' }) : null, worst(this, errors), this.deeper, notes, list, nav, this.log, take, this.verifying);
      return;
    }
    place(this.app.panel, several,
      h('header', { class: 'status' }, eyebrow, h('h1', {}, say(decision.done)),
        h('p', { class: `mark ${grade(decision.loss)}` }, decision.loss > 0.001 ? `${t('loses', lossOf(decision))} · ${t('best')}: ${say(decision.best)}` : decision.forced ? '' : t('best')),
        stored(decision).map(({ engine, equity: value, loss }) => h('p', { class: 'quiet', 'data-engine': engine }, t('engine_says', engine, equity(value), loss > 0.0005 ? `−${number(loss, 3)}` : t('best'))))),
      notes, nav, h('div', { class: 'row' }, isError(decision.loss) ? [again(t('try_again')), this.keeper(), button(glyph('share', t('share')), () => share(`${location.href.split('#')[0]}#/analyze/${decision.position}`, t('copied')).catch((error) => this.app.fail(error)), { 'data-act': 'share' })] : null, button(glyph('table', t('result')), () => this.result(), { 'data-act': 'result' })), this.deeper,
      figure, ...(decision.why ?? []).map((sentence) => h('p', { class: 'quiet', lang: 'en' }, sentence)), decision.plays?.length || decision.actions ? figures.chances(decision.actions?.probs ?? (decision.plays.find((play) => play.play === decision.done) ?? decision.plays[0]).probs, { title: chanceOf('winning_chance', name) }) : null,
      group(t('group_try'), h('a', { class: 'button', href: `#/analyze/${decision.position}` }, glyph('search', t('analyze'))), ['checker', 'double'].includes(decision.kind) ? h('a', { class: 'button', href: `#/play/from/${decision.position}`, 'data-act': 'play-on' }, glyph('play', t('play_on'))) : null), elsewhere(decision.position, (to) => this.app.go(`analyze/${to}`)), this.log, summary(this), list);
  }

  // Which of the players the user is, where that is not known.
  asks() {
    const { me, level } = history.find(this.id) ?? {};
    if (me !== undefined || level) return null;
    const chosen = (what) => { what(); this.whose = history.find(this.id)?.me ?? null; this.side(); this.app.panel.focus({ preventScroll: true }); };
    return h('section', { class: 'card asks' }, h('h2', {}, t('which_one')), h('div', { class: 'row' }, this.analysis.players.map(({ name }) => button(name, () => chosen(() => history.claim(name)), { 'data-name': name })),
      button(t('nobody_of_them'), () => chosen(() => history.keep({ id: this.id, me: null })), { class: 'plain', 'data-act': 'nobody' })));
  }

  // Keeps an error as a card, to be tried again another day.
  keeper() {
    const { id, at, decision } = this, now = () => ({ id, at, position: decision.position, done: decision.done, loss: decision.loss }), kept = history.hasCard(now());
    const turn = () => {
      const card = now(), gone = history.turnCard(card);
      this.side();
      if (gone) toast(t('was_removed', removedName({ ...card, name: gone })), [t('put_back'), () => { history.putBack(gone); if (!this.closed && this.decisions) this.side(); else this.app.view.kept?.(); }]);
    };
    return button(t(kept ? 'kept' : 'keep'), turn, { class: kept ? 'on' : '', 'aria-pressed': String(kept), 'data-act': 'keep' });
  }

  // Every turn of the match; a double that was rightly not made is none.
  turns() {
    const { decisions, analysis, at } = this;
    const shown = decisions.map((each, index) => ({ each, index })).filter(({ each }) => each.kind !== 'double' || !each.done.startsWith('no ') || isError(each.loss));
    const here = shown.find(({ index }) => index >= at);
    return shown.map(({ each, index }, nth) => {
      const { dice } = parse(each.position);
      return {
        side: each.player === 1 ? 'own' : 'other', name: analysis.players[each.player - 1].name, loss: each.loss, here: here?.index === index, go: () => this.to(index, true),
        text: `${each.kind === 'checker' && dice ? `${dice.join('')}: ` : ''}${say(each.done)}`, head: each.game !== shown[nth - 1]?.each.game ? t('game_n', each.game) : null,
      };
    });
  }

  // The chances of the first player over the match; a click goes there.
  drawCurve(place = replace) {
    const { decisions, analysis } = this;
    const W = 1000, H = 120;
    const x = (index) => decisions.length < 2 ? W / 2 : index * W / (decisions.length - 1);
    const y = (value) => H - value * H;
    const line = decisions.map((each, index) => `${index ? 'L' : 'M'}${x(index).toFixed(1)} ${y(each.chance).toFixed(1)}`).join('');
    const marks = decisions.map((each, index) => isError(each.loss) ? s('path', { class: `mark ${grade(each.loss)}`, d: `M${x(index)} ${y(each.chance)}h0` }, s('title', {}, `${say(each.done)}: −${number(each.loss, 3)}`)) : null).filter(Boolean);
    const games = decisions.map((each, index) => index && each.game !== decisions[index - 1].game ? s('line', { class: 'game', x1: x(index), x2: x(index), y1: 0, y2: H }) : null).filter(Boolean);
    const title = chanceOf(analysis.length > 0 ? 'match_chance' : 'winning_chance', analysis.players[0].name);
    const svg = s('svg', { viewBox: `-8 -8 ${W + 16} ${H + 16}`, preserveAspectRatio: 'none', role: 'slider', tabindex: 0, 'aria-label': title, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': Math.round(100 * this.decision.chance),
      onclick: (event) => { const box = svg.getBoundingClientRect(); this.to(Math.round(((event.clientX - box.left) / box.width * (W + 16) - 8) / W * (decisions.length - 1)), true); } },
    s('path', { class: 'area', d: `${line}L${W} ${H}L0 ${H}z` }), s('line', { class: 'half', x1: 0, x2: W, y1: H / 2, y2: H / 2 }), ...games, s('path', { class: 'line', d: line }), ...marks,
    s('line', { class: 'here', x1: x(this.at), x2: x(this.at), y1: -6, y2: H + 6 }));
    place(this.curve, h('div', { class: 'curve-head' }, h('span', {}, title), h('b', {}, percent(this.decision.chance))), svg);
  }

  key(key) {
    if (!this.decisions) return false;
    const acts = {
      arrowright: () => this.to(this.at + 1), arrowleft: () => this.to(this.at - 1), home: () => this.to(0), end: () => this.to(this.decisions.length - 1), n: () => this.nextError(), p: () => this.nextError(-1), e: () => this.nextError(),
      ...(this.trying ? { ' ': () => this.finish(), u: () => { this.mover.undo(); this.show(); } } : { r: () => this.tryAgain() }),
    };
    if (!acts[key]) return false;
    acts[key]();
    return true;
  }
}

// Whose chance is shown.
const chanceOf = (key, name) => name === t('you') ? t(`your_${key}`) : t(key, name);

// The chance of the first player to win the match, or the game where it is for money.
function chance(decision) {
  const made = decision.plays?.find((play) => play.play === decision.done) ?? decision.plays?.[0];
  const probs = decision.actions?.probs ?? made?.probs;
  // The figures of a response are those of the doubler, who is the opponent.
  const own = decision.mwc ?? (probs ? (decision.kind === 'response' ? 1 - probs[0] : probs[0]) : 0.5);
  return decision.player === 1 ? own : 1 - own;
}

// The two actions of a decision on the cube, as the page and as an analysis call them.
const answers = ({ kind, best }) => kind === 'response' ? [['drop', 'pass'], ['take', 'take']]
  : best?.includes('redouble') ? [['no_double', 'no redouble'], ['double', 'redouble']] : [['no_double', 'no double'], ['double', 'double']];

function cubeTable({ actions, best }) {
  const rows = [[t('no_double'), actions.no_double], [t('double_take'), actions.double_take], [t('double_pass'), actions.double_pass]];
  return h('div', { class: 'cube-figures' }, h('p', { class: 'verdict' }, say(best)),
    h('table', {}, h('tbody', {}, rows.map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, equity(value)))))));
}
