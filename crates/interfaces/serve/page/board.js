// The board as SVG: checkers, dice, cube, arrows; and what fingers, mouse and keys do on it.
//
// Everything is seen by one player, whose points are 1 to 24 and whose checkers are positive. The
// board knows no rules: whoever uses it says what may move, and is told what is asked for.

import { calm, h, s, sound } from './dom.js';
import { listen } from './hands.js';
import { t } from './texts.js';

const POINT = 62, RADIUS = 26.9, STACK = 5;
const OFF = 0, BARS = 25, OTHER_BAR = -25, OTHER_OFF = -1;

// A phone that is held upright, and all windows that are as small, also because they are zoomed.
export const upright = matchMedia('(max-width: 600px) and (orientation: portrait)');
const small = matchMedia('(max-width: 600px), (max-height: 560px) and (min-aspect-ratio: 11/10)');
// A window nearly as high as it is wide.
export const square = matchMedia('(min-width: 601px) and (max-width: 1200px) and (min-aspect-ratio: 11/10) and (max-aspect-ratio: 13/9)');
export const resized = (then) => { for (const each of [upright, small, square]) each.addEventListener('change', then); };
// The height of the frame has to be that of its numbers.
export const rim = () => small.matches ? 30 : 20;
export const base = () => rim() > 20 ? 9 : 4.5;

