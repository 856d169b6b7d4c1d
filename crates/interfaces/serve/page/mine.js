// The matches of this device: files to be added, which of the players the user is, and how well they have played.

import { announce, button, h, memory, replace, s, save, select, toast } from './dom.js';
import { due } from './deck.js';
import * as history from './history.js';
import { DIRECTIONS, rating } from './themes.js';
import { equity, nameOf, number, pointsOf, t } from './texts.js';
import './texts-later.js';
import { chart } from './watch.js';

// Rows that are shown before more are asked for.
const ROWS = 100;
// Decisions of a match whose number an older page has not kept.
const USUAL = 40;

const isMine = ({ me, pr }) => typeof me === 'number' && typeof pr?.[me] === 'number';
const dayOf = ({ played, date }) => /^\d{4}-\d\d-\d\d/.test(played ?? '') ? played : date;
const shortDay = (entry) => new Date(dayOf(entry)).toLocaleDateString(document.documentElement.lang);
const won = ({ me, score, length, running }) => running || length === 0 || !score.some((points) => points >= length) ? null : score[me] >= length;

// What a match is called in the list, and what was removed.
export const who = ({ names, me, level, network, game }) => game ? `${nameOf(game)} · ${t(level)}` : typeof me !== 'number' ? names.join(' – ') : `${names[1 - me]}${network || level ? ` · ${network ?? t(level)}` : ''}`;
export const removedName = ({ name, ...value }) => name.startsWith('entry.') ? `${who(value)}, ${new Date(value.date).toLocaleDateString(document.documentElement.lang)}`
  : name.startsWith('card.') ? `${t('kept_error')} −${number(value.loss, 3)}` : `${t('tried')} ${value.next.map(({ text }) => text).join(', ')}`;

// PR over several matches, with its interval; luck; how many were won, and how many with luck taken out.
function totals(entries) {
  const weights = entries.map(({ me, counts }) => counts?.[me] ?? USUAL), all = weights.reduce((sum, count) => sum + count, 0) || 1;
  const mean = (of) => entries.reduce((sum, entry, index) => sum + weights[index] / all * of(entry), 0), decided = entries.filter((entry) => won(entry) !== null);
  return {
    pr: mean(({ me, pr }) => pr[me]), wide: Math.sqrt(entries.reduce((sum, { me, wide }, index) => sum + (weights[index] / all * (wide?.[me] ?? 0)) ** 2, 0)),
    luck: entries.reduce((sum, { me, luck }) => sum + (luck?.[me] ?? 0), 0), decided: decided.length, won: decided.filter(won).length,
    adjusted: decided.every(({ me, adjusted }) => typeof adjusted?.[me] === 'number') ? decided.reduce((sum, { me, adjusted }) => sum + adjusted[me], 0) : null,
  };
}

// What was lost in all of them by each kind: [name, errors, loss], the most first.
function lost(entries, key) {
  const found = new Map();
  for (const { me, [key]: both } of entries) for (const [name, { errors, loss_emg: loss }] of Object.entries(both?.[me] ?? {})) {
    const [count, all] = found.get(name) ?? [0, 0];
    found.set(name, [count + errors, all + loss]);
  }
  return [...found].filter(([, [count]]) => count > 0).map(([name, both]) => [name, ...both]).sort(([, , one], [, , two]) => two - one);
}

