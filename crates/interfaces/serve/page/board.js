// The board as SVG: checkers, dice, cube, arrows; and what fingers, mouse and keys do on it.
//
// Everything is seen by one player, whose points are 1 to 24 and whose checkers are positive. The
// board knows no rules: whoever uses it says what may move, and is told what is asked for.

import { calm, h, s } from './dom.js';
import { listen } from './hands.js';
import { t } from './texts.js';

const FRAME = 20, TRAY = 66, POINT = 62, BAR = 64, HEIGHT = 640, RADIUS = 28;
const FIELD = 12 * POINT + BAR;
const WIDTH = 2 * FRAME + 2 * TRAY + FIELD;
const TALL = HEIGHT + 2 * FRAME;
const TOP = FRAME, BOTTOM = FRAME + HEIGHT, MIDDLE = FRAME + HEIGHT / 2;
const LEFT = FRAME + TRAY;
const STACK = 5;
const OFF = 0, BARS = 25, OTHER_BAR = -25, OTHER_OFF = -1;

export class Board {
  // `ask` has what is told: grab(from) -> Map of targets, drop(from, to), tap(point, other),
  // dice(), cube(), edit(from, to).
  constructor(ask = {}) {
    this.ask = ask;
    this.mirrored = false;
    this.checkers = [];
    this.view = null;
    this.focused = 6;
    this.layers = {};
    const layer = (name) => this.layers[name] = s('g', { class: name });
    this.svg = s('svg', { class: 'board', viewBox: `0 0 ${WIDTH} ${TALL}`, role: 'group' },
      s('defs', {},
        ...paints(),
        ['best', 'played', 'other'].map((kind) => s('marker', { id: `head-${kind}`, class: `head ${kind}`, viewBox: '0 0 10 10', refX: 6, refY: 5, markerWidth: 3.4, markerHeight: 3.4, orient: 'auto-start-reverse' },
          s('path', { d: 'M0 0 10 5 0 10 2.4 5z' })))),
      layer('field'), layer('lit'), layer('last'), layer('stones'), layer('counts'), layer('cube'), layer('dice'),
      layer('arrows'), layer('hits'), layer('hand'));
    this.over = h('div', { class: 'over' });
    this.element = h('div', { class: 'board-box' }, this.svg, this.over);
    this.drawField();
    this.listen();
  }

  mirror(mirrored) {
    this.mirrored = mirrored;
    this.drawField();
    if (this.view) this.show(this.view);
  }

  // The horizontal middle of a point, a bar or a tray.
  x(place) {
    const from = (left) => this.mirrored ? WIDTH - left : left;
    if (place === BARS || place === OTHER_BAR) return from(LEFT + 6 * POINT + BAR / 2);
    if (place === OFF || place === OTHER_OFF) return from(WIDTH - FRAME - TRAY / 2);
    const low = place <= 12 ? place : 25 - place;
    const column = 12 - low;
    return from(LEFT + column * POINT + (column >= 6 ? BAR : 0) + POINT / 2);
  }

  // Where the checker of this height on a point lies, of so many.
  spot(place, height, count) {
    const isLow = place === BARS || place === OFF || (place >= 1 && place <= 12);
    const away = isLow ? -1 : 1;
    if (place === OFF || place === OTHER_OFF) {
      return [this.x(place), (isLow ? BOTTOM - 15 : TOP + 15) + away * height * 17.5];
    }
    if (place === BARS || place === OTHER_BAR) {
      const gap = Math.min(2 * RADIUS, 190 / Math.max(count - 1, 1));
      return [this.x(place), MIDDLE - away * (72 + RADIUS) - away * height * gap];
    }
    const gap = Math.min(2 * RADIUS, ((STACK - 1) * 2 * RADIUS) / Math.max(count - 1, 1));
    return [this.x(place), (isLow ? BOTTOM - RADIUS - 2 : TOP + RADIUS + 2) + away * height * gap];
  }

