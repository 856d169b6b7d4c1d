// What people share: a board, a chouette, a whole match as a link, the plays of all rolls, and a run that
// ends while it is watched.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, act, around, go, known, limit, match, onServer, open, patient, playRoll, problems, shot, site } from './world.mjs';

around();

const title = (page) => page.textContent('.status h1');
const titled = (page, expected) => page.waitForFunction(([source]) => new RegExp(source).test(document.querySelector('.status h1')?.textContent), [expected.source], patient);

// What the page hands on, in place of the clipboard.
const copies = (page) => page.evaluate(() => { Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { globalThis.copied = text; } } }); });
const copied = (page) => page.waitForFunction(() => globalThis.copied, null, patient).then((found) => found.jsonValue());

test('a whole match is shared as a link, or as its file', limit, async () => {
  const page = await open('#/match/x', { remembered: known('x', match) });
  await copies(page);
  await page.waitForSelector('.curve svg', patient);
  await page.click('[data-act="share-match"]');
  const link = await copied(page);
  assert.ok(link.length < 1500 && /#\/match\/z[\w-]+$/.test(link), link);
  // A phone hands it to another program.
  const given = await page.evaluate(async () => {
    const { share } = await import('./dom.js'), found = [];
    Object.assign(globalThis, { matchMedia: () => ({ matches: true }) });
    Object.defineProperty(navigator, 'share', { value: async (what) => { found.push(what); }, configurable: true });
    await share('address', '');
    delete navigator.share;
    return found;
  });
  assert.deepEqual(given, [{ url: 'address' }]);
  // From the list too.
  await page.evaluate(() => { globalThis.copied = null; location.hash = '#/match'; });
  await page.click('.history [data-act="share-match"]');
  assert.equal(await copied(page), link);
  // Another device reads all of it from the address.
  const other = await open(link.slice(site.url.length), { width: 390, height: 844 });
  await other.waitForSelector('.curve svg', patient);
  assert.match(other.url(), /#\/match\/f[0-9a-f]{8}/);
  const kept = await other.evaluate(() => localStorage.getItem(`tavola.record.${location.hash.split('/')[2]}`));
  assert.equal(JSON.parse(kept), match);
  // One that was cut says so.
  await other.goto(link.slice(0, -40));
  await other.waitForFunction(() => /may have been cut/.test(document.querySelector('#panel')?.textContent), null, patient);
  problems(other);
  await other.context().close();
  // What no program would pass on whole is offered as a file.
  const long = match + Array.from({ length: 4000 }, (_, at) => `; ${(at * 2654435761 % 4294967296).toString(36)}\n`).join('');
  await page.evaluate((text) => { localStorage.setItem('tavola.record.x', JSON.stringify(text)); location.hash = '#/match'; location.reload(); }, long);
  await page.waitForSelector('.history [data-act="share-match"]', patient);
  await page.click('.history [data-act="share-match"]');
  assert.match(await page.textContent('dialog'), /characters/);
  const [file] = await Promise.all([page.waitForEvent('download', patient), page.click('dialog [data-value="save"]')]);
  assert.equal(file.suggestedFilename(), 'match.mat');
  problems(page);
  await page.context().close();
});

test('a match is not forgotten because its server does not answer', onServer, async () => {
  const page = await open('#/match', { remembered: known('x', match) });
  await page.waitForSelector('.history li', patient);
  await page.route('**/api/v1/analyses**', (route) => route.abort());
  await page.click('.history li a');
  await page.waitForSelector('#toast.shown', patient);
  await page.unroute('**/api/v1/analyses**');
  await page.click('.history li a');
  await page.waitForSelector('.curve svg', patient);
  problems(page);
  await page.context().close();
});

test('two people share a board, and a wrong play is claimed', limit, async () => {
  const page = await open('', { width: 390, height: 844, touch: true, remembered: { setup: { length: 3, seed: 3, name: 'Ann' } } });
  await page.tap('.new details summary');
  await page.fill('[name="player-2"]', 'Ben');
  await page.tap('.people ~ div .toggle');
  await page.tap('[data-act="start"]');
  await titled(page, /^(Ann|Ben): You rolled/);
  const first = (await title(page)).split(':')[0], second = first === 'Ann' ? 'Ben' : 'Ann';
  const before = await page.getAttribute('svg.board', 'aria-label');
  // Both checkers farther than the dice say.
  await page.evaluate(() => document.querySelector('.touch[data-place="13"]').scrollIntoView({ block: 'center' }));
  for (const [from, to] of [[13, 4], [13, 3]]) {
    const middle = async (place) => { const { x, y, width, height } = await page.locator(`.touch[data-place="${place}"]`).boundingBox(); return [x + width / 2, y + height / 2]; };
    await page.mouse.move(...await middle(from));
    await page.mouse.down();
    await page.mouse.move(...await middle(to), { steps: 4 });
    await page.mouse.up();
  }
  await page.tap(act('done'));
  await titled(page, new RegExp(`^${second}: `));
  await page.waitForSelector(act('claim'), patient);
  await shot(page, 'claim-390');
  await page.tap(act('claim'));
  await titled(page, new RegExp(`^${first}: You rolled`));
  assert.equal(await page.getAttribute('svg.board', 'aria-label'), before);
  assert.match(await page.textContent('.log'), /claims the play/);
  // It is nobody's match against the engine.
  await go(page, '#/match');
  assert.match(await page.textContent('.history li'), /Ann – Ben/);
  problems(page);
  await page.context().close();
});

test('people and engines play a chouette from the form, and its log says what is paid', limit, async () => {
  for (const [locale, points, box] of [['en', /points: .*[+-]\d/, /stays the box|is the next box/], ['it-IT', /punti: .*[+-]\d/, /box/], ['de-DE', /Punkte: .*[+-]\d/, /Box/]]) {
    const page = await open('', { locale, remembered: { setup: { length: 0, players: 3, cubes: 'each', seed: 2, name: 'Ann', strength: 'beginner' }, autoRoll: false } });
    await page.click('.new details summary');
    await page.fill('[name="player-2"]', 'Cleo');
    assert.equal(await page.$$eval('.people input', (all) => all.length), 2);
    await page.click('[data-act="start"]');
    await page.waitForSelector('.over button, .touch.can-move', { ...patient, state: 'attached' });
    const said = new Set();
    await page.evaluate(() => { globalThis.told = []; new MutationObserver(() => globalThis.told.push(document.querySelector('.status h1')?.textContent)).observe(document.getElementById('panel'), { childList: true }); });
    for (let turn = 0; turn < 60; turn++) {
      const what = await page.waitForFunction(() => document.querySelector('.thinking') ? null : document.querySelector('.over [data-act="next_game"]') ? 'over'
        : ['double', 'drop', 'leave', 'roll', 'done'].find((name) => document.querySelector(`.over [data-act="${name}"]`)) ?? (document.querySelector('.touch.can-move') ? 'play' : null), null, patient).then((found) => found.jsonValue());
      said.add((await title(page)).split(':')[0]);
      if (what === 'over') break;
      if (what === 'play') await playRoll(page); else await page.click(act(what));
    }
    assert.ok(said.has('Ann') && said.has('Cleo'), [...said].join());
    // The engine's turns are shown too.
    assert.ok((await page.evaluate(() => globalThis.told)).some((line) => /^tavola 3: ./.test(line)));
    const log = await page.textContent('.log');
    assert.match(log, points);
    assert.match(log, box);
    if (locale === 'en') await shot(page, 'chouette-1440');
    problems(page);
    await page.context().close();
  }
});

test('games for four and for seven say what happens, in three languages', limit, async () => {
  for (const [locale, game, said] of [['en', 'four-seasons', /a checker of \w+ is removed/], ['it-IT', 'astronomy', /una pedina di (Saturno|Giove|Marte|Sole|Venere|Mercurio|Luna) è catturata/], ['de-DE', 'four-seasons', /ein Stein von (Frühling|Sommer|Herbst|Winter) wird entfernt/]]) {
    const page = await open('#/tables', { locale, remembered: { 'tables.setup': { game, seed: 4, strength: 'beginner', opponents: 'rule-based' }, speed: 0 } });
    await page.click('[data-act="start"]');
    for (let turn = 0; turn < 40 && !said.test(await page.textContent('.log').catch(() => '')); turn++) {
      await page.waitForSelector('[data-move]', patient);
      for (let step = 0; step < 8 && !await page.$(act('done')); step++) await page.click('[data-move]');
      await page.click(act('done'));
      await page.waitForSelector('[data-move], .over button', patient);
    }
    assert.match(await page.textContent('.log'), said);
    problems(page);
    await page.context().close();
  }
});

test('the plays of all rolls are listed with what they lose', limit, async () => {
  const page = await open('#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10', { remembered: { ply: 0 } });
  await page.click('[data-act="book"]');
  await page.waitForFunction(() => document.querySelectorAll('.book li').length === 21, null, patient);
  const rows = await page.$$eval('.book li', (rows) => rows.map((row) => row.textContent));
  assert.match(rows[3], /^3-1.*8\/5 6\/5.*−0\.\d{3}/);
  problems(page);
  await page.context().close();
});

test('the best play at every score, and a decision at another score', limit, async () => {
  const page = await open('#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:43:0:0:0:0:10', { remembered: { ply: 0 } });
  await page.waitForSelector('.plays .best', patient);
  await page.click('[data-act="matrix"]');
  await page.waitForSelector('.legend li', { timeout: 60_000 });
  const { legend, cells, letters } = await page.evaluate(() => ({
    legend: [...document.querySelectorAll('.legend li')].map((row) => row.textContent), cells: document.querySelectorAll('.grid td a').length, letters: [...document.querySelectorAll('.legend b')].map((letter) => letter.textContent),
  }));
  // Seven by seven scores and both edges of the Crawford game.
  assert.equal(cells, 49 + 12);
  assert.ok(legend.length >= 2 && legend.every((row) => /\d\/\d/.test(row)), legend.join());
  const counted = await page.$$eval('.legend small', (all) => all.reduce((sum, each) => sum + Number(each.textContent), 0));
  assert.equal(counted, 49 + 12 + 1);
  assert.deepEqual(await page.$$eval('.grid td a', (all) => [...new Set(all.map((cell) => cell.textContent))].sort()), [...letters].sort());
  await accessible(page, 'plays at every score');
  // A score leads to its own analysis: here the play is the best one there.
  const cell = page.locator('.grid tbody tr').nth(1).locator('td a').nth(3), said = await cell.getAttribute('aria-label');
  await cell.click();
  await page.waitForFunction(() => /:0:0:1:43:3:1:0:5:10$/.test(decodeURIComponent(location.hash)), null, patient);
  await page.waitForFunction(() => document.querySelector('.plays .best') && !document.querySelector('.result.waiting'), null, patient);
  assert.ok(said.includes(await page.textContent('.plays .best .name')), said);
  await page.selectOption('#panel label:has-text("At another score") select', '');
  await page.waitForFunction(() => /:0:0:1:43:0:0:0:0:10$/.test(decodeURIComponent(location.hash)), null, patient);
  problems(page);
  await page.context().close();
});