export class Mine {
  // `stage` has what stands there while there are no figures.
  constructor(app, stage) {
    Object.assign(this, { app, stage });
    this.text = '';
    this.rows = ROWS;
    this.body = h('div', { class: 'mine' });
    const take = ({ target }) => { app.take([...target.files]).catch((error) => app.fail(error)); target.value = ''; };
    this.inputs = [h('input', { type: 'file', multiple: true, accept: '.mat,.txt,.sgf,.xg,.ogxm,.gvab,.bgf,.json,text/plain', class: 'sr', id: 'file', onchange: take }),
      h('input', { type: 'file', webkitdirectory: true, class: 'sr', id: 'folder', tabindex: -1, 'aria-label': t('open_folder'), onchange: take })];
    const zone = h('label', { class: 'drop-zone', for: 'file', ondragover: () => zone.classList.add('over-it'), ondragleave: () => zone.classList.remove('over-it'), ondrop: () => zone.classList.remove('over-it') },
      s('svg', { viewBox: '0 0 48 48', 'aria-hidden': 'true' }, s('path', { d: 'M24 32V12m-8 8 8-8 8 8M10 30v8h28v-8' })), h('strong', {}, t('open_files')), h('span', {}, t('open_lead')));
    this.zone = [zone, 'webkitdirectory' in zone.ownerDocument.createElement('input') && matchMedia('(hover: hover)').matches ? button(t('open_folder'), () => this.inputs[1].click(), { class: 'wide', 'data-act': 'folder' }) : null];
  }

  // The panel; `problem` is said above the list.
  open(problem) {
    const { said } = this.app;
    this.app.said = null;
    this.said = h('p', { class: said?.wrong ? 'problem' : 'quiet', 'data-said': '', hidden: !said }, said?.text ?? '');
    replace(this.app.panel, h('h1', {}, t('match')), problem ? h('p', { class: 'problem' }, problem) : null, this.said, this.inputs, this.body);
    this.show();
  }

  // What is kept has changed: the list anew, for one who is in it.
  again() {
    const { panel } = this.app, all = () => [...panel.querySelectorAll('.mine :is(button, a, summary, input, select)')], held = all().indexOf(document.activeElement), { body } = this, open = [...body.querySelectorAll('details')].map((each) => each.open);
    const { said } = this.app;
    if (said) { Object.assign(this.said, { hidden: false, textContent: said.text, className: said.wrong ? 'problem' : 'quiet' }); this.app.said = null; }
    this.show();
    body.querySelectorAll('details').forEach((each, index) => { each.open = open[index] ?? false; });
    if (held >= 0) all()[held]?.focus({ preventScroll: true });
  }

  get filters() { return { length: 'all', level: 'all', sort: 'date', ...memory.get('list', {}) }; }

  // The matches that the filters leave, in their order.
  filtered(entries) {
    const { length, level, sort } = this.filters, words = this.text.toLocaleLowerCase();
    const value = { date: (entry) => dayOf(entry), pr: ({ pr, me }) => pr?.[me ?? 0] ?? -1, luck: ({ luck, me }) => luck?.[me ?? 0] ?? -99, length: (entry) => entry.length }[sort] ?? dayOf;
    return entries.filter((entry) => (length === 'all' || entry.length === Number(length)) && (level === 'all' || (entry.level ?? 'file') === level)
      && (!words || `${entry.names.join(' ')} ${entry.event ?? ''} ${entry.source ?? ''} ${shortDay(entry)} ${who(entry)}`.toLocaleLowerCase().includes(words)))
      .sort((one, two) => { const [a, b] = [value(one), value(two)]; return a < b ? 1 : a > b ? -1 : 0; });
  }