  drawField() {
    const { field, hits } = this.layers;
    const mirror = (left, width) => this.mirrored ? WIDTH - left - width : left;
    const half = (left) => s('rect', { class: 'felt', x: mirror(left, 6 * POINT), y: TOP, width: 6 * POINT, height: HEIGHT, rx: 3 });
    const tray = (left, top, height) => s('rect', { class: 'tray', x: mirror(left, TRAY - 16), y: top, width: TRAY - 16, height, rx: 6 });
    const points = [];
    for (let point = 1; point <= 24; point++) {
      const x = this.x(point), low = point <= 12;
      const base = low ? BOTTOM : TOP, tip = low ? BOTTOM - 270 : TOP + 270;
      points.push(s('path', { class: `point ${point % 2 ? 'odd' : 'even'}`, d: `M${x - POINT / 2 + 2} ${base}L${x} ${tip}L${x + POINT / 2 - 2} ${base}z` }));
    }
    const numbers = Array.from({ length: 24 }, (_, index) => {
      const point = index + 1;
      return s('text', { class: 'number', x: this.x(point), y: point <= 12 ? TALL - 5.5 : 14.5 }, String(point));
    });
    const trayHeight = HEIGHT / 2 - 36;
    field.replaceChildren(
      s('rect', { class: 'case', x: 0, y: 0, width: WIDTH, height: TALL, rx: 18 }),
      s('rect', { class: 'rim', x: 5, y: 5, width: WIDTH - 10, height: TALL - 10, rx: 14 }),
      half(LEFT), half(LEFT + 6 * POINT + BAR), ...points,
      s('rect', { class: 'bar', x: mirror(LEFT + 6 * POINT, BAR), y: TOP - 14, width: BAR, height: HEIGHT + 28 }),
      s('line', { class: 'hinge', x1: this.x(BARS), x2: this.x(BARS), y1: TOP - 14, y2: BOTTOM + 14 }),
      tray(WIDTH - FRAME - TRAY + 8, TOP, trayHeight), tray(WIDTH - FRAME - TRAY + 8, BOTTOM - trayHeight, trayHeight),
      tray(FRAME + 8, TOP, trayHeight), tray(FRAME + 8, BOTTOM - trayHeight, trayHeight), ...numbers);
    // What can be touched and heard: the points, the bars, the trays.
    const touch = (place, x, y, width, height) => s('rect', { class: 'touch', 'data-place': place, x, y, width, height, rx: 8, role: 'button', tabindex: place === this.focused ? 0 : -1 });
    const column = HEIGHT / 2 - 40;
    const touches = Array.from({ length: 24 }, (_, index) => {
      const point = index + 1;
      return touch(point, this.x(point) - POINT / 2, point <= 12 ? BOTTOM - column : TOP, POINT, column);
    });
    const bar = this.x(BARS) - BAR / 2, home = this.x(OFF) - TRAY / 2;
    hits.replaceChildren(...touches, touch(BARS, bar, MIDDLE + 40, BAR, column), touch(OTHER_BAR, bar, TOP, BAR, column),
      touch(OFF, home, BOTTOM - column, TRAY, column), touch(OTHER_OFF, home, TOP, TRAY, column));
  }

  // view: { board, off, dice: [{die, used}], roller: 'own' | 'other', cube, crawford, offered, movable, arrows,
  // last: [[from, to]], lastBy, whole, label, animate }
  show(view) {
    this.view = view;
    this.svg.setAttribute('aria-label', view.label ?? t('board'));
    this.placeCheckers(view);
    this.placeCube(view);
    this.placeDice(view);
    this.arrows(view.arrows ?? []);
    this.light(view.movable ?? new Set(), 'can-move');
    this.layers.last.replaceChildren(...(view.last ?? []).map(([from, to]) => this.trace(from, to)));
    for (const touch of this.layers.hits.children) touch.setAttribute('aria-label', this.words(Number(touch.dataset.place)));
  }

  words(place) {
    const { board, off, movable } = this.view;
    if (place === OFF) return t('off_own', off[0]);
    if (place === OTHER_OFF) return t('off_other', off[1]);
    const number = place === OTHER_BAR ? board[0] : board[place];
    const name = place === BARS || place === OTHER_BAR ? t('bar') : t('point', place);
    const what = number === 0 ? t('empty') : t(number > 0 ? 'own_checkers' : 'other_checkers', Math.abs(number));
    return `${name}: ${what}${movable?.has(place) ? `, ${t('can_move')}` : ''}`;
  }

