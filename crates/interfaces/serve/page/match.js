// A match file: its decisions one by one, the curve of chances, the errors.

import { Board } from './board.js';
import { announce, button, h, memory, replace, s, select } from './dom.js';
import * as figures from './figures.js';
import { seat } from './table.js';
import { flip, off, parse, pips, steps } from './position.js';
import { equity, number, percent, t } from './texts.js';

const ERROR = 0.02, BLUNDER = 0.08;
const grade = (loss) => loss >= BLUNDER ? 'blunder' : loss >= ERROR ? 'error' : loss > 0.001 ? 'doubt' : 'good';

export class Matches {
  constructor(app) {
    this.app = app;
    this.engine = app.engine;
    this.board = new Board({});
    this.top = h('div', { class: 'seat-box' });
    this.bottom = h('div', { class: 'seat-box' });
    this.curve = h('div', { class: 'curve' });
  }

  async open(what) {
    this.board.mirror(memory.get('home', 'right') === 'left');
    replace(this.app.stage, this.top, this.board.element, this.bottom, this.curve);
    replace(this.board.over);
    const own = what.startsWith('own') ? memory.get('review') : null;
    if (own) await this.read(bytesOf(own), Number(what.split('/')[1] ?? 0));
    else this.ask();
  }

  close() { this.closed = true; this.stop?.abort(); }
  settled() { this.board.mirror(memory.get('home', 'right') === 'left'); if (this.decisions) this.show(); }

  // No file yet.
  ask() {
    this.board.show({ board: [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0], off: [0, 0], cube: { value: 1, owner: 'center' } });
    const take = (file) => { if (file) file.arrayBuffer().then((bytes) => { memory.set('review', kept(bytes)); return this.read(new Uint8Array(bytes)); }).catch((error) => this.app.fail(error)); };
    const input = h('input', { type: 'file', accept: '.mat,.txt,.sgf,.xg,.json,text/plain', class: 'sr', id: 'file', onchange: (event) => take(event.target.files[0]) });
    const zone = h('label', { class: 'drop-zone', for: 'file', ondragover: (event) => { event.preventDefault(); zone.classList.add('over-it'); }, ondragleave: () => zone.classList.remove('over-it'), ondrop: (event) => { event.preventDefault(); take(event.dataTransfer.files[0]); } },
      s('svg', { viewBox: '0 0 48 48', 'aria-hidden': 'true' }, s('path', { d: 'M24 32V12m-8 8 8-8 8 8M10 30v8h28v-8' })), h('strong', {}, t('open_file')), h('span', {}, t('open_lead')));
    replace(this.app.panel, h('h1', {}, t('match')), input, zone,
      memory.get('review') ? button(t('previous'), () => this.app.go('match/own'), { class: 'wide' }) : null);
    replace(this.curve);
  }

  async read(bytes, at = 0) {
    const bar = h('progress', { max: 1, value: 0 });
    const words = h('p', { class: 'quiet' }, t('loading'));
    const stop = this.stop = new AbortController();
    replace(this.app.panel, h('h1', {}, t('match')), words, bar, button(t('stop'), () => stop.abort()));
    const progress = ({ done, total }) => { bar.max = total; bar.value = done; words.textContent = t('analysing', number(done), number(total)); };
    try {
      const answer = await this.engine.analyse(bytes, memory.get('reviewPly', 0), { progress, signal: stop.signal });
      if (this.closed) return;
      this.matches = answer.matches;
      this.notes = answer.matches[0]?.notes ?? [];
      this.choose(0, at);
    } catch (error) {
      if (!this.closed) this.ask();
      throw error;
    }
  }

  choose(index, at = 0) {
    this.analysis = this.matches[index];
    this.decisions = this.analysis.decisions.map((decision) => ({ ...decision, chance: chance(decision) }));
    this.at = Math.min(at, Math.max(this.decisions.length - 1, 0));
    this.show();
  }

  get decision() { return this.decisions[this.at]; }

  to(at) {
    this.at = Math.max(0, Math.min(at, this.decisions.length - 1));
    this.app.go(`match/own/${this.at}`, { silent: true });
    this.show();
  }

  nextError(step = 1) {
    for (let at = this.at + step; at >= 0 && at < this.decisions.length; at += step) {
      if (this.decisions[at].loss >= ERROR) { this.to(at); return; }
    }
  }

