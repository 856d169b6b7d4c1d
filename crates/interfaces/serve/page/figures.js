// Figures of the engine as things to look at: bars of chances, tables of plays, cube decisions.

import { h, replace, slice } from './dom.js';
import { equity, number, percent, t } from './texts.js';

// The bar of six exclusive results; `probs` are win, win gammon, win backgammon, lose gammon, lose
// backgammon, each counting the better ones too.
export function chances(probs, { title = t('chances') } = {}) {
  const [win, winGammon, winBackgammon, loseGammon, loseBackgammon] = probs;
  const parts = [
    ['win-bg', winBackgammon, `${t('win')}, ${t('backgammons')}`],
    ['win-g', winGammon - winBackgammon, `${t('win')}, ${t('gammons')}`],
    ['win-s', win - winGammon, t('win')],
    ['lose-s', 1 - win - loseGammon, t('lose')],
    ['lose-g', loseGammon - loseBackgammon, `${t('lose')}, ${t('gammons')}`],
    ['lose-bg', loseBackgammon, `${t('lose')}, ${t('backgammons')}`],
  ];
  const side = (word, value, gammon, backgammon, kind) => h('div', { class: `side ${kind}` },
    h('strong', {}, percent(value)), h('span', {}, word),
    h('small', {}, `${t('gammons')} ${percent(gammon)} · ${t('backgammons')} ${percent(backgammon)}`));
  return h('figure', { class: 'chances' }, title ? h('figcaption', {}, title) : null,
    h('div', { class: 'bar', role: 'img', 'aria-label': parts.map(([, value, word]) => `${word} ${percent(Math.max(value, 0))}`).join('; ') },
      parts.map(([kind, value, word]) => h('i', { class: kind, style: `flex-grow:${Math.max(value, 0)}`, title: `${word} ${percent(Math.max(value, 0))}` }))),
    h('div', { class: 'sides' }, side(t('win'), win, winGammon, winBackgammon, 'win'), side(t('lose'), 1 - win, loseGammon, loseBackgammon, 'lose')));
}

const ERROR = 0.02, BLUNDER = 0.08;
export const grade = (loss) => loss >= BLUNDER ? 'blunder' : loss >= ERROR ? 'error' : loss > 0.001 ? 'doubt' : 'good';
export const isError = (loss) => loss >= ERROR;

// What was lost, with its interval of 95 % where that is known.
export const lossOf = ({ loss, interval }) => `${number(Math.max(loss, 0), 3)}${interval === undefined ? '' : `\u00a0±\u00a0${number(interval, 3)}`}`;

// What was done, turn by turn, a column for each of two sides; `turns` are { side: 'own' | 'other', name, text,
// loss, here, go, head, others }, the last one of them shown unless one is `here`; `others` are lists of turns
// that were tried in its place. A list from `before` becomes the new one: only rows that differ are made.
export function moves(turns, columns = 2, before = null) {
  const said = ({ name, text, loss = 0, here, go, why = [] }, marked = '') => {
    const words = [h('span', { class: columns === 2 ? 'sr' : '' }, `${name}: `), text, isError(loss) ? h('b', { class: grade(loss) }, ` −${number(loss, 3)}`) : null, why.map((reason) => h('small', {}, reason))];
    return go ? h('button', { type: 'button', class: here ? marked : '', tabindex: here ? 0 : -1, onclick: go }, words) : words;
  };
  const aside = (turns) => turns.flatMap((turn) => [said(turn, 'here'), ...(turn.others ?? []).map((other) => ['(', aside(other), ')'])]).flat(9);
  const row = (turn) => {
    const { side, here, head, color, others = [] } = turn;
    return [head ? h('li', { class: 'head' }, head) : null,
      h('li', { class: `${side} ${here ? 'here' : ''}`, 'aria-current': here ? 'true' : null, style: color ? `border-color: ${color}` : null }, said(turn)),
      ...others.map((other) => h('li', { class: 'variation' }, h('span', { class: 'sr' }, `${t('variation')}: `), aside(other)))];
  };
  const list = before ?? Object.assign(h('ol', { class: columns === 2 ? 'turns two' : 'turns', tabindex: 0, 'aria-label': t('game_log') }), { rows: new Map() });
  fill(list, turns, row);
  return list;
}

// Rows that are made in one go.
const ROWS = 40;
async function fill(list, turns, row) {
  const { rows: known } = list, rows = list.rows = new Map(), mine = list.filling = {}, all = [];
  for (const [index, turn] of turns.entries()) {
    const name = JSON.stringify([index, turn]);
    // What is seen first comes first.
    if (!known.has(name) && turns.length > ROWS && index % ROWS === 0) {
      await slice();
      if (mine !== list.filling) return;
      list.append(...all.flat(2).filter((each) => each && each.parentNode !== list));
    }
    const made = known.get(name) ?? row(turn);
    rows.set(name, made);
    all.push(made);
  }
  replace(list, all);
  requestAnimationFrame(() => {
    const here = list.querySelector('.here');
    if (here && here === list.shown) return;
    list.shown = here;
    list.scrollTop = here ? here.offsetTop - list.clientHeight / 2 : list.scrollHeight;
  });
}