// Sizes of the board: there it is slim and tall, and the cube lies between the trays of the home side. Where one plays it
// is `long`, most of the screen, until there is a result to be read. It is taller in a square window, too, but
// where it is `still` or, above a curve, `flat`.
function sizes({ long, still }, { result, flat }) {
  const slim = upright.matches, tall = !still && !flat && square.matches, whole = long && !result;
  const { edge, left, tray, bar, height, end } = slim ? { edge: 6, left: 0, tray: 56, bar: 56, height: whole ? 1120 : 820, end: 136 }
    : { edge: 20, left: 66, tray: 66, bar: 64, height: tall ? 820 : 640, end: 36 };
  const width = 2 * edge + left + tray + 12 * POINT + bar, top = rim();
  return {
    edge, rim: top, tray, bar, height, width, slim, stack: slim && whole ? 8 : tall ? 6 : STACK, tall: height + 2 * top, top, bottom: top + height, middle: top + height / 2,
    left: edge + left, side: left, trayHeight: height / 2 - end, tip: 0.42 * height,
  };
}

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
    this.svg = s('svg', { class: 'board', role: 'group' },
      s('defs', {},
        ...paints(),
        ['best', 'played', 'other', 'last'].map((kind) => s('marker', { id: `head-${kind}`, class: `head ${kind}`, viewBox: '0 0 10 10', refX: 6, refY: 5, markerWidth: 3.4, markerHeight: 3.4, orient: 'auto-start-reverse' },
          s('path', { d: 'M0 0 10 5 0 10 2.4 5z' })))),
      layer('field'), layer('numbers'), layer('lit'), layer('ghosts'), layer('last'), layer('stones'), layer('sources'), layer('counts'), layer('cube'), layer('dice'),
      layer('arrows'), layer('hits'), layer('hand'));
    this.over = h('div', { class: 'over' });
    this.element = h('div', { class: 'board-box' }, this.svg, this.over);
    this.drawField();
    if (!ask.still) this.listen();
  }

  mirror(mirrored) {
    this.mirrored = mirrored;
    this.layers.cube.replaceChildren();
    this.drawField();
    if (this.view) this.show(this.view);
  }

  // The horizontal middle of a point, a bar or a tray.
  x(place) {
    const { left: start, width, bar, edge, tray } = this.sizes;
    const from = (left) => this.mirrored ? width - left : left;
    if (place === BARS || place === OTHER_BAR) return from(start + 6 * POINT + bar / 2);
    if (place === OFF || place === OTHER_OFF) return from(width - edge - tray / 2);
    const low = place <= 12 ? place : 25 - place;
    const column = 12 - low;
    return from(start + column * POINT + (column >= 6 ? bar : 0) + POINT / 2);
  }

  // Where the checker of this height on a point lies, of so many.
  spot(place, height, count) {
    const { top, middle, bottom } = this.sizes;
    const isLow = place === BARS || place === OFF || (place >= 1 && place <= 12);
    const away = isLow ? -1 : 1;
    if (place === OFF || place === OTHER_OFF) {
      return [this.x(place), (isLow ? bottom - 15 : top + 15) + away * height * 17.5];
    }
    if (place === BARS || place === OTHER_BAR) {
      const gap = Math.min(2 * RADIUS, 190 / Math.max(count - 1, 1));
      return [this.x(place), middle - away * (72 + RADIUS) - away * height * gap];
    }
    const gap = Math.min(2 * RADIUS, ((this.sizes.stack - 1) * 2 * RADIUS) / Math.max(count - 1, 1));
    return [this.x(place), (isLow ? bottom - RADIUS - 2 : top + RADIUS + 2) + away * height * gap];
  }

  drawField() {
    const { field, hits } = this.layers;
    const { edge, tray: home, bar, height, width, tall, top, bottom, middle, left, side, trayHeight, tip } = this.sizes = sizes(this.ask, this.view ?? {});
    this.svg.setAttribute('viewBox', `0 0 ${width} ${tall}`);
    const mirror = (from, wide) => this.mirrored ? width - from - wide : from;
    const half = (from) => s('rect', { class: 'felt', x: mirror(from, 6 * POINT), y: top, width: 6 * POINT, height, rx: 3 });
    const trays = (from) => [top, bottom - trayHeight].map((y) => s('rect', { class: 'tray', x: mirror(from + 8, home - 16), y, width: home - 16, height: trayHeight, rx: 6 }));
    const points = [];
    for (let point = 1; point <= 24; point++) {
      const x = this.x(point), low = point <= 12;
      const base = low ? bottom : top;
      points.push(s('path', { class: `point ${point % 2 ? 'odd' : 'even'}`, d: `M${x - POINT / 2 + 2} ${base}L${x} ${base + (low ? -tip : tip)}L${x + POINT / 2 - 2} ${base}z` }));
    }
    field.replaceChildren(
      s('rect', { class: 'case', x: 0, y: 0, width, height: tall, rx: 18 }),
      s('rect', { class: 'rim', x: 5, y: 5, width: width - 10, height: tall - 10, rx: 14 }),
      half(left), half(left + 6 * POINT + bar), ...points,
      s('rect', { class: 'bar', x: mirror(left + 6 * POINT, bar), y: top - 14, width: bar, height: height + 28 }),
      s('line', { class: 'hinge', x1: this.x(BARS), x2: this.x(BARS), y1: top - 14, y2: bottom + 14 }),
      ...trays(width - edge - home), ...(side ? trays(edge) : []));
    // One that is only looked at has no more.
    if (this.ask.still) return;
    this.number();
    // What can be touched and heard: the points, the bars, the trays.
    const column = height / 2 - 40;
    const touch = (place, low, wide) => s('rect', {
      class: 'touch', 'data-place': place, x: this.x(place) - wide / 2, y: low ? bottom - column : top, width: wide, height: column, rx: 8, role: 'button', tabindex: place === this.focused ? 0 : -1, 'aria-label': this.view ? this.words(place) : place > 0 && place < 25 ? t('point', place) : t('bar'),
    });
    hits.replaceChildren(...Array.from({ length: 24 }, (_, index) => touch(index + 1, index < 12, POINT)),
      touch(BARS, true, bar), touch(OTHER_BAR, false, bar), touch(OFF, true, home), touch(OTHER_OFF, false, home));
    // Their light lies below the checkers.
    this.layers.lit.replaceChildren(...Array.from(hits.children, (each) => {
      const light = each.cloneNode();
      for (const name of ['role', 'tabindex', 'class', 'aria-label']) light.removeAttribute(name);
      return light;
    }));
  }

  // Points are numbered for the player on roll: with `turned` that is the one above.
  number() { this.layers.numbers.replaceChildren(...Array.from({ length: 24 }, (_, index) => this.numbered(index + 1))); }
  named24(point) { return this.view?.turned ? 25 - point : point; }

  // The number of a point on the frame.
  numbered(point) {
    const { rim, tall } = this.sizes;
    return s('text', { class: 'number', x: this.x(point), y: (point <= 12 ? tall - rim / 2 : rim / 2) + base() }, String(this.named24(point)));
  }

  // view: { board, off, dice: [{die, used}], roller: 'own' | 'other', cube, crawford, offered, movable, arrows,
  // last: [[from, to]], lastBy, whole, label, turned, result, flat }
  show(view) {
    const differs = (key) => Boolean(this.view?.[key]) !== Boolean(view[key]), turns = differs('turned'), other = differs('result') || differs('flat');
    this.view = view;
    if (other) this.drawField();
    if (turns && !this.ask.still) this.number();
    this.svg.setAttribute('aria-label', view.label ?? t('board'));
    this.placeCheckers(view);
    this.placeCube(view);
    this.placeDice(view);
    this.arrows(view.arrows ?? []);
    this.light(view.movable ?? new Set(), 'can-move');
    this.layers.last.replaceChildren(...(view.last ?? []).map(([from, to]) => this.trace(from, to)));
    this.layers.ghosts.replaceChildren(...this.ghosts(view.last ?? [], view.lastBy === 'other' ? 'other' : 'own'));
    for (const touch of this.layers.hits.children) touch.setAttribute('aria-label', this.words(Number(touch.dataset.place)));
  }

  words(place) {
    const { board, off, movable } = this.view;
    if (place === OFF) return t('off_own', off[0]);
    if (place === OTHER_OFF) return t('off_other', off[1]);
    const number = place === OTHER_BAR ? board[0] : board[place];
    const name = place === BARS || place === OTHER_BAR ? t('bar') : t('point', this.named24(place));
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
    if (wanted.some(({ checker, place }) => checker && checker.place !== place)) sound(1);
    this.checkers = wanted.map(({ element, side, place, height }) => ({ element, side, place, height }));
    const tall = wanted.filter(({ place, height, count }) => height === count - 1 && place !== OFF && place !== OTHER_OFF && count > this.sizes.stack);
    const counted = tall.map(({ xy: [x, y], side, count }) => s('text', { class: `count ${side}`, x, y: y + 6 }, String(count)));
    const { top, bottom, trayHeight } = this.sizes;
    for (const [place, count] of [[OFF, off[0]], [OTHER_OFF, off[1]]]) {
      if (count > 0) counted.push(s('text', { class: 'count tray-count', x: this.x(place), y: place === OFF ? bottom - trayHeight + (this.sizes.slim ? 26 : -10) : top + trayHeight + (this.sizes.slim ? -12 : 22) }, String(count)));
    }
    this.layers.counts.replaceChildren(...counted);
  }

  placeCube({ cube, crawford, offered, cubeless }) {
    const layer = this.layers.cube;
    if (cubeless || !cube) { layer.replaceChildren(); return; }
    const { slim, edge, tray, width, middle, top, bottom, left } = this.sizes;
    const mirrorX = (x) => this.mirrored ? width - x : x;
    let x = slim ? this.x(OFF) : mirrorX(edge + tray / 2);
    let y = { center: middle, player: slim ? middle + 78 : bottom - 34, opponent: slim ? middle - 78 : top + 34 }[cube.owner];
    let value = cube.value;
    if (offered) {
      value = cube.value * 2;
      x = mirrorX(left + 3 * POINT);
      y = middle;
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
    const { left, bar, middle, slim } = this.sizes;
    const center = left + 3 * POINT + (right ? 6 * POINT + bar : 0);
    const scale = (dice.length > 2 ? 0.86 : 1) * (slim ? 1.4 : 1);
    const gap = (dice.length > 2 ? 65 : 68) * scale;
    if (rolled) sound(3);
    layer.replaceChildren(s('g', { class: `roll ${roller} ${whole ? 'whole' : ''} ${rolled ? 'thrown' : ''}`, onclick: () => this.ask.dice?.() },
      dice.map(({ die, used }, index) => {
        const x = center + (index - (dice.length - 1) / 2) * gap;
        return s('g', { class: `die ${used ? 'used' : ''}`, transform: `translate(${x} ${middle}) scale(${scale})` },
          s('g', { class: 'face', style: `--turn:${index % 2 ? -1 : 1}` }, s('rect', { x: -26, y: -26, width: 52, height: 52, rx: 11 }),
            face(die)));
      })));
  }

  // Where the checkers of the last play came from, and their ways.
  ghosts(steps, side) {
    const from = new Map();
    const ghosts = steps.map(([start]) => {
      const seen = this.seen(start, side), nth = from.get(seen) ?? 0, count = Math.abs(this.count(seen)), [x, y] = this.spot(seen, count + nth, Math.max(count + nth + 1, 1));
      from.set(seen, nth + 1);
      return s('circle', { class: `ghost ${side}`, cx: x, cy: y, r: RADIUS - 1 });
    });
    return [...ghosts, ...this.paths([{ steps, kind: 'last', side }], true)];
  }

  // arrows: [{ steps: [[from, to]], kind, side }]; those of the other side in its own numbering.
  arrows(arrows) { this.layers.arrows.replaceChildren(...this.paths(arrows)); }

  // The same as elements; of plays that are `made` the checkers lie at the end.
  paths(arrows, made = false) {
    return arrows.flatMap(({ steps, kind, side = 'own' }) => {
      const seen = new Map();
      return steps.map(([from, to]) => {
        const key = `${from}/${to}`;
        const nth = seen.get(key) ?? 0;
        seen.set(key, nth + 1);
        const [a, b] = [this.foot(from, side, !made), this.foot(to, side, made)];
        const shift = nth * 15 - (nth ? 7 : 0);
        const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1;
        const bow = Math.min(60, length * 0.18) * (dx < 0 ? 1 : -1);
        const [mx, my] = [(a[0] + b[0]) / 2 - dy / length * bow, (a[1] + b[1]) / 2 + dx / length * bow];
        return s('path', { class: `arrow ${kind}`, d: `M${a[0] + shift} ${a[1]}Q${mx + shift} ${my} ${b[0] + shift} ${b[1]}`, 'marker-end': `url(#head-${kind})` });
      });
    });
  }

  // A place that a side names, as the board names it, and the checkers there.
  seen(place, side) {
    const own = side === 'own';
    return place === 25 ? (own ? BARS : OTHER_BAR) : place === 0 ? (own ? OFF : OTHER_OFF) : own ? place : 25 - place;
  }

  count(seen) {
    const { board, off } = this.view;
    return seen === BARS ? board[25] : seen === OTHER_BAR ? board[0] : seen === OFF ? off[0] : seen === OTHER_OFF ? off[1] : board[seen];
  }

  // Where an arrow begins or ends: on the uppermost checker, or where the next one will lie.
  foot(place, side, isFrom) {
    const seen = this.seen(place, side), there = this.count(seen), number = Math.abs(there), isOurs = side === 'own' ? there > 0 : there < 0;
    const height = isFrom ? Math.max(number - 1, 0) : isOurs || seen === OFF || seen === OTHER_OFF ? Math.min(number, this.sizes.stack - 1) : 0;
    return this.spot(seen, height, Math.max(number, 1));
  }

  // The light where the last play began and ended: on the number of a point, else on the frame.
  trace(from, to) {
    const { rim, tall } = this.sizes;
    const place = this.view.lastBy !== 'other' ? to : to === 0 ? OTHER_OFF : 25 - to;
    const x = this.x(place), y = place === OFF || (place >= 1 && place <= 12) ? tall - rim / 2 : rim / 2;
    const high = rim - 3;
    return s('g', { class: 'trace', 'data-from': from }, s('rect', { x: x - 1.1 * high, y: y - high / 2, width: 2.2 * high, height: high, rx: high / 2 }), place > 0 ? this.numbered(place) : []);
  }

  light(places, kind) {
    const { hits, lit } = this.layers;
    for (const each of [...hits.children, ...lit.children]) each.classList.toggle(kind, places.has(Number(each.dataset.place)));
    // The checkers that may move have a ring.
    if (kind === 'can-move') this.layers.sources.replaceChildren(...[...places].map((place) => this.uppermost(place)?.element).filter(Boolean).map((element) => { const ring = s('circle', { class: 'source', r: RADIUS + 1.5 }); ring.style.transform = element.style.transform; return ring; }));
  }

  // What hands ask of the board.
  at(event) {
    const box = this.svg.getBoundingClientRect();
    const x = (event.clientX - box.left) * this.sizes.width / box.width, y = (event.clientY - box.top) * this.sizes.tall / box.height;
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

// A small board to be looked at alone.
export function miniature(view) {
  const board = new Board({ still: true });
  board.show(view);
  board.svg.setAttribute('role', 'img');
  return board.svg;
}

export function stone(side) {
  return s('g', { class: `stone ${side}` }, s('circle', { class: 'body', r: RADIUS - 1.5 }), s('circle', { class: 'ring', r: RADIUS - 8 }),
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
