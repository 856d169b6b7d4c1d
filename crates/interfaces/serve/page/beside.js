// What stands in the panel beside a running game: what it waits for, what can be done, advice, and its moves.

import { button, glyph, h, replace } from './dom.js';
import * as figures from './figures.js';
import * as history from './history.js';
import { nameOf, number, pointsOf, t } from './texts.js';
import { say } from './words.js';

// What a player may do instead of moving.
const CHOICES = ['pass', 'decline'];
export const signed = (value) => `${value > 0 ? '+' : value < 0 ? '−' : ''}${number(Math.abs(value), Number.isInteger(value) ? 0 : 2)}`;

// The order of a chouette, the cube of each member, and who is out.
function team(play, { order: [owner, ...line], captain, members, extras }) {
  const cube = (seat) => {
    const member = members.find((each) => each.seat === seat);
    const extra = extras.filter(({ taker }) => taker === seat - 1).map(({ giver }) => t('extra_of', play.seatName(giver + 1)));
    return member ? [member.playing ? t('cube_at', member.cube.value) : t('is_out'), ...extra].join(', ') : '';
  };
  return h('section', {}, h('h2', {}, t('chouette')), h('table', {}, h('tbody', {}, [owner, ...line].map((seat) => h('tr', { class: seat === play.state.seat ? 'right' : '' },
    h('th', {}, play.seatName(seat)), h('td', {}, seat === owner ? t('box') : seat === captain ? t('captain') : ''), h('td', {}, cube(seat)), h('td', {}, signed(play.state.score[seat - 1])))))));
}

// What stands in the panel.
export function side(play) {
  const { state, busy, table, event } = play;
  const { waiting, cube } = state;
  const { over } = play;
  const deciding = ['roll', 'cube', 'play', 'answer', 'resignation'].includes(waiting.for) && !busy;
  const family = state.game.split(':')[0];
  const what = cube ? (state.length === 0 ? t('money') : pointsOf(state.length)) : nameOf(family);
  const level = state.people.length === state.names.length ? '' : history.find(play.id)?.network ?? (state.opponents === 'rule-based' ? t('by_rule-based') : t(state.strength));
  const words = busy ? [] : table.words, alone = !play.online || play.online.hints, online = play.online?.panel() ?? null, first = play.online?.first;
  replace(play.app.panel,
    h('header', { class: 'status' }, h('p', { class: 'eyebrow' }, `${what} · ${t('game_n', state.game_number)}${cube?.crawford ? ` · ${t('crawford_game')}` : ''}${level && ` · ${level}`}${play.engine.info.local && !play.engine.strong ? ` · ${t('local_engine')}` : ''}`),
      h('h1', { class: `${busy && !event ? 'thinking' : ''} ${event?.reasons?.length ? 'reasons' : ''}` }, event ? play.line(event).replaceAll('-', '\u2011') : busy ? t('thinking') : play.status()),
      over && waiting.how && !busy ? h('p', { class: 'quiet' }, say(waiting.how)) : null), busy ? null : play.card, first ? online : null,
    !cube && waiting.for === 'play' && !busy ? h('section', { class: 'moves' }, h('h2', {}, t('your_moves')),
      h('p', { class: 'made' }, table.begun ? say(table.made.join('  ')) : h('span', { class: 'quiet' }, t('tables_help'))),
      h('div', { class: 'row', role: 'group', 'aria-label': t('your_moves') }, words.slice(0, 40).map((word) => button(CHOICES.includes(word) ? t(`move_${word}`) : say(word), () => table.make([word]), { class: 'chip', 'data-move': word })))) : null,
    play.online && !play.online.plays ? null : h('div', { class: 'row tools' },
      busy && event ? button(glyph('skip', t('skip')), () => play.rush(), { 'data-act': 'skip' }) : !alone ? null : button(glyph('hint', t('hint')), () => play.advice?.content ? play.changed() : play.hint(), { disabled: !deciding, 'data-act': 'hint', 'aria-pressed': String(Boolean(play.advice?.content)) }),
      button(glyph('back', t('take_back')), () => play.act({ act: 'take_back' }), { disabled: busy || !state.may_take_back, 'data-act': 'take_back' }),
      cube ? button(glyph('flag', t('resign')), () => play.resign(), { disabled: busy || !state.may_resign, 'data-act': 'resign' }) : null,
      cube && state.position && alone ? h('a', { class: 'button', href: `#/analyze/${state.position}` }, glyph('search', t('analyze'))) : null),
    h('div', { class: 'advice', 'aria-live': 'polite' }, play.advice?.content ? [button('×', () => play.changed(), { class: 'plain away', 'aria-label': t('close') }), play.advice.content] : null),
    state.chouette ? team(play, state.chouette) : null,
    state.names.length > 2 && (state.game_number > 1 || over) ? h('section', {}, h('h2', {}, t('score')), h('table', {}, h('tbody', {}, state.names.map((_, index) => h('tr', { class: index + 1 === state.seat ? 'right' : '' },
      h('th', {}, play.seatName(index + 1)), over && state.game_number > 1 ? h('td', {}, signed(waiting.gains[index])) : null, h('td', {}, signed(state.score[index]))))))) : null,
    h('details', {}, h('summary', {}, t('rules')), h('p', { class: 'quiet' }, t(`about_${family}`), ' ', h('a', { href: `#/rules/${family}` }, t('how_to_play')))),
    h('section', { class: 'log' }, h('h2', {}, t('game_log')),
      play.told = figures.moves(play.turns(), state.names.length, play.told)),
    first ? null : online, h('footer', { class: 'row' }, cube && !state.chouette && waiting.for !== 'match_over' && alone ? button(glyph('table', t('review')), () => play.review()) : null, button(glyph('save', t('download')), () => play.download(), { 'data-act': 'download' }),
      waiting.for === 'match_over' ? null : button(t(cube ? 'new_match' : 'new_game'), () => play.app.go(play.kind))),
    cube ? null : h('pre', { class: 'sr' }, state.text));
}