  show() {
    const { decision, analysis } = this;
    if (!decision) { replace(this.app.panel, h('h1', {}, t('match')), h('p', {}, this.notes.join('; ')), button(t('other_file'), () => this.app.go('match'))); return; }
    const isFirst = decision.player === 1;
    const own = parse(decision.position);
    const seen = isFirst ? own : flip(own);
    const side = isFirst ? 'own' : 'other';
    const arrows = [];
    if (decision.kind === 'checker' && !decision.forced) {
      if (decision.loss > 0.001) arrows.push({ steps: steps(decision.done), kind: 'played', side });
      arrows.push({ steps: steps(decision.best), kind: 'best', side });
    } else if (decision.kind === 'checker') arrows.push({ steps: steps(decision.done), kind: 'best', side });
    this.board.show({
      board: seen.board, off: off(seen.board).map((count) => Math.max(count, 0)), cube: seen.cube, crawford: seen.crawford, roller: side, arrows,
      dice: (own.dice ?? []).map((die) => ({ die, used: false })), offered: decision.kind === 'response', label: `${analysis.players[decision.player - 1].name}: ${decision.done}`,
    });
    const [mine, theirs] = pips(seen.board);
    const needs = (index) => analysis.length > 0 ? Math.max(analysis.length - seen.score[index], 0) : 0;
    replace(this.top, seat({ name: analysis.players[1].name, pips: theirs, score: seen.score[1], away: needs(1), side: 'other', active: !isFirst }));
    replace(this.bottom, seat({ name: analysis.players[0].name, pips: mine, score: seen.score[0], away: needs(0), side: 'own', active: isFirst }));
    this.drawCurve();
    this.side();
    announce(`${analysis.players[decision.player - 1].name}: ${decision.done}${decision.loss >= ERROR ? `, ${t('loses', number(decision.loss, 3))}` : ''}`);
  }

  side() {
    const { decision, analysis, decisions } = this;
    const name = analysis.players[decision.player - 1].name;
    const errors = decisions.map((each, index) => ({ ...each, index })).filter((each) => each.loss >= ERROR).sort((one, two) => two.loss - one.loss);
    const nav = h('div', { class: 'row nav', role: 'toolbar' },
      button('«', () => this.to(0), { 'aria-label': t('first') }), button('‹', () => this.to(this.at - 1), { 'aria-label': t('previous') }),
      h('span', {}, `${this.at + 1} / ${decisions.length}`),
      button('›', () => this.to(this.at + 1), { 'aria-label': t('next'), 'data-act': 'next' }), button('»', () => this.to(decisions.length - 1), { 'aria-label': t('last') }),
      button(t('next_error'), () => this.nextError(), { 'data-act': 'next-error' }));
    const pick = (play) => this.board.arrows([{ steps: steps(play.play), kind: 'best', side: decision.player === 1 ? 'own' : 'other' }]);
    const figure = decision.actions ? cubeTable(decision) : decision.plays?.length ? figures.plays(decision.plays.map((play) => ({ ...play })), { pick, played: decision.done }) : null;
    replace(this.app.panel,
      this.matches.length > 1 ? select(t('match'), this.matches.map((each, index) => [index, `${each.players[0].name} – ${each.players[1].name}`]), this.matches.indexOf(analysis), (index) => this.choose(Number(index))) : null,
      h('header', { class: 'status' }, h('p', { class: 'eyebrow' }, `${t('game_n', decision.game)} · ${name}`), h('h1', {}, decision.done),
        h('p', { class: `mark ${grade(decision.loss)}` }, decision.loss > 0.001 ? `${t('loses', number(decision.loss, 3))} · ${t('best')}: ${decision.best}` : decision.forced ? '' : t('best'))),
      nav, figure, decision.plays?.length || decision.actions ? figures.chances(decision.actions?.probs ?? (decision.plays.find((play) => play.play === decision.done) ?? decision.plays[0]).probs, { title: t('winning_chance', name) }) : null,
      h('table', { class: 'summary' }, h('thead', {}, h('tr', {}, h('td'), analysis.players.map((player) => h('th', { scope: 'col' }, player.name)))),
        h('tbody', {}, [[t('pr'), (player) => player.pr === null ? '–' : number(player.pr, 1)], [t('error_rate'), (player) => `${player.errors} / ${player.blunders}`], [t('luck'), (player) => equity(player.luck_emg)]].map(([word, value]) =>
          h('tr', {}, h('th', { scope: 'row' }, word), analysis.players.map((player) => h('td', {}, value(player))))))),
      h('h2', {}, t('errors')),
      errors.length ? h('ol', { class: 'errors' }, errors.slice(0, 30).map((each) => h('li', {}, h('button', { type: 'button', class: grade(each.loss), onclick: () => this.to(each.index) },
        h('span', {}, analysis.players[each.player - 1].name), h('span', { class: 'name' }, `${each.done} → ${each.best}`), h('b', {}, `−${number(each.loss, 3)}`))))) : h('p', { class: 'quiet' }, t('no_errors')),
      h('div', { class: 'row' }, h('a', { class: 'button', href: `#/analyse/${decision.position}` }, t('analyse')), button(t('other_file'), () => { memory.remove('review'); this.app.go('match'); })),
      this.notes.length ? h('details', {}, h('summary', {}, `${this.notes.length}`), this.notes.map((note) => h('p', { class: 'quiet' }, note))) : null);
  }

