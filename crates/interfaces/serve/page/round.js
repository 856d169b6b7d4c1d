// Round boards for more than two players: a ring of points in equal sectors, one for each player, and
// what lies beside it in the middle. The sector of the user is below.

import { face, rim } from './board.js';
import { h, s } from './dom.js';
import { glide, listen } from './hands.js';
import { t } from './texts.js';

const SIZE = 1000, MIDDLE = SIZE / 2, CASE = 492, RIM = 466, OUTER = 444, TIP = 268, INNER = 226, DISC = 158;
const STACK = 5;
const TAU = 2 * Math.PI;
// What tells the checkers apart where colors do not.
const SIGNS = {
  spring: '✿', summer: '☀', autumn: '❧', winter: '❄',
  Saturn: '♄', Jupiter: '♃', Mars: '♂', Sun: '☉', Venus: '♀', Mercury: '☿', Moon: '☽',
};
export const sign = (name) => `${SIGNS[name] ?? name[0]}\uFE0E`;
// A ring before it is known from a game: cells, and the colors of the seats.
const RINGS = { 'four-seasons': 24, astronomy: 49 };
const COLORS = {
  spring: '#4f9a4a', summer: '#c8382e', autumn: '#2b2b2b', winter: '#f4f1e8',
  Saturn: '#2b2b2b', Jupiter: '#4f9a4a', Mars: '#c8382e', Sun: '#e8c33a', Venus: '#8a4fa0', Mercury: '#c98a5a', Moon: '#f4f1e8',
};

const point = (angle, radius) => [MIDDLE + radius * Math.cos(angle), MIDDLE + radius * Math.sin(angle)];
const at = (angle, radius) => point(angle, radius).map((number) => number.toFixed(1)).join(' ');

// Between two angles and two radii; angles fall, as the seats follow each other counter-clockwise.
const wedge = (from, to, outer, inner) => `M${at(from, outer)}A${outer} ${outer} 0 0 0 ${at(to, outer)}L${at(to, inner)}A${inner} ${inner} 0 0 1 ${at(from, inner)}z`;

export class RoundBoard {
  // `ask` has what is told: grab(from) -> Map of targets, drop(from, to), tap(place).
  constructor(ask = {}) {
    this.ask = ask;
    this.svg = s('svg', { class: 'board ring', viewBox: `0 0 ${SIZE} ${SIZE}`, role: 'group' });
    this.over = h('div', { class: 'over ring' });
    this.element = h('div', { class: 'board-box ring' }, this.svg, this.over);
    listen(this);
  }

  // What hands ask of the board.
  at(event) {
    const box = this.svg.getBoundingClientRect();
    const x = (event.clientX - box.left) * SIZE / box.width, y = (event.clientY - box.top) * SIZE / box.height;
    const touch = document.elementsFromPoint(event.clientX, event.clientY).find((element) => element.matches('.touch') && this.svg.contains(element));
    return { x, y, place: touch?.dataset.place ?? null };
  }

  named(element) { return element.dataset?.place ?? null; }

  lift(place) {
    const element = this.uppermost.get(place) ?? null;
    if (element) this.svg.insertBefore(element, this.svg.querySelector('.touch'));
    return element;
  }

  lay() { this.show(this.view); }

  light(places, kind) {
    for (const touch of this.svg.querySelectorAll('.touch')) touch.classList.toggle(kind, places.has(touch.dataset.place));
  }

  // The board of a game before it begins.
  preview(game, seats, seat) {
    const count = RINGS[game], sector = count / seats.length;
    const start = (cell) => game === 'astronomy' && cell % sector === 0 ? [cell / sector + 1, 7] : [1, 0];
    this.show({
      players: seats.map((name) => ({ name, color: COLORS[name], beside: game === 'four-seasons' ? [['hand', 12], ['off', 0]] : [['captured', 0]] })),
      cells: Array.from({ length: count }, (_, cell) => start(cell)), numbers: [], seat, movable: new Set(), dice: [], label: t('board'), way: true,
    });
  }

