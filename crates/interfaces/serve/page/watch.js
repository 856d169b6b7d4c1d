// Training runs while they go: loss, strength with intervals, speed.

import { announce, button, h, memory, replace, s, select } from './dom.js';
import { keep, nameOf } from './history.js';
import { number, t } from './texts.js';
import './texts-later.js';

const EVERY = 5000;
const COLORS = ['one', 'two', 'three', 'four', 'five', 'six'];

export class Watch {
  constructor(app) {
    this.app = app;
    this.engine = app.engine;
    this.charts = h('div', { class: 'charts' });
  }

  async open(number) {
    replace(this.app.stage, this.charts);
    this.names = (await this.engine.runs()).runs;
    if (this.closed) return;
    if (!this.names.length) { replace(this.app.panel, h('p', {}, t('no_run'))); return; }
    this.number = Math.min(Number(number) || 0, this.names.length - 1);
    this.other = null;
    await this.load();
    if (this.closed) return;
    this.timer = setInterval(() => this.load(true).catch((error) => this.miss(error)), EVERY);
  }

  close() { clearInterval(this.timer); this.closed = true; }

  // A chart is as wide as the window.
  settled() { if (this.runs) this.show(); }

  // The server may end with the run: what it has reported stays, and goes on when the server is there again.
  miss(error) {
    if (this.closed) return;
    if (!this.runs) { this.app.fail(error); return; }
    if (!this.gone) announce(t('run_gone'));
    this.gone = true;
    this.show();
  }

  // `again` leaves a select alone that is in use.
  async load(again = false) {
    const asked = [this.number, ...(this.other === null ? [] : [this.other])];
    // A run that has only begun has nothing to show yet.
    const empty = (number) => (error) => {
      if (error.kind !== 'not_found') throw error;
      return { name: this.names[number], lines: [], networks: [] };
    };
    this.runs = await Promise.all(asked.map((number) => this.engine.run(number).catch(empty(number))));
    this.fleet = await this.engine.fleet().catch(() => null);
    this.gone = false;
    if (!this.closed && !(again && document.activeElement instanceof HTMLSelectElement)) this.show();
  }

  show() {
    const rounds = this.runs.map(({ lines }) => lines.filter((line) => line.type === 'round'));
    const evaluations = this.runs.flatMap(({ name, lines }) => {
      const by = new Map();
      for (const line of lines.filter((line) => line.type === 'evaluation')) {
        const key = this.runs.length > 1 ? `${name}: ${line.opponent}` : line.opponent;
        by.set(key, [...(by.get(key) ?? []), line]);
      }
      return [...by];
    });
    const of = (key) => rounds.map((lines, index) => ({ name: this.runs[index].name, dots: lines.map((line) => [line.games, line[key]]) }));
    // As wide as there is room, so that what is written stays as large as it is.
    const wide = Math.max(Math.min(900, this.charts.clientWidth - 24), 280), draw = (title, series, digits) => chart(title, series, digits, t('games_learned'), wide);
    replace(this.charts,
      draw(t('strength_curve'), evaluations.map(([name, lines]) => ({ name, dots: lines.map((line) => [line.games, line.ppg, line.interval]) })), 3),
      draw(t('loss'), of('loss'), 3), draw(t('games_per_second'), of('games_per_second'), 0));
    const last = rounds[0].at(-1);
    const facts = last ? [[t('rounds'), number(last.round)], [t('games_learned'), number(last.games)], [t('loss'), number(last.loss, 4)], [t('games_per_second'), number(last.games_per_second)]] : [];
    const names = this.names.map((name, index) => [index, name]);
    replace(this.app.panel, h('header', { class: 'status' }, h('p', { class: 'eyebrow' }, t('watch')), h('h1', {}, this.runs[0].name), this.gone ? h('p', { class: 'problem' }, t('run_gone')) : !last ? h('p', { class: 'quiet' }, t('waits_for_run'))
        : this.runs[0].networks.some(({ name }) => name === 'final') ? h('p', { class: 'quiet' }, t('run_over', number(last.round))) : null),
      this.names.length > 1 ? [select(t('watch'), names, this.number, (value) => this.app.go(`watch/${value}`)),
        select(t('compare_with'), [['', t('nobody')], ...names.filter(([index]) => index !== this.number)], this.other ?? '', (value) => { this.other = value === '' ? null : Number(value); this.load().catch((error) => this.app.fail(error)); })] : null,
      h('dl', { class: 'facts' }, facts.map(([word, value]) => h('div', {}, h('dt', {}, word), h('dd', {}, value)))),
      evaluations.length ? h('table', { class: 'summary' }, h('tbody', {}, evaluations.map(([name, lines]) => {
        const { ppg, interval } = lines.at(-1);
        return h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, `${ppg >= 0 ? '+' : '−'}${number(Math.abs(ppg), 3)} ± ${number((interval[1] - interval[0]) / 2, 3)}`));
      }))) : null, this.workers(), this.networks());
  }

  // The fleet that plays the games of the run, if one does.
  workers() {
    if (!this.fleet) return null;
    const { workers, learners, queue, items_per_second } = this.fleet;
    const sum = (all, key) => all.reduce((total, each) => total + each[key], 0);
    const busy = sum(workers, 'busy_seconds') / (workers.reduce((total, { threads, seconds }) => total + threads * seconds, 0) || 1);
    const facts = [[t('fleet_workers'), number(workers.length)], [t('games_per_second'), number(items_per_second)], [t('fleet_busy'), `${number(100 * busy)} %`],
      [t('fleet_waiting'), number(queue?.waiting ?? 0)], [t('fleet_redelivered'), number((queue?.redelivered ?? 0) + sum(learners, 'reissued'))], [t('fleet_excluded'), number(learners.reduce((total, { excluded }) => total + excluded.length, 0))]];
    return h('section', { class: 'fleet' }, h('h2', {}, t('fleet')),
      h('dl', { class: 'facts' }, facts.map(([word, value]) => h('div', {}, h('dt', {}, word), h('dd', {}, value)))));
  }

  // The networks that the run has left, to be played against and watched.
  networks() {
    const { networks } = this.runs[0];
    if (!networks.length) return null;
    const title = ({ name, round }) => round !== null ? t('after_round', number(round)) : t(name === 'final' ? 'finished' : 'newest');
    const chosen = networks.some(({ name }) => name === this.network) ? this.network : networks.at(-1).name;
    const doing = (what) => async (event) => {
      const pressed = event.currentTarget;
      pressed.disabled = true;
      try { await what(); } catch (error) { this.app.fail(error); } finally { pressed.disabled = false; }
    };
    const play = doing(async () => {
      const { id } = await this.engine.newMatchAgainst(this.number, chosen, { length: 1, name: memory.get('setup', {}).name ?? t('you') });
      keep({ id, names: [t('you'), chosen], network: chosen, length: 1, score: [0, 0], running: true, me: 0 });
      this.app.go(`play/${id}`);
    });
    const look = doing(async () => {
      const text = await this.engine.sample(this.number, chosen), id = nameOf(text);
      keep({ id, names: [chosen, chosen], length: 0, score: [] }, text);
      this.app.go(`match/${id}`);
    });
    return h('section', { class: 'networks' }, h('h2', {}, t('networks')),
      select(t('play_with'), [...networks].reverse().map((network) => [network.name, title(network)]), chosen, (name) => { this.network = name; this.show(); }),
      h('div', { class: 'row' }, button(t('play_it'), play, { class: 'primary', disabled: this.gone, 'data-act': 'play_network' }), button(t('watch_game'), look, { disabled: this.gone, 'data-act': 'sample' })));
  }
}