  // The chances of the first player over the match; a click goes there.
  drawCurve() {
    const { decisions, analysis } = this;
    const W = 1000, H = 120;
    const x = (index) => decisions.length < 2 ? W / 2 : index * W / (decisions.length - 1);
    const y = (value) => H - value * H;
    const line = decisions.map((each, index) => `${index ? 'L' : 'M'}${x(index).toFixed(1)} ${y(each.chance).toFixed(1)}`).join('');
    const marks = decisions.map((each, index) => each.loss >= ERROR ? s('path', { class: `mark ${grade(each.loss)}`, d: `M${x(index)} ${y(each.chance)}h0` }, s('title', {}, `${each.done}: −${number(each.loss, 3)}`)) : null).filter(Boolean);
    const games = decisions.map((each, index) => index && each.game !== decisions[index - 1].game ? s('line', { class: 'game', x1: x(index), x2: x(index), y1: 0, y2: H }) : null).filter(Boolean);
    const svg = s('svg', { viewBox: `-8 -8 ${W + 16} ${H + 16}`, preserveAspectRatio: 'none', role: 'slider', tabindex: 0, 'aria-label': t(analysis.length > 0 ? 'match_chance' : 'winning_chance', analysis.players[0].name), 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': Math.round(100 * this.decision.chance),
      onclick: (event) => { const box = svg.getBoundingClientRect(); this.to(Math.round(((event.clientX - box.left) / box.width * (W + 16) - 8) / W * (decisions.length - 1))); } },
    s('path', { class: 'area', d: `${line}L${W} ${H}L0 ${H}z` }), s('line', { class: 'half', x1: 0, x2: W, y1: H / 2, y2: H / 2 }), ...games, s('path', { class: 'line', d: line }), ...marks,
    s('line', { class: 'here', x1: x(this.at), x2: x(this.at), y1: -6, y2: H + 6 }));
    replace(this.curve, h('div', { class: 'curve-head' }, h('span', {}, t(analysis.length > 0 ? 'match_chance' : 'winning_chance', analysis.players[0].name)), h('b', {}, percent(this.decision.chance))), svg);
  }

  key(key) {
    if (!this.decisions) return false;
    const acts = { arrowright: () => this.to(this.at + 1), arrowleft: () => this.to(this.at - 1), home: () => this.to(0), end: () => this.to(this.decisions.length - 1), n: () => this.nextError(), p: () => this.nextError(-1), e: () => this.nextError() };
    if (!acts[key]) return false;
    acts[key]();
    return true;
  }
}

// A file as the page keeps it: text, or the bytes of a file that is none.
function kept(bytes) {
  try { return new TextDecoder('utf-8', { fatal: true }).decode(bytes); } catch { /* not text */ }
  return { bytes: btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')) };
}

const bytesOf = (file) => file.bytes ? Uint8Array.from(atob(file.bytes), (letter) => letter.charCodeAt(0)) : new TextEncoder().encode(file);

// The chance of the first player to win the match, or the game where it is for money.
function chance(decision) {
  const made = decision.plays?.find((play) => play.play === decision.done) ?? decision.plays?.[0];
  const probs = decision.actions?.probs ?? made?.probs;
  // The figures of a response are those of the doubler, who is the opponent.
  const own = decision.mwc ?? (probs ? (decision.kind === 'response' ? 1 - probs[0] : probs[0]) : 0.5);
  return decision.player === 1 ? own : 1 - own;
}

function cubeTable({ actions, best }) {
  const rows = [[t('no_double'), actions.no_double], [t('double_take'), actions.double_take], [t('double_pass'), actions.double_pass]];
  return h('div', { class: 'cube-figures' }, h('p', { class: 'verdict' }, best),
    h('table', {}, h('tbody', {}, rows.map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, equity(value)))))));
}
