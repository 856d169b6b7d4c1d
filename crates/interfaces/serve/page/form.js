// The form of a new game, before a board that waits.

import { due } from './deck.js';
import { button, choice, h, memory, replace, select, toggle } from './dom.js';
import * as history from './history.js';
import { seat } from './table.js';
import { TABLE, nameOf, number, pointsOf, t } from './texts.js';

const LENGTHS = [0, 1, 3, 5, 7, 11];
const STRONGEST = 'world-class', LEVELS = ['beginner', 'casual', 'intermediate', 'advanced', 'expert', STRONGEST];
// How many play for money: from three on a chouette.
const PLAYERS = [2, 3, 4, 5, 6, 7, 8];

export function form(play) {
  const { info } = play.engine;
  const old = play.kind === 'tables', key = old ? 'tables.setup' : 'setup';
  const names = old ? [...info.games.filter((game) => !info.matches.includes(game)), ...info.many.map(({ game }) => game)] : info.matches;
  const setup = {
    game: names[0], length: old ? 1 : 5, strength: 'world-class', dice: 'computer', jacoby: false, beavers: 'off', seat: 1, players: 2, cubes: 'one', extras: 'off', name: t('you'), people: {}, condone: false, ...memory.get(key, {}),
  };
  if (!names.includes(setup.game)) [setup.game] = names;
  if (TABLE.you.includes(setup.name)) setup.name = t('you');
  const round = () => info.many.find(({ game }) => game === setup.game);
  const pick = (key, values) => select(t(key), values.map((value) => [value, typeof value === 'number' ? String(value) : t(`${key}_${value}`)]), setup[key], (value) => { setup[key] = typeof values[0] === 'number' ? Number(value) : value; show(); });
  const team = h('div', { class: 'new' }, pick('cubes', ['one', 'each']), pick('extras', ['off', 'optional', 'mandatory']));
  const money = h('div', { class: 'money' }, pick('players', PLAYERS), team,
    toggle(t('jacoby'), setup.jacoby, (on) => { setup.jacoby = on; }),
    toggle(t('beavers'), setup.beavers !== 'off', (on) => { setup.beavers = on ? 'beavers' : 'off'; }));
  const rules = h('a', {}, t('how_to_play')), more = h('div', { class: 'new' }), about = h('p', { class: 'quiet about' });
  // Six levels that people know; how long the strongest thinks is a choice of its own.
  const strengths = (all) => [select(t('strength'), all.filter((level) => LEVELS.includes(level)).map((level) => [level, t(level)]), LEVELS.includes(setup.strength) ? setup.strength : STRONGEST, (value) => { setup.strength = value; show(); }),
    (LEVELS.includes(setup.strength) && setup.strength !== STRONGEST) || all.every((level) => LEVELS.includes(level)) ? null : select(t('thinks'), all.filter((level) => !LEVELS.includes(level) || level === STRONGEST).map((level) => [level, t(`thinks_${level}`)]), setup.strength, (value) => { setup.strength = value; })];
  const game = select(t('variant'), names.map((game) => [game, nameOf(game)]), setup.game, (value) => { setup.game = value; show(); });
  const own = h('label', { class: 'field' }, h('span', {}, t('your_name')), h('input', { name: 'name', value: setup.name, maxlength: 24, autocomplete: 'off' }));
  // Who else sits at this board; where no name is, the engine plays.
  const people = h('fieldset', { class: 'people' }), free = h('div');
  const others = () => {
    const count = round()?.seats.length ?? (!old && setup.length === 0 ? setup.players : 2), own = round() ? setup.seat : 1;
    return Array.from({ length: count }, (_, index) => index + 1).filter((seat) => seat !== own);
  };
  const named = () => Object.fromEntries(others().map((seat) => [seat, setup.people[seat]?.trim()]).filter(([, name]) => name));
  const condones = () => { free.hidden = old || others().length > 1 || !Object.keys(named()).length; };
  const seats = () => {
    replace(people, h('legend', {}, t('people')), others().map((seat) => h('label', { class: 'field' }, h('span', {}, round() ? t(`seat_${round().seats[seat - 1]}`) : t('player_n', seat)),
      h('input', { name: `player-${seat}`, value: setup.people[seat] ?? '', maxlength: 24, autocomplete: 'off', placeholder: 'tavola', oninput: ({ target }) => { setup.people[seat] = target.value; condones(); } }))));
    replace(free, toggle(t('condone'), setup.condone, (on) => { setup.condone = on; }));
    condones();
  };
  const show = () => {
    const many = round();
    rules.setAttribute('href', `#/rules/${setup.game}`);
    if (many) setup.seat = Math.min(setup.seat, many.seats.length);
    play.seat(play.kindOf(!old, many));
    play.table.preview({ game: setup.game, seats: many?.seats, seat: setup.seat });
    replace(play.top, old ? null : seat({ name: 'tavola', side: 'other' }));
    replace(play.bottom, old ? null : seat({ name: setup.name, side: 'own' }));
    money.hidden = old || setup.length > 0;
    team.hidden = setup.players < 3;
    link.hidden = Boolean(info.local) || (!money.hidden && !team.hidden);
    seats();
    about.textContent = old ? t(`about_${setup.game}`) : '';
    const opponents = info.trained.includes(setup.game) ? ['network', 'rule-based'] : ['rule-based'];
    const levels = info.strengths.filter((level) => !many || !['0+', '3-ply', 'roller', 'roller+'].includes(level));
    if (!levels.includes(setup.strength)) setup.strength = 'world-class';
    replace(more, many ? [
      select(t('seat'), many.seats.map((name, index) => [index + 1, t(`seat_${name}`)]), setup.seat, (value) => { setup.seat = Number(value); show(); }),
      select(t('others'), opponents.map((name) => [name, t(`by_${name}`)]), setup.opponents ?? opponents[0], (value) => { setup.opponents = value; }),
    ] : old ? select(t('length'), [1, 3, 5, 7, 12].map((length) => [length, pointsOf(length)]), setup.length, (value) => { setup.length = Number(value); })
      : choice(t('length'), 'length', LENGTHS.map((length) => [length, length === 0 ? t('money') : String(length)]), setup.length, (length) => { setup.length = length; money.hidden = length > 0; seats(); }),
    ...strengths(levels));
  };
  // The game as it is asked for.
  const chosen = () => {
    setup.name = form.elements.name.value.trim() || t('you');
    // A name that only says who one is follows the language.
    memory.set(key, { ...setup, name: TABLE.you.includes(setup.name) ? undefined : setup.name });
    const { length, strength, dice, jacoby, beavers, name, seed } = setup;
    const asked = { game: setup.game, strength, name, seed, dice, people: named(), condone: setup.condone && !free.hidden };
    if (round()) Object.assign(asked, { seat: setup.seat, opponents: info.trained.includes(setup.game) ? setup.opponents : 'rule-based' });
    else Object.assign(asked, { length });
    if (!old && length === 0) Object.assign(asked, { jacoby, beavers });
    if (!old && length === 0 && setup.players > 2) {
      // One cube is the team's: nobody beavers it alone.
      Object.assign(asked, { chouette: setup.players, cubes: setup.cubes, extras: setup.extras, dice: 'computer' }, setup.cubes === 'one' ? { beavers: 'off' } : {});
    }
    return asked;
  };
  const press = async (button, begin) => {
    button.disabled = true;
    await begin().catch((error) => play.app.fail(error)).finally(() => { button.disabled = false; });
  };
  const start = (event) => { event.preventDefault(); press(form.querySelector('[data-act="start"]'), () => play.start(chosen())); };
  // Somebody on another device, where a server is between them.
  const link = button(t('invite'), () => press(link, async () => (await import('./online.js')).invite(play, chosen(), round()?.seats)), { class: 'wide', 'data-act': 'invite' });
  const last = String(memory.get(play.last, '')).split('/').at(-1), waiting = old ? 0 : due().filter(({ own, source }) => own || source).length;
  const form = h('form', { class: 'new', onsubmit: start },
    h('h1', {}, t(old ? 'tables' : 'new_match')), h('p', { class: 'lead' }, t(old ? 'tables_lead' : 'new_lead')),
    last && !history.isRemoved(last) && history.find(last)?.running !== false ? button(t('go_on'), () => play.app.go(`${play.kind}/${last}`), { class: 'wide', 'data-act': 'go_on' }) : null,
    waiting ? h('a', { class: 'button wide', href: '#/drill', 'data-act': 'drill' }, t('due_today', number(waiting))) : null, old ? [game, about] : null, more,
    h('details', {}, h('summary', {}, t('settings')), old ? null : game,
      select(t('dice'), [['computer', t('dice_computer')], ['typed', t('dice_typed')]], setup.dice, (value) => { setup.dice = value; }), old ? null : select(t('other_length'), Array.from({ length: 26 }, (_, length) => [length, length === 0 ? t('money') : pointsOf(length)]), setup.length, (value) => { setup.length = Number(value); show(); }), own, money, people, free),
    h('button', { class: 'primary wide', 'data-act': 'start' }, t('start')), link, rules);
  replace(play.app.panel, form);
  show();
}
