// What an analysis says of a game that is over: its figures and its worst errors on a card, and the losses in its list.

import { h } from './dom.js';
import * as figures from './figures.js';
import { equity, number, t } from './texts.js';
import './texts-later.js';
import { action } from './words.js';

export function deal(play, analysis) {
  const { id, state } = play;
  const worst = analysis.decisions.map((each, index) => ({ ...each, index })).filter(({ player, loss, game, plays, actions }) => (play.shared || player === 1) && (plays || actions) && figures.isError(loss) && (state.waiting.for === 'match_over' || game === state.game_number))
    .sort((one, two) => two.loss - one.loss).slice(0, 3);
  // The moves have the colors of what they lost, and lead to the review.
  play.losses = new Map();
  const left = analysis.decisions.map((each, index) => ({ ...each, index })).filter(({ game }) => game === state.game_number);
  for (const [index, { seat, act }] of state.log.entries()) {
    const kind = { play: 'checker', double: 'double', take: 'response', drop: 'response' }[act], at = left.findIndex((each) => each.kind === kind && each.player === seat && (kind !== 'double' || !each.done.startsWith('no ')));
    if (kind && at >= 0) { const [{ loss, index: place }] = left.splice(0, at + 1).slice(-1); play.losses.set(index, { loss, go: () => play.app.go(`match/${id}/${place}`) }); }
  }
  const { pr } = analysis.players[0], players = analysis.players.slice(0, play.shared ? 2 : 1);
  const facts = ({ name, pr, luck_emg: luck, errors, blunders }) => [[t('pr'), pr === null ? '–' : number(pr, 1)], [t('luck'), equity(luck)], [t('error_rate'), `${errors} / ${blunders}`]].map(([word, value]) => [play.shared ? `${name}: ${word}` : word, value]);
  play.card = h('section', { class: 'card' },
    h('dl', { class: 'facts' }, players.flatMap(facts).map(([word, value]) => h('div', {}, h('dt', {}, word), h('dd', {}, value)))),
    worst.length ? [h('h2', {}, t('worst')), h('ol', { class: 'errors' }, worst.map((each) => h('li', {}, h('button', { type: 'button', class: figures.grade(each.loss), 'data-act': 'again', onclick: () => play.app.go(`match/${id}/${each.index}/again`) },
      h('span', {}, t('try_again')), h('span', { class: 'name' }, action(each.done)), h('b', {}, `−${number(each.loss, 3)}`)))))] : pr === null ? null : h('p', { class: 'quiet' }, t('no_errors')));
  play.render();
}
