// What a new user does on a phone, from twenty files of their own to the next day without a network.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { act, around, chrome, go, keeps, match, onServer, patient, playRoll, problems, root, serve, shot, visit } from './world.mjs';

around();

const samples = join(root, 'crates/advice/matches/tests/files');
const rows = (page) => page.$$eval('.mine > .history li', (rows) => rows.map(({ textContent }) => textContent));

test('twenty files, the worst habit, ten errors that are due and a game with a friend are there the next day without a network', { ...onServer, timeout: 420_000 }, async () => {
  const own = await serve(), phone = { width: 390, height: 844, touch: true, kept: true, remembered: { setup: { length: 1 }, speed: 0, autoRoll: false } };
  const page = await visit(chrome, own.url, phone);
  // All files of a folder, whatever wrote them, and matches against the same people.
  const files = readdirSync(samples).map((name) => ({ name, mimeType: 'text/plain', buffer: readFileSync(join(samples, name)) }));
  while (files.length < 20) files.push({ name: `club-${files.length}.mat`, mimeType: 'text/plain', buffer: Buffer.from(`; [EventDate "2026.10.${files.length + 10}"]\n${match.replace(/^;.*\n/gm, '').replaceAll('gnubg', `Ben ${files.length}`)}`) });
  await page.tap('#nav a[href="#/match"]');
  await page.waitForSelector('.drop-zone', patient);
  await page.setInputFiles('#file', files);
  await page.waitForFunction(() => /Files added: 20/.test(document.querySelector('[data-said]')?.textContent), null, patient);
  await page.waitForFunction(() => document.querySelector('.asks') && !document.querySelector('.mine').textContent.includes('PR is coming'), null, { timeout: 240_000 });
  await page.tap('.asks [data-name="root"]');
  await page.waitForSelector('.sum', patient);
  if (await page.$('.asks')) await page.tap('.asks [data-act="nobody"]');
  assert.ok((await rows(page)).length >= 20);
  await shot(page, 'user-matches-390', { fullPage: true });
  // The worst habit leads to its drill.
  assert.match(await page.textContent('[data-worst]'), /most expensive habit: .+, \d+ times/);
  await page.tap('[data-worst] a');
  await page.waitForFunction(() => /^#\/drill\/\w+_/.test(location.hash) && document.querySelector('.facts.thirds'), null, patient);
  await shot(page, 'user-habit-390');
  await page.selectOption('#panel select', 'all');
  await page.waitForFunction(() => location.hash === '#/drill', null, patient);
  await page.check('[name="answer-by"][value="true"]', { force: true });
  // A question may have several parts.
  const done = () => page.$eval('.facts.thirds div:nth-child(2) dd', (dd) => Number(dd.textContent));
  for (let steps = 0; steps < 60 && await done() < 10; steps++) {
    await page.waitForSelector('.answers button, .over button', patient);
    if (await page.$(act('next'))) await page.tap(act('next'));
    else if (await page.$('.answers button')) await page.tap('.answers button');
    else await page.tap('.over button');
  }
  assert.equal(await done(), 10);
  const due = await page.$eval('.facts.thirds dd', (dd) => Number(dd.textContent));
  await shot(page, 'user-drilled-390');
  // A friend takes the other seat by the link.
  await go(page, '#/play');
  await page.tap('[data-act="invite"]');
  await page.fill('dialog [name="own-name"]', 'Ann');
  await page.tap('dialog [data-value="yes"]');
  await page.waitForSelector('[data-link]', patient);
  const friend = await visit(chrome, await page.inputValue('[data-link]'), { ...phone, kept: false });
  await friend.fill('[name="guest"]', 'Cleo');
  await friend.tap('[data-act="sit-down"]');
  await page.waitForFunction(() => /Cleo/.test(document.querySelector('.seat-box').textContent), null, patient);
  for (let turns = 0; turns < 6;) {
    const [mover] = (await Promise.all([page, friend].map(async (each) => await each.evaluate(() => document.querySelector('.over [data-act="roll"]:not(:disabled), .touch.can-move') && !document.querySelector('.thinking')) ? each : null))).filter(Boolean);
    if (!mover) { await page.waitForTimeout(50); continue; }
    if (await mover.$(act('roll'))) await mover.tap(act('roll'));
    await playRoll(mover);
    turns++;
  }
  const [quits, wins] = await page.waitForSelector('[data-act="resign"]:not(:disabled)', { timeout: 3000 }).then(() => [page, friend], () => [friend, page]);
  await quits.click('[data-act="resign"]:not(:disabled)');
  await quits.click('[data-value="single"]');
  await wins.click(act('accept'));
  for (const each of [page, friend]) await each.waitForSelector('.card .facts', patient);
  await shot(page, 'user-over-390');
  await friend.context().close();
  // The next day there is no network.
  const before = (await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('tavola.entry.')).length));
  for (const file of ['drill.js', 'match.js', 'rules.js', 'card.js']) await keeps(page, file);
  await own.stop();
  const later = await page.context().newPage();
  await later.clock.setSystemTime(Date.now() + 86_400_000);
  await later.goto(own.url);
  await later.waitForSelector('html[data-ready]', patient);
  await go(later, '#/match');
  await later.waitForSelector('.sum', patient);
  const list = await rows(later);
  assert.equal(list.length, before);
  assert.ok(list.length >= 21 && /Cleo/.test(list[0]), list.join('\n'));
  assert.match(await later.textContent('[data-worst]'), /most expensive habit/);
  await shot(later, 'user-next-day-390');
  // What was missed yesterday is due again.
  await go(later, '#/drill');
  await later.waitForSelector('.facts.thirds', patient);
  assert.ok(await later.$eval('.facts.thirds dd', (dd) => Number(dd.textContent)) >= due);
  await later.waitForSelector('.answers button, .over button', patient);
  await later.locator('.answers button, .over button').first().tap();
  await later.waitForSelector('.over button', patient);
  await shot(later, 'user-drill-next-day-390');
  problems(page);
  await page.context().close();
});
