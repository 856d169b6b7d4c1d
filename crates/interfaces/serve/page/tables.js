// The boards of historical games for two: twenty-four points, or three rows of cells.

import { base, face, rim as rims, square, stone, upright, wood } from './board.js';
import { h, s } from './dom.js';
import { glide, listen } from './hands.js';
import { t } from './texts.js';

const CELL = 62, RADIUS = 26.9, STACK = 5;
// Slim and tall on a phone that is held upright, tall in a square window.
const sizes = () => {
  const found = upright.matches ? { edge: 6, gap: 44, tray: 48, height: 800, row: 250 } : { edge: 20, gap: 64, tray: 70, ...square.matches ? { height: 820, row: 260 } : { height: 640, row: 190 } };
  return { ...found, rim: rims(), width: 2 * found.edge + 2 * found.tray + 12 * CELL + found.gap };
};
const columns = ({ edge, tray, gap }) => (index) => edge + tray + index * CELL + (index >= 6 ? gap : 0) + CELL / 2;

// Where places are: a middle, the direction in which checkers pile up, and the room for them.
function pointsLayout(size) {
  const { rim, height } = size, tall = height + 2 * rim, places = new Map();
  const column = columns(size);
  for (let point = 1; point <= 24; point++) {
    const low = point <= 12;
    places.set(String(point), { x: column(12 - (low ? point : 25 - point)), y: low ? tall - rim : rim, way: low ? -1 : 1, room: 0.42 * height, width: CELL });
  }
  sides(places, tall, size);
  return { tall, places };
}

function scriptaLayout(size) {
  const { rim, row } = size, tall = 3 * row + 2 * rim, places = new Map();
  const column = columns(size);
  const put = (name, line, index) => places.set(name, { x: column(index), y: rim + line * row + row - 18, way: -1, room: row - 40, width: CELL, row: line });
  for (let index = 0; index < 12; index++) {
    put(String(7 + index), 0, index);
    put(String(30 - index), 2, index);
    if (index < 6) put(String(index + 1), 1, index);
    else put(`other-${12 - index}`, 1, index);
  }
  sides(places, tall, size);
  return { tall, places };
}

// Hands at the left, borne-off checkers at the right, the bars in the middle; ours are below.
function sides(places, tall, { edge, rim, tray, gap, width }) {
  const middle = edge + tray + 6 * CELL + gap / 2, left = edge + tray / 2, right = width - left;
  const add = (name, x, low, width, flat) => places.set(name, { x, y: low ? tall - rim : rim, way: low ? -1 : 1, room: tall / 2 - rim - 34, width, flat });
  add('hand', left, true, tray, true);
  add('other-hand', left, false, tray, true);
  add('off', right, true, tray, true);
  add('other-off', right, false, tray, true);
  add('bar', middle, true, gap, false);
  add('other-bar', middle, false, gap, false);
}

// Checkers by place: positive ours. Those of the other side that lie where none of ours can are
// under names of their own.
export function counts(board) {
  const found = new Map();
  const put = (name, count) => { if (count !== 0) found.set(name, count); };
  if (board.kind === 'points') board.points.forEach(([count], index) => put(String(index + 1), count));
  else {
    board.track.forEach((count, index) => put(String(index + 7), count));
    board.entry[0].forEach((count, index) => put(String(index + 1), count));
    board.entry[1].forEach((count, index) => put(`other-${index + 1}`, -count));
  }
  for (const [name, both] of [['hand', board.hand], ['bar', board.bar], ['off', board.off]]) {
    put(name, both[0]);
    put(`other-${name}`, -both[1]);
  }
  return found;
}

// The way of checkers over twenty-four points as an arrow, from the first quarter to the last, or back.
function arrow(size, tall, side, inset, back) {
  const left = columns(size)(0) - 10 + inset, right = size.width - left, [low, high] = [tall / 2 + 46 - inset, tall / 2 - 46 + inset];
  const [start, end] = back ? [high, low] : [low, high];
  return s('g', { class: `way ${side}` }, s('path', { d: `M${right} ${start}H${left + 24}Q${left} ${start} ${left} ${(start + end) / 2}T${left + 24} ${end}H${right - 18}` }),
    s('path', { class: 'tip', d: `M${right} ${end}l-22 -11v22z` }));
}