  placeCheckers({ board, off, board: [otherBar] }) {
    const wanted = [];
    const put = (place, count, side) => {
      for (let height = 0; height < count; height++) wanted.push({ place, side, height, count, xy: this.spot(place, height, count) });
    };
    for (let point = 1; point <= 24; point++) put(point, Math.abs(board[point]), board[point] > 0 ? 'own' : 'other');
    put(BARS, board[25], 'own');
    put(OTHER_BAR, -otherBar, 'other');
    put(OFF, off[0], 'own');
    put(OTHER_OFF, off[1], 'other');
    // Checkers that stay keep their element, the others move: the browser glides them.
    const free = new Set(this.checkers);
    const take = (fits) => {
      for (const checker of free) if (fits(checker)) { free.delete(checker); return checker; }
      return null;
    };
    for (const want of wanted) want.checker = take((checker) => checker.side === want.side && checker.place === want.place && checker.height === want.height);
    for (const want of wanted) want.checker ??= take((checker) => checker.side === want.side);
    for (const want of wanted) {
      const { checker, side, place, height, xy: [x, y] } = want;
      const element = checker?.element ?? stone(side);
      if (!checker) this.layers.stones.append(element);
      else if (checker.place !== place) this.layers.stones.append(element);
      want.element = element;
      element.classList.toggle('borne', place === OFF || place === OTHER_OFF);
      element.style.transform = `translate(${x}px, ${y}px)`;
      element.dataset.place = place;
      element.dataset.height = height;
    }
    for (const { element } of free) element.remove();
    this.checkers = wanted.map(({ element, side, place, height }) => ({ element, side, place, height }));
    const tall = wanted.filter(({ place, height, count }) => height === count - 1 && place !== OFF && place !== OTHER_OFF && count > STACK);
    const counted = tall.map(({ xy: [x, y], side, count }) => s('text', { class: `count ${side}`, x, y: y + 6 }, String(count)));
    for (const [place, count] of [[OFF, off[0]], [OTHER_OFF, off[1]]]) {
      if (count > 0) counted.push(s('text', { class: 'count tray-count', x: this.x(place), y: place === OFF ? BOTTOM - HEIGHT / 2 + 26 : TOP + HEIGHT / 2 - 14 }, String(count)));
    }
    this.layers.counts.replaceChildren(...counted);
  }

  placeCube({ cube, crawford, offered, cubeless }) {
    const layer = this.layers.cube;
    if (cubeless || !cube) { layer.replaceChildren(); return; }
    const mirrorX = (x) => this.mirrored ? WIDTH - x : x;
    let x = mirrorX(FRAME + TRAY / 2), y = { center: MIDDLE, player: BOTTOM - 34, opponent: TOP + 34 }[cube.owner];
    let value = cube.value;
    if (offered) {
      value = cube.value * 2;
      x = mirrorX(LEFT + 3 * POINT);
      y = MIDDLE;
    }
    const text = cube.value === 1 && !offered ? '64' : String(value);
    let group = layer.firstElementChild;
    if (!group) {
      group = s('g', { class: 'die-cube', onclick: () => this.ask.cube?.() },
        s('rect', { x: -25, y: -25, width: 50, height: 50, rx: 9 }), s('text', { y: 9 }));
      layer.append(group);
    }
    group.lastChild.textContent = crawford ? '–' : text;
    group.setAttribute('class', `die-cube ${offered ? 'offered' : ''} ${crawford ? 'dead' : ''}`);
    group.style.transform = `translate(${x}px, ${y}px)`;
    group.setAttribute('aria-label', crawford ? t('crawford_game') : t('cube_at', value));
  }