  show() {
    const entries = history.list(), cards = history.cards(), gone = history.removed(), shown = this.filtered(entries), rated = shown.filter(isMine);
    const back = (name) => { history.putBack(name); this.app.view.kept?.(); };
    replace(this.body, entries.length ? null : this.zone, this.asks(entries), this.practice(), entries.length ? [h('h2', {}, t('my_matches')), entries.length > 4 ? this.narrow(entries) : null, this.sum(rated),
      h('ol', { class: 'history' }, shown.slice(0, this.rows).map((entry) => this.entry(entry, back))), shown.length > this.rows ? button(t('show_all', number(shown.length)), () => { this.rows = Infinity; this.show(); }, { class: 'wide', 'data-act': 'all' }) : null] : null,
    rated.length > 1 ? null : this.lists(rated), cards.length ? [h('h2', {}, t('cards')), h('ol', { class: 'errors cards' }, cards.map((card) => h('li', {}, h('a', { class: 'button', href: history.hasFile(card.id) ? `#/match/${card.id}/${card.at}/again` : `#/analyze/${card.position}` },
      h('span', { class: 'name' }, `${card.done || t('try_again')} · ${[history.find(card.id) ? who(history.find(card.id)) : null, Date.parse(card.date) > 86_400_000 ? new Date(card.date).toLocaleDateString(document.documentElement.lang) : null].filter(Boolean).join(', ')}`), h('b', {}, `−${number(card.loss, 3)}`)))))] : null, entries.length ? this.zone : null, this.names(),
    entries.length || cards.length ? h('div', { class: 'row' }, button(t('export'), () => this.save(entries), { 'data-act': 'export' })) : null,
    gone.length ? h('details', { class: 'removed' }, h('summary', {}, `${t('removed')} (${gone.length})`), h('p', { class: 'quiet' }, t('removed_lead', history.DAYS, history.THINGS)),
      h('ol', { class: 'history' }, gone.map((each) => h('li', {}, h('span', {}, removedName(each)), button(t('put_back'), () => back(each.name), { class: 'plain', 'data-act': 'put-back', title: removedName(each) }))))) : null);
    // Where there is something to be seen over several matches it takes the place of the board.
    replace(this.app.stage, rated.length > 1 ? h('div', { class: 'charts stats' }, this.stats(rated)) : this.stage);
  }

  // Asks once which of the players the user is, the names that are there most often first.
  asks(entries) {
    const open = entries.filter(({ me, pr, level }) => me === undefined && pr && !level), counts = new Map();
    for (const { names } of open) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    // Where figures come, the question that follows has its room.
    if (!open.length) return !history.mine().length && entries.some((entry) => entry.me === undefined && history.waits(entry)) ? h('p', { class: 'card quiet awaits' }, t('pr_coming')) : null;
    const told = (done) => { this.show(); announce(done); this.app.panel.focus({ preventScroll: true }); this.app.rater.run(); };
    return h('section', { class: 'card asks' }, h('h2', {}, t('which_one')), h('p', { class: 'quiet' }, t('which_lead')),
      h('div', { class: 'row' }, [...counts].sort(([, one], [, two]) => two - one).slice(0, 8).map(([name, count]) => button(count > 1 ? `${name} (${number(count)})` : name, () => { history.claim(name); told(t('which_done', name)); }, { 'data-name': name })),
        button(t('nobody_of_them'), () => { for (const { id } of open) history.keep({ id, me: null }); told(t('nobody_of_them')); }, { class: 'plain', 'data-act': 'nobody' })));
  }

  // The names of the user, each of which can be forgotten.
  names() {
    const names = history.mine();
    return names.length ? h('details', { class: 'names' }, h('summary', {}, t('my_names', names.join(', '))), h('div', { class: 'row' }, names.map((name) => button(`${name} ×`, () => { history.disclaim(name); this.show(); }, { 'aria-label': t('forget_name', name), 'data-forget': name })))) : null;
  }

  practice() {
    const waiting = due().filter(({ own, source }) => own || source).length;
    return waiting ? h('a', { class: 'button wide', href: '#/drill', 'data-act': 'drill' }, t('due_today', number(waiting))) : null;
  }

  narrow(entries) {
    const { filters } = this, set = (key) => (value) => { memory.set('list', { ...this.filters, [key]: value }); this.again(); };
    const lengths = [...new Set(entries.map(({ length }) => length))].sort((a, b) => a - b), levels = [...new Set(entries.map(({ level }) => level ?? 'file'))];
    return h('details', { class: 'narrow', open: Boolean(this.text) }, h('summary', {}, t('filter')), h('div', { class: 'new' },
      h('label', { class: 'field' }, h('span', {}, t('search')), h('input', { type: 'search', name: 'search', value: this.text, oninput: ({ target }) => { this.text = target.value; clearTimeout(this.soon); this.soon = setTimeout(() => this.again(), 150); } })),
      select(t('sort'), ['date', 'pr', 'luck', 'length'].map((key) => [key, t(`sort_${key}`)]), filters.sort, set('sort')),
      lengths.length > 1 ? select(t('length'), [['all', t('all')], ...lengths.map((length) => [length, length ? pointsOf(length) : t('money')])], filters.length, set('length')) : null,
      levels.length > 1 ? select(t('opponent'), [['all', t('all')], ...levels.map((level) => [level, level === 'file' ? t('from_files') : t(level)])], filters.level, set('level')) : null));
  }

