// What people do while an answer is on its way: nothing that they did is lost, and no old answer is shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, around, begin, held, known, match, onServer, open, patient, problems, secondLook, seeded } from './world.mjs';

around();

const ends = async (page) => { problems(page); await page.context().close(); };

test('an error is tried again while a deeper analysis comes', onServer, async () => {
  const page = await open('#/match/x', { remembered: known('x', match) });
  const look = await secondLook(page);
  await page.waitForSelector('.errors .blunder', patient);
  await page.click('.errors .blunder');
  // An engine that does not answer leaves the decision as it is.
  await page.route('**/legal', (route) => route.abort());
  await page.keyboard.press('r');
  await page.waitForSelector('#toast.shown', patient);
  await page.waitForSelector('.plays .best', patient);
  await page.unroute('**/legal');
  // The page has the deeper analysis when it asks for the first rollout.
  await page.route('**/legal', async (route) => { const taken = page.waitForRequest('**/jobs'); look(); await taken; await route.continue(); });
  await page.keyboard.press('r');
  await page.waitForFunction(() => /find the best play/.test(document.querySelector('.status h1').textContent), null, patient);
  await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
  await ends(page);
});

test('a deeper analysis leaves the reader in the match that was chosen', onServer, async () => {
  const page = await open('#/match/x', { remembered: known('x', `${match}\n${match}`) });
  const look = await secondLook(page);
  await page.waitForSelector('.errors .blunder', patient);
  await page.selectOption('#panel select', '1');
  await page.click('[data-act="next-error"]');
  const number = await page.textContent('.nav span');
  const taken = page.waitForRequest('**/jobs');
  look();
  await taken;
  assert.equal(await page.$eval('#panel select', ({ value }) => value), '1');
  assert.equal(await page.textContent('.nav span'), number);
  await ends(page);
});

test('a play that is clicked twice is played once', onServer, async () => {
  const page = await open('#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10', { remembered: { ply: 0 } });
  await page.waitForSelector('.plays .best', patient);
  await page.dblclick('.plays li:nth-child(1) button');
  await page.waitForSelector('.result:not(.waiting) .verdict', patient);
  assert.match(await page.evaluate(() => decodeURIComponent(location.hash)), /-b---BD-B---eE---c-e----B-:0:0:-1:00:/);
  await ends(page);
});

test('a rollout ends with its position', onServer, async () => {
  const page = await open('#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10', { remembered: { ply: 0, trials: 5184 } });
  await page.waitForSelector('.plays .best', patient);
  await page.click('[data-act="rollout"]');
  await page.waitForSelector('.so-far p', patient);
  const canceled = page.waitForResponse((response) => response.request().method() === 'DELETE', patient);
  await page.click('.plays li:nth-child(1) button');
  await canceled;
  await page.waitForSelector('.result:not(.waiting) .verdict', patient);
  assert.equal(await page.textContent('.rollout'), '');
  await ends(page);
});

test('a game that is started twice begins once', onServer, async () => {
  const page = await open('', { remembered: seeded({ length: 3 }) });
  const games = [];
  page.on('request', (request) => { if (request.method() === 'POST' && request.url().endsWith('/games')) games.push(request.url()); });
  await page.evaluate(() => { const start = document.querySelector('[data-act="start"]'); start.click(); start.click(); });
  await page.waitForSelector('.over button, .log li', patient);
  assert.equal(games.length, 1);
  await ends(page);
});

test('a game that is left while it waits writes nothing over the next view', onServer, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 3 }), autoRoll: false } });
  await begin(page);
  await page.waitForSelector(`${act('roll')}, .touch.can-move`, { ...patient, state: 'attached' });
  const answer = await held(page, '**/actions');
  const left = page.waitForRequest('**/actions').then(() => page.evaluate(() => { location.hash = '#/rules'; }));
  await page.click('[data-act="resign"]:not(:disabled)');
  await page.click('[data-value="single"]');
  await left;
  await page.waitForSelector('.rule h2', patient);
  await page.waitForTimeout(400);
  assert.ok(await page.$('#panel .rule h2'));
  answer();
  await ends(page);
});

test('a checker that is moved before the hint comes stays where it is', onServer, async () => {
  const page = await open('#/play/from/XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10', { remembered: seeded({}) });
  await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
  const answer = await held(page, '**/hint');
  await page.click('[data-act="hint"]');
  await page.locator('.touch[data-place="24"]').click({ force: true });
  await page.waitForSelector(act('undo'), patient);
  answer();
  await page.waitForSelector('.plays', patient);
  assert.ok(await page.$(act('undo')));
  await ends(page);
});