  placeDice({ dice, roller, whole, rolled }) {
    const layer = this.layers.dice;
    if (!dice?.length) { layer.replaceChildren(); return; }
    const right = (roller === 'own') !== this.mirrored;
    const center = LEFT + 3 * POINT + (right ? 6 * POINT + BAR : 0);
    const gap = dice.length > 2 ? 56 : 68;
    layer.replaceChildren(s('g', { class: `roll ${roller} ${whole ? 'whole' : ''} ${rolled ? 'thrown' : ''}`, onclick: () => this.ask.dice?.() },
      dice.map(({ die, used }, index) => {
        const x = center + (index - (dice.length - 1) / 2) * gap;
        const scale = dice.length > 2 ? 0.86 : 1;
        return s('g', { class: `die ${used ? 'used' : ''}`, transform: `translate(${x} ${MIDDLE}) scale(${scale})` },
          s('g', { class: 'face', style: `--turn:${index % 2 ? -1 : 1}` }, s('rect', { x: -26, y: -26, width: 52, height: 52, rx: 11 }),
            face(die)));
      })));
  }

  // arrows: [{ steps: [[from, to]], kind, side }]; those of the other side in its own numbering.
  arrows(arrows) {
    const all = arrows.flatMap(({ steps, kind, side = 'own' }) => {
      const seen = new Map();
      return steps.map(([from, to]) => {
        const key = `${from}/${to}`;
        const nth = seen.get(key) ?? 0;
        seen.set(key, nth + 1);
        const [a, b] = [this.foot(from, side, true), this.foot(to, side, false)];
        const shift = nth * 15 - (nth ? 7 : 0);
        const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1;
        const bow = Math.min(60, length * 0.18) * (dx < 0 ? 1 : -1);
        const [mx, my] = [(a[0] + b[0]) / 2 - dy / length * bow, (a[1] + b[1]) / 2 + dx / length * bow];
        return s('path', { class: `arrow ${kind}`, d: `M${a[0] + shift} ${a[1]}Q${mx + shift} ${my} ${b[0] + shift} ${b[1]}`, 'marker-end': `url(#head-${kind})` });
      });
    });
    this.layers.arrows.replaceChildren(...all);
  }

  // Where an arrow begins or ends: on the uppermost checker, or where the next one will lie.
  foot(place, side, isFrom) {
    const own = side === 'own';
    const seen = place === 25 ? (own ? BARS : OTHER_BAR) : place === 0 ? (own ? OFF : OTHER_OFF) : own ? place : 25 - place;
    const { board, off } = this.view;
    let number = seen === BARS ? board[25] : seen === OTHER_BAR ? board[0] : seen === OFF ? off[0] : seen === OTHER_OFF ? off[1] : board[seen];
    const isOurs = own ? number > 0 : number < 0;
    number = Math.abs(number);
    const height = isFrom ? Math.max(number - 1, 0) : isOurs || seen === OFF || seen === OTHER_OFF ? Math.min(number, STACK - 1) : 0;
    return this.spot(seen, height, Math.max(number, 1));
  }

  // The light where the last play began and ended.
  trace(from, to) {
    const [x, y] = this.view.lastBy === 'other'
      ? this.base(to === 0 ? OTHER_OFF : 25 - to) : this.base(to);
    return s('circle', { class: 'trace', cx: x, cy: y, r: 6, 'data-from': from });
  }

  base(place) {
    const isLow = place === OFF || (place >= 1 && place <= 12);
    return [this.x(place), isLow ? BOTTOM + 10.5 : TOP - 10.5];
  }

  light(places, kind) {
    for (const touch of this.layers.hits.children) touch.classList.toggle(kind, places.has(Number(touch.dataset.place)));
  }

  // What hands ask of the board.
  at(event) {
    const box = this.svg.getBoundingClientRect();
    const x = (event.clientX - box.left) * WIDTH / box.width, y = (event.clientY - box.top) * TALL / box.height;
    return { x, y, place: this.view ? this.placeAt(x, y) : null };
  }

  named(element) {
    const place = element.dataset?.place;
    return place === undefined || !this.view ? null : Number(place);
  }

  lift(place) {
    const element = this.uppermost(place)?.element ?? null;
    if (element) this.layers.stones.append(element);
    return element;
  }

  lay() { this.show(this.view); }