  // view: { players: [{ name, color, beside }], seat, onRoll, cells: [[seat, count]], numbers, movable,
  // changed, dice, label }; seats from 1.
  show(view) {
    this.view = view;
    const before = this.stones ?? [];
    Object.assign(this, { uppermost: new Map(), stones: [] });
    const { players, seat, onRoll, cells, numbers, changed = new Set(), dice, label } = view;
    const sector = cells.length / players.length;
    const base = TAU / 4 + TAU * ((seat - 1) * sector + sector / 2) / cells.length;
    const angle = (cell) => base - TAU * cell / cells.length;
    const color = (index) => players[index].color;
    const drawn = [s('defs', {}, ...paints(players),
      players.map((_, index) => {
        // A name reads from left to right: below the middle its arc runs the other way.
        const [from, to] = [angle(index * sector), angle((index + 1) * sector)];
        const below = Math.sin((from + to) / 2) > 0.02;
        const radius = below ? RIM + 7 : RIM - 6;
        return s('path', { id: `arc-${index}`, d: below ? `M${at(from, radius)}A${radius} ${radius} 0 0 0 ${at(to, radius)}` : `M${at(to, radius)}A${radius} ${radius} 0 0 1 ${at(from, radius)}` });
      })),
    s('circle', { class: 'case', cx: MIDDLE, cy: MIDDLE, r: CASE }), s('circle', { class: 'rim', cx: MIDDLE, cy: MIDDLE, r: CASE - 5 }),
    s('circle', { class: 'felt', cx: MIDDLE, cy: MIDDLE, r: OUTER })];
    cells.forEach((_, cell) => {
      const [from, to] = [angle(cell), angle(cell + 1)], gap = 0.06 * (from - to);
      drawn.push(s('path', { class: `point ${cell % 2 ? 'odd' : 'even'}`, d: `M${at(from - gap, OUTER)}A${OUTER} ${OUTER} 0 0 0 ${at(to + gap, OUTER)}L${at((from + to) / 2, TIP)}z` }));
      if (changed.has(cell)) drawn.push(s('path', { class: 'changed', d: wedge(from, to, OUTER, INNER) }));
      const number = numbers[cell];
      // A phone has room for a few of many numbers.
      const few = rim() > 20 && cells.length > RINGS['four-seasons'] && cell % 3 > 0;
      if (number !== undefined && number !== null && !few) {
        const [x, y] = point((from + to) / 2, TIP - 22);
        drawn.push(s('text', { class: 'ring-number', x: x.toFixed(1), y: (y + 5).toFixed(1) }, String(number)));
      }
    });
    drawn.push(s('circle', { class: 'case', cx: MIDDLE, cy: MIDDLE, r: INNER }), s('circle', { class: 'rim', cx: MIDDLE, cy: MIDDLE, r: INNER - 4 }),
      s('circle', { class: 'felt', cx: MIDDLE, cy: MIDDLE, r: DISC }));
    players.forEach((player, index) => {
      const [from, to] = [angle(index * sector), angle((index + 1) * sector)];
      const own = index + 1 === seat, active = index + 1 === onRoll;
      drawn.push(s('path', { class: 'border', d: `M${at(from, INNER)}L${at(from, OUTER)}` }),
        s('path', { class: `arc ${active ? 'active' : ''}`, style: `stroke: color-mix(in srgb, ${color(index)} 80%, white)`, d: `M${at(from - 0.012, OUTER + 4)}A${OUTER + 4} ${OUTER + 4} 0 0 0 ${at(to + 0.012, OUTER + 4)}` }),
        s('text', { class: `ring-name ${active ? 'active' : ''}` }, s('textPath', { href: `#arc-${index}`, startOffset: '50%' }, `${t(`seat_${player.name}`)}${own ? ` · ${t('you')}` : ''}`)));
    });
    // Checkers on the points, from the rim inwards.
    const radius = Math.min(33, Math.PI * (OUTER - 30) / cells.length - 2.5);
    cells.forEach(([owner, count], cell) => {
      const shown = Math.min(count, STACK + 2), room = OUTER - TIP + 14 - 2 * radius;
      const gap = Math.min(2 * radius + 1, room / Math.max(shown - 1, 1));
      for (let height = 0; height < shown; height++) {
        const last = height === shown - 1;
        const stone = this.stone(owner - 1, radius, ...point(angle(cell + 0.5), OUTER - 6 - radius - gap * height), last && count > 3 ? [sign(players[owner - 1].name), String(count)] : last || gap > 1.7 * radius ? [sign(players[owner - 1].name)] : []);
        drawn.push(stone);
        this.stones.push({ element: stone, side: owner, place: cell, height });
        if (last && owner === seat && numbers[cell] !== null) this.uppermost.set(String(numbers[cell]), stone);
      }
    });
    // What lies beside the board: in the middle, before the sector of its player.
    const beside = new Map();
    players.forEach((player, index) => {
      const kinds = player.beside.filter(([kind]) => ['hand', 'bar', 'off', 'captured'].includes(kind));
      kinds.forEach(([kind, count], nth) => {
        const turn = angle((index + 0.5) * sector) - (nth - (kinds.length - 1) / 2) * 48 / ((INNER + DISC) / 2);
        const place = point(turn, (INNER + DISC) / 2);
        if (index + 1 === seat) beside.set(kind, place);
        else if (count === 0) return;
        const slot = this.stone(index, 20, ...place, count > 0 ? [String(count)] : [], count === 0 ? 'empty' : '');
        slot.classList.add(kind);
        drawn.push(slot);
        if (index + 1 === seat && count > 0) this.uppermost.set(kind, slot);
      });
    });
    (dice ?? []).forEach(({ die, used }, index) => drawn.push(
      s('g', { class: `die ${used ? 'used' : ''}`, transform: `translate(${MIDDLE + (index - (dice.length - 1) / 2) * 62} ${MIDDLE - 34})` },
        s('rect', { x: -26, y: -26, width: 52, height: 52, rx: 11 }), face(Number(die), cells.length > RINGS['four-seasons']))));
    // Before a game: the way of all.
    if (view.way) {
      const [x, y] = point(-0.5, 110);
      drawn.push(s('g', { class: 'way own' }, s('path', { d: `M${at(-0.9, 110)}A110 110 0 1 0 ${at(-0.3, 110)}` }), s('path', { class: 'tip', transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(-118)`, d: 'M11 0l-22 -11v22z' })));
    }
    this.touches(drawn, beside, angle);
    this.svg.setAttribute('aria-label', label);
    this.svg.replaceChildren(...drawn);
    glide(this.svg, before, this.stones);
  }

  // A checker with its sign, a number, or the one above the other.
  stone(index, radius, x, y, texts, kind = '') {
    const scale = radius / 33, tall = texts.length > 1;
    const size = (tall ? 22 : 28) * scale + (scale < 0.7 ? 4 : 0) - (tall && scale < 0.8 ? 2 : 0) + (rim() > 20 ? 5 : 0);
    const stone = s('g', { class: `stone seated ${kind}` }, s('circle', { class: 'body', r: radius, fill: `url(#seat-${index})` }), s('circle', { class: 'ring', r: radius * 0.74 }),
      texts.map((text, line) => s('text', {
        class: `sign ${dark(this.view.players[index].color) ? 'light' : ''}`, style: `font-size: ${size.toFixed(1)}px`,
        y: (0.36 * size + (tall ? (line - 0.5) * 0.92 * size : 0)).toFixed(1),
      }, text)));
    stone.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    return stone;
  }

  // What can be touched and heard.
  touches(drawn, beside, angle) {
    const { players, seat, cells, numbers, movable } = this.view;
    const may = (place) => movable.has(place);
    const touch = (place, words, element) => {
      const name = `${words}${may(place) ? `, ${t('can_move')}` : ''}`;
      for (const [key, value] of Object.entries({ class: `touch ${may(place) ? 'can-move' : ''}`, 'data-place': place, role: 'button', tabindex: may(place) ? 0 : -1, 'aria-label': name })) element.setAttribute(key, value);
      element.addEventListener('keydown', (event) => { if (event.key === 'Enter') { event.preventDefault(); this.ask.tap?.(place); } });
      drawn.push(element);
    };
    cells.forEach(([owner, count], cell) => {
      const number = numbers[cell];
      if (number === undefined || number === null) return;
      const who = owner === seat ? t('own_checkers', count) : `${t(`seat_${players[owner - 1].name}`)}: ${count}`;
      touch(String(number), `${t('point', number)}: ${count === 0 ? t('empty') : who}`, s('path', { d: wedge(angle(cell), angle(cell + 1), OUTER, INNER + 6) }));
    });
    for (const [kind, [x, y]] of beside) {
      if (kind === 'captured') continue;
      const count = players[seat - 1].beside.find(([name]) => name === kind)[1];
      touch(kind, t(`beside_${kind}`, count), s('circle', { cx: x.toFixed(1), cy: y.toFixed(1), r: 30 }));
    }
  }
}

// Whether what is written on a checker of this color has to be light.
export function dark(color) {
  const [red, green, blue] = [1, 3, 5].map((from) => parseInt(color.slice(from, from + 2), 16));
  return 0.3 * red + 0.59 * green + 0.11 * blue < 150;
}

function paints(players) {
  return [
    ...players.map(({ color }, index) => s('radialGradient', { id: `seat-${index}`, cx: '38%', cy: '30%', r: '80%' },
      s('stop', { offset: 0, style: `stop-color: color-mix(in srgb, ${color} 68%, white)` }), s('stop', { offset: 0.55, style: `stop-color: ${color}` }),
      s('stop', { offset: 1, style: `stop-color: color-mix(in srgb, ${color} 78%, black)` }))),
    s('linearGradient', { id: 'wood', x1: 0, y1: 0, x2: 1, y2: 1 }, s('stop', { offset: 0, class: 'wood-light' }), s('stop', { offset: 1, class: 'wood-dark' })),
    s('filter', { id: 'soft', x: '-30%', y: '-30%', width: '160%', height: '170%' }, s('feDropShadow', { dx: 0, dy: 2, stdDeviation: 2, 'flood-opacity': 0.35 })),
  ];
}
