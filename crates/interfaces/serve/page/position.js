// Positions as XGIDs, seen by the player on roll. Other notations are read by the engine.

export const START = 'XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10';

const mirrored = (points) => { const board = new Array(26).fill(0); for (const [point, count] of points) { board[point] += count; board[25 - point] -= count; } return board; };
// The boards that the variants of backgammon begin with.
export const STARTS = {
  backgammon: mirrored([[24, 2], [13, 5], [8, 3], [6, 5]]), nackgammon: mirrored([[24, 2], [23, 2], [13, 4], [8, 3], [6, 4]]),
  hypergammon: mirrored([[24, 1], [23, 1], [22, 1]]), longgammon: mirrored([[24, 15]]),
};

const count = (letter) => letter === '-' ? 0
  : letter >= 'a' ? -(letter.charCodeAt(0) - 96) : letter.charCodeAt(0) - 64;
const letter = (number) => number === 0 ? '-'
  : number > 0 ? String.fromCharCode(64 + number) : String.fromCharCode(96 - number);

// The parts of an XGID whose player on roll is the one with the capital letters.
export function parse(text) {
  const [board, cube, owner, turn, dice, own, other, flags, length] = text.replace(/^XGID=/, '').split(':');
  const position = {
    board: [...board].map(count),
    cube: { value: 2 ** Number(cube), owner: ['opponent', 'center', 'player'][Number(owner) + 1] },
    dice: /^[1-6]{2}$/.test(dice) ? [Number(dice[0]), Number(dice[1])] : null,
    offered: dice === 'D',
    length: Number(length), score: [Number(own), Number(other)],
    crawford: Number(length) > 0 && flags === '1', jacoby: Number(length) === 0 && (Number(flags) & 1) === 1,
    beavers: Number(length) === 0 && (Number(flags) & 2) === 2,
  };
  return turn === '-1' ? flip(position) : position;
}

// The same as text; `turned` if the player on roll is not the one whose side the board is seen from.
export function write(position, turned = false) {
  if (turned) return write(flip(position)).replace(/^([^:]*:[^:]*:[^:]*):1:/, '$1:-1:');
  const { board, cube, dice, offered, length, score, crawford, jacoby, beavers } = position;
  const owner = { opponent: -1, center: 0, player: 1 }[cube.owner];
  const flags = length > 0 ? Number(crawford) : Number(jacoby) + 2 * Number(beavers);
  return `XGID=${board.map(letter).join('')}:${Math.log2(cube.value)}:${owner}:1:`
    + `${dice ? dice.join('') : offered ? 'D' : '00'}:${length > 0 ? score.join(':') : '0:0'}:${flags}:${length}:10`;
}

// The same, seen by the other player.
export function flip(position) {
  const owner = { opponent: 'player', center: 'center', player: 'opponent' }[position.cube.owner];
  return { ...position, board: flipped(position.board), cube: { ...position.cube, owner },
    score: [position.score[1], position.score[0]] };
}

export const flipped = (board) => [...board].reverse().map((number) => 0 - number);

export const pips = (board) => [
  board.reduce((sum, number, point) => sum + Math.max(number, 0) * point, 0),
  board.reduce((sum, number, point) => sum + Math.max(-number, 0) * (25 - point), 0),
];

export const off = (board, checkers = 15) => [
  checkers - board.reduce((sum, number) => sum + Math.max(number, 0), 0),
  checkers - board.reduce((sum, number) => sum + Math.max(-number, 0), 0),
];

// The steps of a play in words: [[from, to], ...], 25 the bar, 0 off.
export function steps(play) {
  const point = (text) => ({ bar: 25, off: 0 })[text.toLowerCase()] ?? Number(text);
  return play.split(' ').flatMap((word) => {
    const found = /^((?:bar|\d+)(?:\*?\/(?:off|\d+))+)\*?(?:\((\d)\))?$/i.exec(word);
    if (!found) return [];
    const places = found[1].split('/').map((place) => point(place.replace('*', '')));
    const hops = places.slice(1).map((to, index) => [places[index], to]);
    return Array.from({ length: Number(found[2] ?? 1) }, () => hops).flat();
  });
}

// A board after steps of the player whose checkers are positive.
export function moved(board, hops) {
  const after = [...board];
  for (const [from, to] of hops) {
    after[from] -= 1;
    if (to === 0) continue;
    if (after[to] < 0) { after[to] = 0; after[0] -= 1; }
    after[to] += 1;
  }
  return after;
}