  listen() {
    listen(this);
    this.svg.addEventListener('contextmenu', (event) => {
      const { place } = this.at(event);
      if (place === null || !this.ask.tap) return;
      event.preventDefault();
      this.ask.tap(place, true);
    });
    this.svg.addEventListener('keydown', (event) => {
      const at = Number(event.target.dataset?.place);
      if (Number.isNaN(at)) return;
      if (event.key === 'Enter') {
        event.preventDefault();
        this.ask.tap?.(at, event.shiftKey);
        return;
      }
      const next = { ArrowLeft: [1, -1], ArrowRight: [-1, 1], ArrowUp: 'across', ArrowDown: 'across' }[event.key];
      if (!next) return;
      event.preventDefault();
      this.focus(this.beside(at, next));
    });
  }

  beside(at, way) {
    if (way === 'across') return { [BARS]: OTHER_BAR, [OTHER_BAR]: BARS, [OFF]: OTHER_OFF, [OTHER_OFF]: OFF }[at] ?? 25 - at;
    const low = [OFF, 1, 2, 3, 4, 5, 6, BARS, 7, 8, 9, 10, 11, 12];
    const high = [OTHER_OFF, 24, 23, 22, 21, 20, 19, OTHER_BAR, 18, 17, 16, 15, 14, 13];
    const row = low.includes(at) ? low : high;
    const step = (way[0] > 0) !== this.mirrored ? 1 : -1;
    return row[Math.min(Math.max(row.indexOf(at) + step, 0), row.length - 1)];
  }

  focus(place) {
    this.focused = place;
    for (const touch of this.layers.hits.children) {
      const is = Number(touch.dataset.place) === place;
      touch.setAttribute('tabindex', is ? 0 : -1);
      if (is) touch.focus();
    }
  }

  placeAt(x, y) {
    for (const touch of this.layers.hits.children) {
      const [left, top, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(touch.getAttribute(name)));
      if (x >= left && x < left + width && y >= top && y < top + height) return Number(touch.dataset.place);
    }
    return null;
  }

  uppermost(place) {
    const there = this.checkers.filter((checker) => checker.place === place);
    return there.at(-1) ?? null;
  }
}

export function stone(side) {
  return s('g', { class: `stone ${side}` }, s('circle', { class: 'body', r: RADIUS - 0.5 }), s('circle', { class: 'ring', r: RADIUS - 8 }),
    s('rect', { class: 'edge', x: -21, y: -7.5, width: 42, height: 15, rx: 4 }));
}

// What the wood and the checkers are painted with.
function paints() {
  return [
    gradient('own', 'own-light', 'own-dark'), gradient('other', 'other-light', 'other-dark'),
    s('linearGradient', { id: 'wood', x1: 0, y1: 0, x2: 1, y2: 1 },
      s('stop', { offset: 0, class: 'wood-light' }), s('stop', { offset: 1, class: 'wood-dark' })),
    s('filter', { id: 'soft', x: '-30%', y: '-30%', width: '160%', height: '170%' },
      s('feDropShadow', { dx: 0, dy: 2, stdDeviation: 2, 'flood-opacity': 0.35 })),
  ];
}

export const wood = () => [s('defs', {}, ...paints())];

function gradient(name, light, dark) {
  return s('radialGradient', { id: `stone-${name}`, cx: '38%', cy: '30%', r: '80%' },
    s('stop', { offset: 0, class: light }), s('stop', { offset: 1, class: dark }));
}

// What a die shows: spots, or the number where dice have more sides than six.
export const face = (die, numbers = false) => numbers ? s('text', { class: 'die-number', y: 9 }, String(die)) : spots(die).map(([cx, cy]) => s('circle', { cx: cx * 14, cy: cy * 14, r: 4.9 }));

function spots(die) {
  const corner = [[-1, -1], [1, 1]], other = [[1, -1], [-1, 1]], side = [[-1, 0], [1, 0]];
  return [...(die % 2 ? [[0, 0]] : []), ...(die > 1 ? corner : []), ...(die > 3 ? other : []), ...(die === 6 ? side : [])];
}

export const glide = () => calm() ? 0 : 260;