  // Matches, PR and luck together, and a goal for the PR.
  sum(rated) {
    if (!rated.length) return null;
    const { pr, wide, luck, decided, won: wins, adjusted } = totals(rated), goal = memory.get('goal', null), lately = rated.slice(0, 10);
    const facts = [[t('pr'), `${number(pr, 1)} ± ${number(wide, 1)}`, t(`rating_${rating(pr)}`)], [t('won'), `${number(wins)} / ${number(decided)}`, adjusted === null ? '' : t('won_adjusted', number(adjusted, 1))], [t('luck'), equity(luck), '']];
    return h('section', { class: 'card sum' }, h('dl', { class: 'facts' }, facts.map(([word, value, small]) => h('div', {}, h('dt', {}, word), h('dd', {}, value, small ? h('small', {}, small) : null)))), this.worst(rated),
      h('label', { class: 'goal' }, h('span', {}, t('goal')), h('input', { type: 'number', min: 0, max: 50, step: 0.5, value: goal ?? '', name: 'goal', onchange: ({ target }) => { const value = target.valueAsNumber; memory.set('goal', value > 0 ? value : null); this.again(); } }),
        goal ? h('small', { class: 'quiet' }, t('goal_met', number(lately.filter(({ me, pr: both }) => both[me] <= goal).length), number(lately.length))) : null));
  }

  // Progress and habits.
  stats(rated) {
    const line = [...rated].sort((one, two) => dayOf(one) < dayOf(two) ? -1 : 1), goal = memory.get('goal', null);
    const dots = line.map(({ me, pr, wide }, index) => [index + 1, pr[me], ...typeof wide?.[me] === 'number' ? [[Math.max(pr[me] - wide[me], 0), pr[me] + wide[me]]] : []]);
    return [chart(t('pr_over_time'), [{ name: t('pr'), dots: dots.every((dot) => dot[2]) ? dots : dots.map(([x, y]) => [x, y]) }, ...goal ? [{ name: t('goal'), dots: [[1, goal], [dots.length, goal]] }] : []], 1, t('match'), Math.max(Math.min(900, this.app.stage.clientWidth - 24), 280), 220), h('div', { class: 'tables' }, this.groups(rated), this.lists(rated, true))];
  }

  // PR by the length of the match and by the level of the opponent.
  groups(rated) {
    const by = (key, name) => {
      const found = Map.groupBy ? Map.groupBy(rated, key) : rated.reduce((all, entry) => all.set(key(entry), [...all.get(key(entry)) ?? [], entry]), new Map());
      return found.size > 1 ? [...found].sort().map(([value, entries]) => { const { pr, wide, luck } = totals(entries); return [name(value), number(entries.length), `${number(pr, 1)} ± ${number(wide, 1)}`, equity(luck)]; }) : [];
    };
    const rows = [...by(({ length }) => length, (length) => length ? pointsOf(length) : t('money')), ...by(({ level }) => level ?? 'file', (level) => level === 'file' ? t('from_files') : t(level))];
    return rows.length ? h('details', { open: true }, h('summary', {}, t('by_length')), table([t('match'), t('pr'), t('luck')], rows)) : null;
  }