export const worth = (play) => play.cubeful_equity ?? play.equity;

// Plays, best first. `pick(play)` when one is pointed at, `choose(play)` when it is chosen; `played` is
// marked. Where nothing can be pointed at, a first tap picks, and brings `board` into sight.
export function plays(list, { pick, choose, played, board } = {}) {
  if (!list.length) return h('p', { class: 'quiet' }, t('no_plays'));
  let picked = null;
  const tap = (play) => {
    if (choose && (picked === play || !matchMedia('(hover: none)').matches)) { choose(play); return; }
    picked = play;
    pick?.(play);
    board?.scrollIntoView({ block: 'nearest', behavior: 'smooth' });
  };
  return h('ol', { class: 'plays' }, list.map((play, index) => h('li', { class: play.play === played ? 'played' : '' },
    h('button', {
      type: 'button', class: index === 0 ? 'best' : '',
      onpointerenter: () => pick?.(play), onfocus: () => pick?.(play), onclick: () => tap(play),
    },
    h('span', { class: 'rank' }, String(index + 1)),
    h('span', { class: 'name' }, play.play),
    h('span', { class: 'value' }, equity(worth(play))),
    h('span', { class: 'lost' }, index === 0 ? '' : `−${equity(Math.max(play.loss, 0)).slice(1)}`),
    h('span', { class: 'mini', 'aria-hidden': 'true' }, h('i', { style: `width:${100 * play.probs[0]}%` })),
    h('span', { class: 'detail' }, `${percent(play.probs[0])} · ${t('gammons')} ${percent(play.probs[1])} / ${percent(play.probs[3])} · ${play.rollout ? `${t('rolled_out', number(play.rollout.trials))} ±\u00a0${number(1.96 * play.rollout.equity_se, 3)}` : t('ply', play.ply)}${index && play.interval !== undefined ? ` · ±\u00a0${number(play.interval, 3)}` : ''}`)))));
}

export function verdict(answer) {
  if (answer.question === 'response') return `${t(answer.response === 'pass' ? 'drop' : answer.response)}.`;
  if (answer.response === 'beaver' && answer.action === 'no_double_take') return t('v_no_double_beaver');
  return `${t(`v_${answer.action}`)}${answer.optional ? ` ${t('optional')}` : ''}`;
}

// A cube decision in words and figures.
export function cube(answer) {
  const rows = [[t('no_double'), answer.no_double, answer.mwc_no_double], [t('double_take'), answer.double_take, answer.mwc_double_take], [t('double_pass'), answer.double_pass, answer.mwc_double_pass], [t('double_beaver'), answer.double_beaver]];
  const right = answer.question === 'response' ? ['', 'take', 'pass', 'beaver'].indexOf(answer.response) : answer.action.startsWith('double') ? (answer.action === 'double_take' ? 1 : 2) : 0;
  // The lesser action of the question, and what it loses.
  const [worse, key] = answer.question === 'response' ? (right === 2 ? [1, 'take'] : [2, 'pass']) : right ? [0, 'no_double'] : [answer.response === 'pass' ? 2 : 1, 'double'];
  const loss = answer.losses?.[key] ?? 0;
  return h('div', { class: 'cube-figures' }, h('p', { class: 'verdict' }, verdict(answer)),
    answer.reason ? h('p', { class: 'quiet' }, answer.reason) : null,
    answer.action === 'no_cube' ? null : h('table', {}, h('tbody', {}, rows.map(([name, value, mwc], index) => value === null || value === undefined ? null
      : h('tr', { class: index === right ? 'right' : '' }, h('th', { scope: 'row' }, name), h('td', {}, equity(value), index === worse && loss > 0.0005 ? h('small', {}, ` −${lossOf({ loss, interval: answer.interval })}`) : null), mwc !== undefined && mwc !== null ? h('td', {}, percent(mwc)) : null)))));
}

// An estimate with its 95 % interval, as a whisker on the scale from -1 to 1.
export function interval(value, error, text) {
  const place = (x) => 50 + 50 * Math.max(-1, Math.min(1, x));
  const [low, high] = [value - 1.96 * error, value + 1.96 * error].map(place);
  return h('div', { class: `interval ${value > 0 ? 'high' : ''}`, role: 'img', 'aria-label': text },
    h('i', { class: 'range', style: `left:${low}%;width:${Math.max(high - low, 0.4)}%` }),
    h('i', { class: 'mean', style: `left:${place(value)}%` }), h('b', {}, text));
}
