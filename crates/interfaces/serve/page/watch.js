// Training runs while they go: loss, strength with intervals, speed.

import { announce, button, h, memory, replace, s, save, select } from './dom.js';
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
    this.range = [0, Infinity];
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

  // `again` leaves alone what is in use: a select, or a picture of which a part is marked.
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
    if (!this.closed && !(again && (document.activeElement instanceof HTMLSelectElement || this.charts.querySelector('svg:active')))) this.show();
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
    const wide = Math.max(Math.min(900, this.charts.clientWidth - 24), 280), zoom = (from, to) => { this.range = [from, to]; this.show(); };
    const most = Math.max(1, ...rounds.flat().map(({ games }) => games)), [from, end] = this.range, to = Math.min(end, most);
    const draw = (title, series, digits) => chart(title, series, digits, t('games_learned'), wide, 250, { from, to, zoom });
    replace(this.charts,
      h('div', { class: 'row' }, button(t('last_half'), () => zoom((from + to) / 2, end), { 'data-act': 'last_half', disabled: to - from < 2 }), button(t('all_games'), () => zoom(0, Infinity), { 'data-act': 'all_games', disabled: from === 0 && end === Infinity }), h('p', { class: 'quiet' }, t('drag_zoom'))),
      draw(t('strength_curve'), evaluations.map(([name, lines]) => ({ name, dots: lines.map((line) => [line.games, line.ppg, line.interval]) })), 3),
      draw(t('loss_nats'), of('loss'), 3), draw(t('games_per_second'), of('games_per_second'), 0));
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
      }))) : null, last ? button(t('download'), () => save(csvOf(this.runs[0].lines), `${this.runs[0].name}.csv`, 'text/csv'), { 'data-act': 'metrics' }) : null, this.workers(), this.networks());
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

// What a run has reported as comma-separated values, one number a cell.
function csvOf(lines) {
  const rows = lines.map(({ interval, crc32: _, ...line }) => interval ? { ...line, low: interval[0], high: interval[1] } : line);
  const names = [...new Set(['type', 'round', 'games', ...rows.flatMap(Object.keys)])], quoted = (text) => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const cell = (value) => quoted(value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value ?? ''));
  return [names, ...rows.map((row) => names.map((name) => cell(row[name])))].map((cells) => `${cells.join(',')}\n`).join('');
}

// Round numbers from one to another, with their digits after the point.
function ticksOf(low, high, about, least = 0) {
  const wanted = Math.max((high - low) / about, least), power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].find((times) => times * power > wanted * 0.999) * power, first = Math.ceil(low / step - 1e-9);
  return [Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, index) => (first + index) * step), Math.max(0, -Math.floor(Math.log10(step) + 1e-9))];
}

let clips = 0;
const placesOf = (series) => series.flatMap(({ dots }) => dots.map(([x]) => x));
// Lines over games, with intervals where there are some. `zoom` takes the part that is marked with the pointer.
export function chart(title, series, digits, unit, W, H = 250, { from = Math.min(...placesOf(series)), to = Math.max(...placesOf(series)), zoom } = {}) {
  const LEFT = 62, BOTTOM = 42, clip = `clip-${clips += 1}`;
  // What is shown, and the dots beside it, to which lines lead.
  const shown = series.map(({ name, dots }) => ({ name, dots: dots.filter(([x], at) => (dots[at + 1]?.[0] ?? x) >= from && (dots[at - 1]?.[0] ?? x) <= to) }));
  const all = shown.flatMap(({ dots }) => dots);
  if (!all.length) return h('figure', { class: 'chart' }, h('figcaption', {}, title), h('p', { class: 'quiet' }, '–'));
  const lows = all.map(([, y, interval]) => interval?.[0] ?? y), highs = all.map(([, y, interval]) => interval?.[1] ?? y);
  const [low, high] = [Math.min(...lows), Math.max(...highs)], span = high - low || 1, width = W - LEFT - 12;
  const x = (value) => LEFT + (value - from) / (to - from || 1) * width;
  const y = (value) => 12 + (high - value) / span * (H - BOTTOM - 24);
  const [levels, decimals] = ticksOf(low, low + span, 7), [places] = ticksOf(from, to, W / 130, 1);
  const svg = s('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': [title, ...shown.map(({ name, dots }) => `${name} ${dots.length ? number(dots.at(-1)[1], digits) : '–'}`)].join('; ') },
    s('clipPath', { id: clip }, s('rect', { x: LEFT, y: 0, width: width + 2, height: H })),
    levels.flatMap((tick) => [s('line', { class: 'grid', x1: LEFT, x2: W - 12, y1: y(tick), y2: y(tick) }), s('text', { class: 'tick', x: LEFT - 8, y: y(tick) + 4, 'text-anchor': 'end' }, number(tick, decimals))]),
    places.flatMap((tick) => [s('line', { class: 'grid', x1: x(tick), x2: x(tick), y1: 12, y2: H - BOTTOM - 8 }), s('text', { class: 'tick', x: x(tick), y: H - 28, 'text-anchor': x(tick) > W - 40 ? 'end' : 'middle' }, number(tick))]),
    low < 0 && high > 0 ? s('line', { class: 'zero', x1: LEFT, x2: W - 12, y1: y(0), y2: y(0) }) : [],
    s('text', { class: 'tick', x: LEFT + width / 2, y: H - 8, 'text-anchor': 'middle' }, unit),
    s('g', { 'clip-path': `url(#${clip})` }, shown.flatMap(({ dots }, index) => {
      const color = COLORS[index % COLORS.length];
      const band = dots[0]?.[2] ? s('path', { class: `band ${color}`, d: `M${dots.map(([at, , interval]) => `${x(at)} ${y(interval[1])}`).join('L')}L${[...dots].reverse().map(([at, , interval]) => `${x(at)} ${y(interval[0])}`).join('L')}z` }) : [];
      return dots.length ? [band, s('path', { class: `line ${color}`, d: `M${dots.map(([at, value]) => `${x(at)} ${y(value)}`).join('L')}` })].flat() : [];
    })));
  if (zoom) marked(svg, (part) => from + Math.min(Math.max((part * W - LEFT) / width, 0), 1) * (to - from), x, H - BOTTOM - 20, zoom);
  return h('figure', { class: 'chart' }, h('figcaption', {}, title,
    series.length > 1 ? h('span', { class: 'key' }, series.map(({ name }, index) => h('span', { class: COLORS[index % COLORS.length] }, name))) : null), svg);
}

// A part of a picture is marked by dragging across it. `value` of a part of the width and `x` are each other's inverse.
function marked(svg, value, x, height, done) {
  const mark = s('rect', { class: 'band one', y: 12, height, width: 0 });
  let begun = null;
  const at = ({ clientX }) => { const { left, width } = svg.getBoundingClientRect(); return value((clientX - left) / width); };
  const ends = (event) => [begun, at(event)].sort((a, b) => a - b);
  svg.append(mark);
  svg.addEventListener('pointerdown', (event) => { begun = at(event); svg.setPointerCapture(event.pointerId); });
  svg.addEventListener('pointermove', (event) => { if (begun !== null) { const [a, b] = ends(event).map(x); mark.setAttribute('x', a); mark.setAttribute('width', b - a); } });
  svg.addEventListener('pointercancel', () => { begun = null; mark.setAttribute('width', 0); });
  svg.addEventListener('pointerup', (event) => { if (begun === null) return; const [a, b] = ends(event); begun = null; mark.setAttribute('width', 0); if (x(b) - x(a) > 8) done(a, b); });
}