// Lines over games, with intervals where there are some.
export function chart(title, series, digits, unit, W, H = 250) {
  const LEFT = 62, BOTTOM = 26;
  const all = series.flatMap(({ dots }) => dots);
  if (!all.length) return h('figure', { class: 'chart' }, h('figcaption', {}, title), h('p', { class: 'quiet' }, '–'));
  const places = all.map(([x]) => x), left = Math.min(...places), right = Math.max(...places);
  const lows = all.map(([, y, interval]) => interval?.[0] ?? y), highs = all.map(([, y, interval]) => interval?.[1] ?? y);
  const [low, high] = [Math.min(...lows), Math.max(...highs)];
  const span = high - low || 1;
  const x = (value) => LEFT + (value - left) / (right - left || 1) * (W - LEFT - 12);
  const y = (value) => 12 + (high - value) / span * (H - BOTTOM - 24);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => low + part * span);
  const svg = s('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': title },
    ticks.flatMap((tick) => [s('line', { class: 'grid', x1: LEFT, x2: W - 12, y1: y(tick), y2: y(tick) }), s('text', { class: 'tick', x: LEFT - 8, y: y(tick) + 4, 'text-anchor': 'end' }, number(tick, digits))]),
    low < 0 && high > 0 ? s('line', { class: 'zero', x1: LEFT, x2: W - 12, y1: y(0), y2: y(0) }) : [],
    s('text', { class: 'tick', x: W - 12, y: H - 6, 'text-anchor': 'end' }, `${number(right)} ${unit}`),
    series.flatMap(({ dots }, index) => {
      const color = COLORS[index % COLORS.length];
      const band = dots[0]?.[2] ? s('path', { class: `band ${color}`, d: `M${dots.map(([at, , interval]) => `${x(at)} ${y(interval[1])}`).join('L')}L${[...dots].reverse().map(([at, , interval]) => `${x(at)} ${y(interval[0])}`).join('L')}z` }) : [];
      return [band, s('path', { class: `line ${color}`, d: `M${dots.map(([at, value]) => `${x(at)} ${y(value)}`).join('L')}` })].flat();
    }));
  return h('figure', { class: 'chart' }, h('figcaption', {}, title,
    series.length > 1 ? h('span', { class: 'key' }, series.map(({ name }, index) => h('span', { class: COLORS[index % COLORS.length] }, name))) : null), svg);
}
