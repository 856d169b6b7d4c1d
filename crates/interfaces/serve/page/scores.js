// What is best at every score of a match: the action of the cube, or the play of a roll; and the way to another score.

import { h, select } from './dom.js';
import * as figures from './figures.js';
import { parse, write } from './position.js';
import { number, t } from './texts.js';
import { say } from './words.js';

// The scores of a matrix.
const AWAY = 7;
// Plays that have a letter of their own; the others share the last one.
const LETTERS = 'ABCDEFG';

// A position at another score, by what both need: the player on roll first. Without them it is for money.
export function at(position, away, crawford = false) {
  const most = away ? Math.max(...away, position.length, 5) : 0;
  return write({ ...position, offered: false, length: most, score: away ? away.map((left) => most - left) : [0, 0], crawford, jacoby: false, beavers: false });
}

// The same position at another score of the match, or for money.
export function elsewhere(text, go) {
  const position = parse(text), { length, score } = position, away = Array.from({ length: Math.min(Math.max(length, 5), 9) }, (_, index) => index + 1), here = score.map((points) => length - points).join();
  return select(t('other_score'), [['here', '–'], ['', t('money')], ...away.flatMap((one) => away.map((two) => [`${one},${two}`, t('away_away', one, two)]))].filter(([key]) => key !== here), 'here', (value) => go(at(position, value ? value.split(',').map(Number) : null)));
}

// A table by what both need, the player on roll from above to below, and the Crawford game on its edges.
function grid({ scores, crawford: { player_leads: ahead, opponent_leads: behind } }, cell) {
  const heads = [...scores.map((_, index) => `−${index + 1}`), '−1C'], last = scores.length;
  const of = (one, two) => one < last && two < last ? cell(scores[one][two], [one + 1, two + 1]) : one === last && two > 0 && two < last ? cell(ahead[two - 1], [1, two + 1], true) : two === last && one > 0 && one < last ? cell(behind[one - 1], [one + 1, 1], true) : h('td');
  return h('div', { class: 'wide-table', tabindex: 0, role: 'region', 'aria-label': t('score_matrix') }, h('table', { class: 'grid' }, h('thead', {}, h('tr', {}, h('td'), heads.map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', {}, heads.map((head, one) => h('tr', {}, h('th', { scope: 'row' }, head), heads.map((_, two) => of(one, two)))))));
}

// The action of the cube at every score.
export async function cubes(engine, position) {
  const answer = await engine.ask('matrix', { position: write({ ...position, dice: null, offered: false }), away: AWAY, ply: 0 });
  const short = (action) => t(`short_${action.startsWith('too_good') ? 'too_good' : action}`);
  return [h('h2', {}, t('score_matrix')), h('p', { class: 'quiet' }, t('matrix_help')), grid(answer, (cell) => h('td', { class: cell?.action, title: cell ? figures.verdict(cell) : '' }, cell ? short(cell.action) : ''))];
}

// The best play of the roll at every score, as letters that stand for the plays; each leads to its score.
export async function plays(engine, position, ply, watch) {
  const answer = await engine.job({ op: 'play_matrix', position: write({ ...position, offered: false }), away: AWAY, ply }, watch), { scores, crawford, money } = answer, counts = new Map();
  for (const cell of [money, ...scores.flat(), ...Object.values(crawford).flat()]) if (cell) counts.set(cell.play, (counts.get(cell.play) ?? 0) + 1);
  const names = [...counts.keys()].sort((one, two) => counts.get(two) - counts.get(one)), letter = (play) => LETTERS[Math.min(names.indexOf(play), LETTERS.length - 1)];
  const told = ({ play, second, second_loss: lost, money_play_loss: lose }) => [say(play), second ? `${say(second)} −${number(lost, 3)}` : null, lose > 0.0005 ? t('money_play_loses', say(money.play), number(lose, 3)) : null].filter(Boolean).join('; ');
  const cell = (found, away, crawfordGame) => !found ? h('td') : h('td', { class: `play-${letter(found.play)}`, title: told(found) },
    h('a', { href: `#/analyze/${at(position, away, crawfordGame)}`, 'aria-label': `${t('away_away', ...away)}: ${told(found)}` }, letter(found.play)));
  return [h('h2', {}, t('play_matrix')), h('p', { class: 'quiet' }, t('play_matrix_help', t('ply', answer.ply))),
    h('ol', { class: 'legend' }, names.map((play) => h('li', {}, h('b', { class: `play-${letter(play)}` }, letter(play)), say(play), h('small', {}, number(counts.get(play)))))),
    money ? h('p', { class: 'quiet' }, `${t('money')}: ${told(money)}`) : null, grid(answer, cell)];
}