  // What costs most, with the way to its drill.
  worst(rated) {
    const [worst] = [['faults', 'play'], ['habits', 'other_play']].flatMap(([key, other]) => lost(rated, key).filter(([name]) => name !== other).map(([name, ...rest]) => [`${key}_${name}`, ...rest])).sort(([, , one], [, , two]) => two - one);
    return worst ? h('p', { class: 'worst-habit', 'data-worst': worst[0] }, t('worst_habit', t(worst[0]), number(worst[1]), number(worst[2], 2)), ' ', h('a', { href: `#/drill/${worst[0]}` }, t('drill_it'))) : null;
  }

  // What was lost by kind, phase, family and direction of the cube.
  lists(rated, open = false) {
    const parts = ['faults', 'phases', 'habits', 'families'].map((key) => [key, lost(rated, key)]), { faults } = Object.fromEntries(parts);
    const cubes = Object.entries(DIRECTIONS).map(([name, kinds]) => faults.filter(([kind]) => kinds.includes(kind)).reduce(([, count, sum], [, errors, loss]) => [name, count + errors, sum + loss], [name, 0, 0])).filter(([, count]) => count);
    return [...parts, ['cubes_way', cubes]].filter(([, rows]) => rows.length).map(([key, rows]) => h('details', { open }, h('summary', {}, t(key)), table([t('count'), t('lost')], rows.map(([name, count, sum]) => [t(`${key}_${name}`), number(count), `−${number(sum, 3)}`]))));
  }

  // All as one file, with what is played now.
  async save(entries) {
    for (const { id } of entries.filter(({ running, game }) => running && !game)) await this.app.engine.record(id).then((text) => history.keep({ id }, text), () => {});
    save(history.backup(), 'tavola-matches.json', 'application/json');
  }

  entry(entry, back) {
    const { id, me, length, score, pr, wide, luck, running, game, names, event, source } = entry, name = `entry.${id}`, own = typeof me === 'number', whose = own ? [me] : [0, 1];
    const figure = (word, value, text) => value.some((each) => typeof each === 'number') ? h('span', {}, own ? '' : h('small', {}, `${names.join(' / ')} `), `${t(word)} ${value.map((each) => typeof each === 'number' ? text(each) : '–').join(' / ')}`) : null;
    const gone = () => { history.remove(name); this.show(); this.app.panel.focus({ preventScroll: true }); toast(t('was_removed', who(entry)), [t('put_back'), () => back(name)]); };
    const end = own && !game ? won(entry) : null;
    return h('li', {}, h('a', { href: `#/${game ? 'tables' : running ? 'play' : 'match'}/${id}` }, h('strong', {}, who(entry)),
      h('span', { class: 'quiet' }, shortDay(entry)),
      h('span', {}, !score.length ? '' : `${length ? `${pointsOf(length)} · ` : game ? '' : `${t('money')} · `}${(own && me === 1 && !game ? [...score].reverse() : score).join('–')}${end === null ? '' : ` · ${t(end ? 'is_won' : 'is_lost')}`}${running ? ` · ${t('running')}` : ''}`),
      h('span', { class: 'figures' }, history.waits(entry) ? h('span', { class: 'quiet' }, t('pr_coming')) : null, figure('pr', whose.map((side) => pr?.[side]), (value) => number(value, 1)), own && typeof wide?.[me] === 'number' ? h('small', { class: 'quiet' }, `± ${number(wide[me], 1)}`) : null, own ? figure('luck', [luck?.[me]], equity) : null),
      event || (source && source !== names[0]) ? h('span', { class: 'quiet from' }, [event, source].filter(Boolean).join(' · ')) : null),
    running || game || !history.hasFile(id) ? null : this.hander(id, '↗', { class: 'plain', 'aria-label': t('share_match') }),
    button('×', gone, { class: 'plain', 'data-act': 'remove', 'aria-label': t('remove'), title: who(entry) }));
  }
}

export const table = (heads, rows) => h('table', { class: 'summary' }, h('thead', {}, h('tr', {}, h('td'), heads.map((head) => h('th', { scope: 'col' }, head)))),
  h('tbody', {}, rows.map(([name, ...cells]) => h('tr', {}, h('th', { scope: 'row' }, name), cells.map((cell) => h('td', {}, cell))))));
