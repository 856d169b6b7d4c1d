// The result of a match, with which its review begins: the figures of both players, their worst errors, and whether a
// report of the program says the same.

import { miniature } from './board.js';
import { h } from './dom.js';
import { grade, isError } from './figures.js';
import * as history from './history.js';
import { table } from './mine.js';
import { off, parse, steps } from './position.js';
import { equity, number, percent, pointsOf, t } from './texts.js';
import './texts-later.js';
import { rating } from './themes.js';
import { action as say } from './words.js';

// The players, the score, and what the errors of one have cost, in a sentence.
export function headline(review) {
  const { analysis, decisions } = review, [one, two] = analysis.players, { score } = history.summary(analysis), { played, event } = history.find(review.id) ?? {};
  const side = review.whose ?? (two.errors + two.blunders > one.errors + one.blunders ? 1 : 0), { name } = analysis.players[side];
  const blunders = decisions.filter(({ player, loss }) => player === side + 1 && grade(loss) === 'blunder'), errors = decisions.filter(({ player, loss }) => player === side + 1 && isError(loss));
  const cost = (all) => analysis.length > 0 ? percent(all.reduce((sum, each) => sum + (each.loss_mwc ?? 0), 0)) : number(all.reduce((sum, { loss }) => sum + loss, 0), 2);
  const key = blunders.length ? 'blunders' : errors.length ? 'errors' : 'none', all = blunders.length ? blunders : errors;
  return h('header', { class: 'status headline' }, h('p', { class: 'eyebrow' }, [event, played, analysis.length ? pointsOf(analysis.length) : t('money')].filter(Boolean).join(' · ')), h('h1', {}, `${one.name} – ${two.name} ${score.join('–')}`),
    h('p', { class: 'verdict', 'data-verdict': '' }, t(`verdict_${key}${all.length === 1 ? '_one' : ''}`, name, number(all.length), t(analysis.length > 0 ? 'of_match' : 'of_points', cost(all)))));
}

// What the file says of a decision, by the engines that have analyzed it.
export const stored = ({ beside = [] }) => beside.map((said) => ({ ...said, engine: said.name === 'XG' ? said.name : said.engine }));

// The figures of both players, those that the file has from other engines beside ours.
export function summary(review) {
  const { analysis, decisions } = review, engines = [...new Set(decisions.flatMap(stored).map(({ engine }) => engine))], said = (name, each) => stored(each).find(({ engine }) => engine === name);
  // Performance by the figures of another engine.
  const by = (engine) => (player, index) => { const own = decisions.filter((each) => each.counted_pr && each.player === index + 1 && said(engine, each)); return own.length ? number(500 * own.reduce((sum, each) => sum + said(engine, each).loss, 0) / own.length, 1) : '–'; };
  const size = (test) => (_, index) => number(decisions.filter(({ player, loss }) => player === index + 1 && test(loss)).length);
  return table(analysis.players.map(({ name }) => name), [[t('pr'), ({ pr, pr_interval: wide }) => pr === null ? '–' : `${number(pr, 1)}\u00a0±\u00a0${number(wide ?? 0, 1)}`],
    [t('level'), ({ pr, rating: rated }) => rated ? t(`rating_${rating(pr)}`) : t('too_short')], ...engines.map((engine) => [t('pr_of', engine), by(engine)]),
    [t('luck'), ({ luck_emg: luck }) => equity(luck)], ...analysis.length > 0 && analysis.players.every(({ luck_adjusted_result: fair }) => typeof fair === 'number') ? [[t('without_luck'), ({ luck_adjusted_result: fair }) => percent(fair)]] : [],
    [t('blunders'), size((loss) => grade(loss) === 'blunder')], [t('smaller_errors'), size((loss) => grade(loss) === 'error')], [t('doubts'), size((loss) => grade(loss) === 'doubt')]].map(([word, value]) => [word, ...analysis.players.map(value)]));
}

// The three worst errors, each with its board.
export function worst(review, errors) {
  return errors.length ? h('ol', { class: 'worst' }, errors.slice(0, 3).map((each) => {
    const own = parse(each.position), { board, cube } = own, done = each.kind === 'checker' ? [{ steps: steps(each.done), kind: 'played' }, { steps: steps(each.best), kind: 'best' }] : [];
    return h('li', {}, h('button', { type: 'button', class: grade(each.loss), 'data-at': each.index, onclick: () => review.to(each.index, true) },
      (review.small[`${each.position} ${each.done} ${each.best}`] ??= miniature({ board, off: off(board).map((count) => Math.max(count, 0)), cube, crawford: own.crawford, dice: (own.dice ?? []).map((die) => ({ die, used: false })), roller: 'own', offered: own.offered, arrows: done, label: t('board') })).cloneNode(true),
      h('span', {}, `${t('game_n', each.game)}: ${say(each.done)} → ${say(each.best)}`), h('b', {}, `−${number(each.loss, 3)}`)));
  })) : null;
}

// A report that the program has made of this match is repeated here; a server has the program for that.
export function verifier(review) {
  if (!review.engine.verify) return null;
  const said = h('p', { class: 'quiet', role: 'status' });
  const verify = async (file) => {
    if (!file) return;
    const progress = ({ done, total }) => { said.textContent = t('analyzing', number(done), number(total)); };
    said.textContent = t('loading');
    try {
      const { same, decisions, differences } = await review.engine.verify(await file.text(), history.bytesOf(history.file(review.id)), { progress, signal: review.stop?.signal });
      const [first] = differences;
      said.textContent = same ? t('report_same', number(decisions)) : t('report_differs', number(differences.length), number(decisions), `${first.game ? `${t('game_n', first.game)}, ${first.number}: ` : ''}${first.key}`);
    } catch (error) {
      if (error.kind === 'canceled') said.textContent = '';
      else said.textContent = error.message;
    }
  };
  return h('details', { class: 'verify' }, h('summary', {}, t('verify_report')), h('p', { class: 'quiet' }, t('verify_lead')),
    h('input', { type: 'file', accept: '.json,application/json', 'aria-label': t('verify_report'), onchange: ({ target }) => verify(target.files[0]) }), said);
}
