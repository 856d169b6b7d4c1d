// Whole games of every game, by touch on a phone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { around, chrome, go, patient, site, visit } from './world.mjs';

around();

// What is shown for a while is shown for a moment.
const quick = () => { const wait = setTimeout; globalThis.setTimeout = (what, time, ...more) => wait(what, Math.min(time ?? 0, 8), ...more); };

// What a finger does next, and where: a button, a point that can move, then where its checker goes, or a word.
const next = () => {
  if (document.querySelector('.thinking')) return null;
  const lit = [...document.querySelectorAll('.touch.can-move')], named = ({ dataset }) => dataset.place;
  const words = [...document.querySelectorAll('[data-move]')].map(({ dataset }) => dataset.move).join(), shown = `${words} ${lit.map(named)}`;
  const at = (element, kind) => {
    element.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = element.getBoundingClientRect();
    // A point that was touched and is to be chosen from changes what can be touched, and all words are of it.
    Object.assign(globalThis, { held: kind === 'point' ? named(element) : null, shown });
    return { kind, x: x + width / 2, y: y + height / 2 };
  };
  const button = (name) => document.querySelector(`.over [data-act="${name}"]`);
  if (button('new') || button('next_game')) return { kind: 'over' };
  const press = ['done', 'roll', 'take', 'accept'].map(button).find(Boolean);
  if (press) return at(press, press.dataset.act);
  const { held } = globalThis;
  const chosen = held !== null && words && words.split(',').every((word) => word.replace(/^m/, '').startsWith(`${held}-`)) && lit.some((each) => named(each) !== held) && lit.some((each) => named(each) === held);
  if (chosen && shown !== globalThis.shown) return at(lit.find((each) => named(each) !== held), 'end');
  if (lit.length) return at(lit[0], 'point');
  const word = document.querySelector('[data-move]');
  return word ? at(word, 'word') : null;
};

// Touches what is next until a game is over; how many turns and touches that takes.
async function play(page, game) {
  await page.evaluate(quick);
  await page.evaluate(() => { globalThis.held = null; });
  await page.tap('[data-act="start"]');
  let turns = 0;
  for (let touches = 0; touches < 8000; touches++) {
    const { kind, x, y } = await page.waitForFunction(next, null, { ...patient, polling: 5 }).then((found) => found.jsonValue());
    if (kind === 'over') return { turns, touches };
    if (kind === 'done') turns++;
    await page.touchscreen.tap(x, y);
  }
  return assert.fail(`${game} has no end`);
}

test('every game is played to its end by touch on a phone', { timeout: 590_000 }, async () => {
  const first = await visit(chrome, site.url, { width: 390, height: 844 });
  const info = await first.evaluate(async () => (await (await import('./engine.js')).open()).info);
  await first.context().close();
  const names = [...info.games, ...info.many.map(({ game }) => game)];
  assert.ok(names.length >= 13, `${names}`);
  const whole = async (game) => {
    const old = !info.matches.includes(game), key = old ? 'tables.setup' : 'setup';
    const page = await visit(chrome, `${site.url}${old ? '#/tables' : ''}`, { width: 390, height: 844, touch: true, remembered: { [key]: { game, length: 1, seed: 3, strength: 'beginner', opponents: 'rule-based' }, autoRoll: false, speed: 0 } });
    const { turns, touches } = await play(page, game);
    assert.ok(turns >= 2, `${game}: ${turns} turns`);
    assert.match(await page.textContent('.status h1'), /win|lose|even|match|Nobody/);
    assert.deepEqual(page.problems, [], game);
    console.log(`# ${game}: ${turns} turns, ${touches} touches`);
    await page.context().close();
  };
  // A touch mostly waits for the next frame, so three games are played at once.
  const left = [...names];
  await Promise.all([1, 2, 3].map(async () => { while (left.length) await whole(left.shift()); }));
});

test('a match is played on a phone, its worst errors are got right, and all is there the next day', { timeout: 300_000 }, async () => {
  const page = await visit(chrome, site.url, { width: 390, height: 844, touch: true, remembered: { setup: { length: 1, seed: 3, strength: 'beginner' }, autoRoll: false } });
  await play(page, 'backgammon');
  await page.waitForSelector('.card .errors button', patient);
  const over = page.url();
  const count = await page.$$eval('.card .errors button', (all) => all.length);
  assert.equal(count, 3);
  for (let nth = 0; nth < count; nth++) {
    await page.tap(`.card .errors li:nth-child(${nth + 1}) button`);
    await page.waitForFunction(() => /find the best play|What do you do/.test(document.querySelector('.status h1')?.textContent), null, patient);
    const asked = page.url();
    // What was wrong then is looked up, and done right.
    await page.tap('[data-act="answer"]');
    await page.waitForSelector('.status .mark', patient);
    const best = (await page.textContent('.status .mark')).split('Best: ')[1];
    await page.tap('[data-act="again"]');
    await page.waitForFunction(() => /find the best play|What do you do/.test(document.querySelector('.status h1')?.textContent), null, patient);
    await page.waitForSelector('.touch.can-move, .over button', { ...patient, state: 'attached' });
    const hops = await page.evaluate(async (best) => (await import('./position.js')).steps(best), best);
    for (const [from, to] of hops) {
      const [one, two] = await page.evaluate((places) => places.map((place) => { const { x, y, width, height } = document.querySelector(`.touch[data-place="${place}"]`).getBoundingClientRect(); return [x + width / 2, y + height / 2]; }), [from, to]);
      await page.mouse.move(...one);
      await page.mouse.down();
      await page.mouse.move(...two, { steps: 3 });
      await page.mouse.up();
    }
    await page.tap(hops.length ? '.over [data-act="done"]' : `.over [data-act="${best.includes('no') ? 'no_double' : best}"]`);
    await page.waitForFunction(() => document.querySelector('.status h1').textContent === 'Right!', null, patient);
    assert.match(asked, /again$/);
    await page.goto(over);
    await page.waitForSelector('.card .errors button', patient);
  }
  // What is over is not gone on with.
  await go(page, '#/play');
  await page.waitForSelector('[data-act="start"]', patient);
  assert.equal(await page.$('[data-act="go_on"]'), null);
  const later = await page.context().newPage();
  await later.goto(`${site.url}#/match`);
  await later.waitForSelector('.history li', patient);
  assert.match(await later.textContent('.history li'), /tavola · Beginner.*1 point · .*PR \d.*Luck/);
  await later.tap('.history a');
  await later.waitForSelector('.curve svg', patient);
  assert.match(await later.textContent('.curve-head'), /Your chance/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