// The same on three rows: each side enters on its half of the middle one, then both run over the upper and
// back over the lower one.
function rowsArrow(size, side, inset) {
  const { rim, row } = size, x = columns(size), middle = rim + 1.5 * row + inset - 10;
  const [start, end] = side === 'own' ? [x(0), x(5)] : [x(11), x(6)], tip = side === 'own' ? -22 : 22;
  const [top, bottom, left, right] = [rim + 0.5 * row + inset, rim + 2.5 * row - inset, x(0), x(11) - inset];
  return s('g', { class: `way ${side}` }, s('path', { d: `M${start} ${middle}H${end + tip / 2}` }), s('path', { class: 'tip', d: `M${end} ${middle}l${tip} -11v22z` }),
    s('path', { d: `M${left} ${top}H${right - 60}Q${right} ${top} ${right} ${top + 60}V${bottom - 60}Q${right} ${bottom} ${right - 60} ${bottom}H${left + 18}` }), s('path', { class: 'tip', d: `M${left} ${bottom}l22 -11v22z` }));
}

// The ways of both sides: along the `same` points, `against` each other, from both `ends`, over three `rows`.
function ways(size, tall, way) {
  if (way === 'rows') return [rowsArrow(size, 'own', 0), rowsArrow(size, 'other', 22)];
  const other = arrow(size, tall, 'other', 20, way === 'against');
  if (way === 'ends') other.setAttribute('transform', `translate(${size.width} 0) scale(-1 1)`);
  return [arrow(size, tall, 'own', 0, false), other];
}

export class TablesBoard {
  // `ask` has what is told: grab(from) -> Map of targets, drop(from, to), tap(place).
  constructor(ask = {}) {
    this.ask = ask;
    this.svg = s('svg', { class: 'board tables', role: 'group' });
    this.over = h('div', { class: 'over' });
    this.element = h('div', { class: 'board-box' }, this.svg, this.over);
    listen(this);
  }

  // What hands ask of the board.
  at(event) {
    const box = this.svg.getBoundingClientRect();
    const x = (event.clientX - box.left) * this.size.width / box.width, y = (event.clientY - box.top) * this.tall / box.height;
    const inside = ([, place]) => x >= place.x - place.width / 2 && x < place.x + place.width / 2
      && (place.way > 0 ? y >= place.y && y < place.y + place.room : y >= place.y - place.room && y < place.y);
    return { x, y, place: [...this.places].find(inside)?.[0] ?? null };
  }

  named(element) { return element.dataset?.place ?? null; }

  lift(place) {
    const element = this.uppermost.get(place) ?? null;
    element?.classList.remove('borne');
    if (element) this.svg.insertBefore(element, this.svg.querySelector('.touch'));
    return element;
  }

  lay() { this.show(this.view); }

  light(places, kind) {
    for (const touch of this.svg.querySelectorAll('.touch')) touch.classList.toggle(kind, places.has(touch.dataset.place));
  }

