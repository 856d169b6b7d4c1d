// What kind of error a decision is: habits of moving checkers, families of positions, the direction of the cube, and
// what players call a PR.

import { moved, off, parse, steps } from './position.js';

// What players call a PR below each limit, with the limits that eXtreme Gammon uses.
const RATINGS = [[2.5, 'champion'], [5, 'world-class'], [7.5, 'expert'], [12.5, 'advanced'], [17.5, 'intermediate'], [25, 'casual'], [35, 'beginner'], [Infinity, 'distracted']];
export const rating = (pr) => RATINGS.find(([limit]) => pr < limit)[1];

// Points that a play makes or leaves, and whether it hits.
const held = (board) => new Set([...board.keys()].filter((point) => point > 0 && point < 25 && board[point] > 1));

// The habit that an error in a play shows, or `null`.
export function habit({ kind, position, done, best }) {
  if (kind !== 'checker' || !done || !best) return null;
  const { board } = parse(position), hits = (play) => play.includes('*'), before = held(board);
  const [made, better] = [done, best].map((play) => held(moved(board, steps(play))));
  if (hits(best) !== hits(done)) return hits(best) ? 'missed_hit' : 'wrong_hit';
  if ([...before].some((point) => point > 18 && !made.has(point) && better.has(point))) return 'left_anchor';
  if ([...before].some((point) => point > 18 && made.has(point) && !better.has(point))) return 'stayed_back';
  return [...better].some((point) => !before.has(point) && !made.has(point)) ? 'missed_point' : 'other_play';
}

// The family of a position, beyond its phase, or `null`; `board` is that of the player on roll.
export function family(position) {
  const { board } = parse(position), count = (from, to, side) => board.slice(from, to + 1).reduce((sum, number) => sum + Math.max(side * number, 0), 0);
  const back = count(19, 25, 1), theirs = count(0, 6, -1), borne = off(board);
  const prime = (side) => { let best = 0; for (let point = 1, run = 0; point < 25; point++) { run = side * board[point] > 1 ? run + 1 : 0; best = Math.max(best, run); } return best; };
  if (board[24] > 1 && back === board[24] && count(0, 18, -1) === 0) return 'ace_point';
  if (back >= 6) return 'massive';
  if (borne[1] > 0 && (board[0] < 0 || theirs > 0)) return 'containment';
  return prime(1) > 3 && prime(-1) > 3 && back > 0 && theirs > 0 ? 'prime_prime' : null;
}

// Too careful with the cube, or too bold.
export const DIRECTIONS = { timid: ['missed_double', 'wrong_pass'], bold: ['wrong_double', 'wrong_take', 'wrong_beaver'], greedy: ['wrong_double_too_good'] };

// All themes that a question belongs to: the fault of a cube, or the habit of a play; the phase; the family.
export const themes = (card) => [['faults', card.fault === 'play' ? null : card.fault], ['habits', habit(card)], ['phases', card.phase], ['families', family(card.position)]]
  .filter(([, name]) => name).map(([kind, name]) => `${kind}_${name}`);

// What each player has lost by the kinds that `kind` tells of a decision.
export function sums(decisions, kind) {
  const both = [{}, {}];
  for (const decision of decisions) {
    const name = decision.loss >= 0.02 ? kind(decision) : null, own = both[decision.player - 1];
    if (!name) continue;
    const { errors, loss_emg: loss } = own[name] ?? { errors: 0, loss_emg: 0 };
    own[name] = { errors: errors + 1, loss_emg: loss + decision.loss };
  }
  return both;
}