  // `places` has the checkers by place, ours positive; `marked` how many of a point are marked; `way` whether
  // both run the `same` way or `against` each other, to be shown.
  show(view) {
    this.view = view;
    const { board, places: found, movable, dice, label, marked } = view;
    const size = sizes(), { edge, rim, tray, gap: seam, width: wide } = size, big = upright.matches ? 1.3 : 1;
    const { tall, places } = board.kind === 'points' ? pointsLayout(size) : scriptaLayout(size);
    const before = this.stones ?? [];
    Object.assign(this, { size, tall, places, uppermost: new Map(), stones: [] });
    const half = 6 * CELL;
    const field = (x) => s('rect', { class: 'felt', x, y: rim, width: half, height: tall - 2 * rim, rx: 3 });
    const drawn = [...wood(), s('rect', { class: 'case', x: 0, y: 0, width: wide, height: tall, rx: 18 }),
      s('rect', { class: 'rim', x: 5, y: 5, width: wide - 10, height: tall - 10, rx: 14 }),
      field(edge + tray), field(edge + tray + half + seam)];
    for (const [name, { x, y, way, room, width, flat, row }] of places) {
      if (flat) drawn.push(s('rect', { class: 'tray', x: x - width / 2 + 8, y: way > 0 ? y : y - room, width: width - 16, height: room, rx: 8 }));
      else if (row !== undefined) {
        drawn.push(s('rect', { class: `cell ${row === 1 ? 'entry' : ''}`, x: x - width / 2 + 3, y: y - room - 8, width: width - 6, height: room + 12, rx: 8 }),
          s('text', { class: 'cell-number', x, y: y - room + 2 * base() }, name.replace('other-', '')));
      } else if (!Number.isNaN(Number(name))) {
        drawn.push(s('path', { class: `point ${Number(name) % 2 ? 'odd' : 'even'}`, d: `M${x - width / 2 + 2} ${y}L${x} ${y + way * room}L${x + width / 2 - 2} ${y}z` }),
          s('text', { class: 'number', x, y: (way > 0 ? rim / 2 : tall - rim / 2) + base() }, name));
      }
    }
    for (const [name, count] of found) {
      const at = places.get(name);
      if (!at) continue;
      const many = Math.abs(count), side = count > 0 ? 'own' : 'other';
      const shown = at.flat ? many : Math.min(many, STACK + 3);
      const gap = at.flat ? Math.min(17.5, (at.room - 36) / Math.max(many, 1)) : Math.min(2 * RADIUS, (at.room - 2 * RADIUS) / Math.max(shown - 1, 1));
      for (let height = 0; height < shown; height++) {
        const checker = stone(side);
        if (at.flat) checker.classList.add('borne');
        if (height < (marked?.get(name) ?? 0)) checker.classList.add('marked');
        checker.style.transform = `translate(${at.x}px, ${at.y + at.way * (at.flat ? 14 + height * gap : RADIUS + 3 + height * gap)}px)`;
        drawn.push(checker);
        this.stones.push({ element: checker, side, place: name, height });
        this.uppermost.set(name, checker);
      }
      if (many > 3) drawn.push(s('text', { class: `count ${at.flat ? 'tray-count' : side}`, x: at.x, y: at.flat ? at.y + at.way * (at.room - 8) + (at.way > 0 ? 5 : 2 * base() + 1) : at.y + at.way * (RADIUS + 3 + (shown - 1) * gap) + 6 }, String(many)));
    }
    if (dice?.length) {
      const center = edge + tray + half + seam + half / 2;
      dice.forEach(({ die }, index) => {
        const beside = (index - (dice.length - 1) / 2) * 60 * big;
        const [x, y] = board.kind === 'points' ? [center + beside, tall / 2] : [wide / 2, tall / 2 + beside];
        drawn.push(s('g', { class: 'die', transform: `translate(${x} ${y}) scale(${0.92 * big})` }, s('rect', { x: -26, y: -26, width: 52, height: 52, rx: 11 }),
          face(Number(die))));
      });
    }
    // Before a game: where both are going.
    if (view.way) drawn.push(...ways(size, tall, view.way));
    // What can be touched and heard.
    const words = (name) => {
      const count = found.get(name) ?? 0;
      const place = { hand: t('hand'), bar: t('bar'), off: t('borne_off') }[name.replace('other-', '')] ?? t('point', name.replace('other-', ''));
      return `${place}: ${count === 0 ? t('empty') : t(count > 0 ? 'own_checkers' : 'other_checkers', Math.abs(count))}${movable.has(name) ? `, ${t('can_move')}` : ''}`;
    };
    for (const [name, { x, y, way, room, width }] of places) {
      const may = movable.has(name);
      drawn.push(s('rect', {
        class: `touch ${may ? 'can-move' : ''}`, 'data-place': name, x: x - width / 2, y: way > 0 ? y : y - room, width, height: room, rx: 8, role: 'button',
        tabindex: may ? 0 : -1, 'aria-label': words(name),
        onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); this.ask.tap?.(name); } },
      }));
    }
    this.svg.setAttribute('viewBox', `0 0 ${wide} ${tall}`);
    this.svg.setAttribute('aria-label', label);
    this.svg.replaceChildren(...drawn);
    glide(this.svg, before, this.stones);
  }
}
