// Two people on two devices, and somebody who watches: links, seats, the clock, a connection that is lost.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, act, around, begin, chrome, go, onServer, open, patient, playRoll, problems, seeded, serve, shot, site, visit } from './world.mjs';

around();

const title = (page) => page.textContent('.status h1');
const waits = (page, source) => page.waitForFunction((source) => new RegExp(source).test(document.querySelector('.status h1')?.textContent) && !document.querySelector('.thinking'), source, patient);
const settled = (page) => page.waitForFunction(() => !document.querySelector('.thinking') && /./.test(document.querySelector('.status h1')?.textContent ?? ''), null, patient);

// Begins a game for two; the link and its host.
async function host(options, kind = '', choose = null) {
  const page = await open(kind, options);
  await page.click('[data-act="invite"]');
  await page.fill('dialog [name="own-name"]', 'Ann');
  await choose?.(page);
  await page.click('dialog [data-value="yes"]');
  await page.waitForSelector('[data-link]', patient);
  return { page, link: await page.inputValue('[data-link]') };
}

async function sit(link, name, options = {}) {
  const page = await visit(chrome, link, options);
  await page.fill('[name="guest"]', name);
  await page.click('[data-act="sit-down"]');
  await page.waitForSelector('.online', patient);
  return page;
}

// Does what is to be done by whoever of them can; who it was.
async function turn(pages) {
  for (let tries = 0; tries < 200; tries++) {
    for (const page of pages) {
      const what = await page.evaluate(() => document.querySelector('.thinking') ? null : ['take', 'roll', 'done'].find((name) => document.querySelector(`.over [data-act="${name}"]`)) ?? (document.querySelector('.touch.can-move') ? 'play' : null));
      if (!what) continue;
      if (what === 'play') { await playByTaps(page); return page; }
      // A roll that may not be doubled comes by itself.
      if (await page.click(act(what), { timeout: 4000 }).then(() => true, () => false)) return page;
    }
    await new Promise((again) => { setTimeout(again, 100); });
  }
  throw new Error(`nobody can act: ${await Promise.all(pages.map(title))}`);
}

async function playByTaps(page) {
  for (let step = 0; step < 8 && !await page.$(act('done')); step++) {
    const point = await page.$eval('.touch.can-move', (touch) => Number(touch.dataset.place)).catch(() => null);
    if (point === null) return;
    await page.locator(`.touch[data-place="${point}"]`).click({ force: true });
  }
  await page.click(act('done'));
}

const entries = (page) => page.$$eval('.log li', (rows) => rows.length);
const sameLog = (one, two) => two.waitForFunction((count) => document.querySelectorAll('.log li').length >= count && !document.querySelector('.thinking'), one, patient);

test('two people play by a link, a third one watches, a lost connection comes back', onServer, async () => {
  const setup = { setup: { length: 3 }, speed: 0, autoRoll: false };
  const { page: ann, link } = await host({ remembered: setup }, '', async (page) => { await page.check('input[name="clock"][value="usual"]', { force: true }); });
  assert.match(link, /#\/join\/[a-z2-9]{24}\/[a-z2-9]{24}$/);
  assert.match(await title(ann), /^Waiting for/);
  await accessible(ann, 'a game that waits');
  await shot(ann, 'link-1440');
  // A phone takes the other seat.
  const guest = await visit(chrome, link, { width: 390, height: 844, remembered: setup });
  await guest.waitForSelector('[data-act="sit-down"]', patient);
  assert.match(await guest.textContent('#panel'), /Ann invites you.*3 points.*Clock: 6:00 each/s);
  await accessible(guest, 'an invitation');
  await shot(guest, 'join-390');
  await guest.fill('[name="guest"]', 'Ben');
  await guest.click('[data-act="sit-down"]');
  await guest.waitForSelector('.clock.runs', patient);
  await ann.waitForSelector('.clock.runs', patient);
  await ann.waitForFunction(() => /Ben/.test(document.querySelector('.seat-box').textContent), null, patient);
  assert.equal(await ann.$('[data-link]'), null);
  // A third one finds the seat taken, and watches.
  const third = await visit(chrome, link, { remembered: { speed: 0 } });
  await third.waitForSelector('[data-act="watch"]', patient);
  assert.match(await third.textContent('#panel'), /Somebody else has taken this seat/);
  assert.equal(await third.$('[data-act="sit-down"]'), null);
  await third.click('[data-act="watch"]');
  await third.waitForSelector('.online', patient);
  assert.match(await third.textContent('.online'), /You watch this game/);
  for (let nth = 0; nth < 4; nth++) await turn([ann, guest]);
  await Promise.all([ann, guest, third].map(settled));
  const count = await entries(ann);
  assert.ok(count >= 2);
  await sameLog(count, guest);
  await sameLog(count, third);
  assert.equal(await third.$('.over button'), null);
  assert.equal(await third.$('.touch.can-move'), null);
  // No hints, and nothing is taken back.
  for (const page of [ann, guest]) for (const name of ['hint', 'take_back']) assert.equal(await page.$(`[data-act="${name}"]:not(:disabled)`), null);
  await ann.waitForFunction(() => /1 watching/.test(document.querySelector('.online').textContent), null, patient);
  await accessible(ann, 'a game between two');
  await shot(ann, 'online-1440');
  await shot(guest, 'online-390');
  // The phone loses its connection, and the other one plays on.
  await settled(ann);
  const own = await ann.$('.over button, .touch.can-move') ? ann : guest;
  const away = own === ann ? guest : ann;
  await away.context().setOffline(true);
  await turn([own]);
  await settled(own);
  const then = await entries(own);
  await away.context().setOffline(false);
  await sameLog(then, away);
  // Who comes back to the link has the seat at once.
  await guest.goto(`${site.url}manifest.json`);
  await guest.goto(link);
  await guest.waitForSelector('.online', patient);
  assert.equal(new URL(guest.url()).hash.startsWith('#/play/'), true);
  for (let nth = 0; nth < 3; nth++) await turn([ann, guest]);
  // A tab that lags behind says that the game went on, and both agree to play without a clock.
  await guest.click('[data-act="clock"]');
  await ann.waitForFunction(() => /wants to switch the clock off/.test(document.querySelector('.online').textContent), null, patient);
  await ann.click('[data-act="clock"]');
  await guest.waitForFunction(() => !document.querySelector('.clock'), null, patient);
  for (const page of [ann, guest, third]) { problems(page); await page.context().close(); }
});

test('a match that is over is reviewed on both devices, and counts as one of one\'s own', onServer, async () => {
  const { page: ann, link } = await host({ remembered: { setup: { length: 1 }, speed: 0, autoRoll: false, mine: ['Ann'] } });
  const ben = await sit(link, 'Ben', { remembered: { speed: 0, autoRoll: false, mine: ['Ben'] } });
  for (let nth = 0; nth < 5; nth++) await turn([ann, ben]);
  await settled(ann);
  await ann.click('[data-act="resign"]:not(:disabled)');
  await ann.click('[data-value="single"]');
  await ben.waitForSelector(act('accept'), patient);
  await ben.click(act('accept'));
  for (const page of [ann, ben]) {
    await page.waitForSelector('.card .facts', patient);
    await page.click('[data-act="review"]');
    await page.waitForSelector('.headline', patient);
  }
  assert.match(await ann.textContent('.headline'), /Ann.*Ben|Ben.*Ann/);
  for (const [page, name] of [[ann, 'Ann'], [ben, 'Ben']]) {
    const entry = await page.evaluate(() => JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith('tavola.entry.'))[1]));
    assert.equal(entry.names[entry.me], name, JSON.stringify(entry));
    assert.equal(entry.level, undefined);
    problems(page);
    await page.context().close();
  }
});

test('links that lead nowhere say so, and time that is up ends a match', onServer, async () => {
  const fake = 'abcdefghijkmnpqrstuvwxyz';
  for (const [hash, said] of [[`#/join/${fake}/${fake}`, /no such game/], ['#/join/abc/def', /opens no seat/], ['#/join/', /opens no seat/]]) {
    const page = await open(hash);
    await page.waitForFunction((source) => new RegExp(source).test(document.querySelector('#panel').textContent), said.source, patient);
    problems(page);
    await page.context().close();
  }
  const { page: ann, link } = await host({ remembered: { setup: { length: 1 }, speed: 0 } });
  // A link whose end was changed.
  const bad = await visit(chrome, link.slice(0, -4) + 'aaaa');
  await bad.waitForFunction(() => /opens no seat/.test(document.querySelector('#panel').textContent), null, patient);
  await bad.context().close();
  await ann.context().close();
  // The clock of a game that the program has begun.
  const begun = await (await fetch(`${site.url}api/v1/invitations`, { method: 'POST', body: JSON.stringify({ seat: 1, clock: { reserve: 2, delay: 0 }, game: { name: 'Ann', length: 1 } }) })).json();
  const token = begun.seats.people.find(({ invitation }) => invitation).invitation;
  const ben = await sit(`${site.url}#/join/${begun.id}/${token}`, 'Ben', { remembered: { speed: 0 } });
  await ben.waitForSelector('.over [data-act="new"]', patient);
  assert.match(await ben.textContent('.status'), /on time/);
  problems(ben);
  await ben.context().close();
});

test('a link that has expired, a move of another seat and another server are said in words, and nothing is lost', onServer, async () => {
  const begun = await (await fetch(`${site.url}api/v1/invitations`, { method: 'POST', body: JSON.stringify({ seat: 1, game: { name: 'Ann', length: 3 } }) })).json();
  const [link, own] = [begun.seats.people.find(({ invitation }) => invitation).invitation, begun.seats.token].map((token) => `${site.url}#/join/${begun.id}/${token}`);
  // It expires while the name is typed, and before it is opened.
  const late = await visit(chrome, link);
  await late.waitForSelector('[data-act="sit-down"]', patient);
  await late.route('**/seats', (route) => route.fulfill({ status: 410, json: { error: { kind: 'expired', message: 'the link has expired' } } }));
  await late.route(`**/games/${begun.id}`, async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, seats: { ...answer.seats, closed: 'expired' } } });
  });
  await late.click('[data-act="sit-down"]');
  await late.waitForFunction(() => /The link has expired/.test(document.querySelector('#toast.shown')?.textContent) && /This link has expired/.test(document.querySelector('#panel .problem')?.textContent), null, patient);
  assert.equal(await late.$('[data-act="sit-down"]'), null);
  await accessible(late, 'a link that has expired');
  problems(late);
  await late.unrouteAll({ behavior: 'ignoreErrors' });
  await late.context().close();
  // A tab that acts for the other seat, or for none, hears why not; the game is as it was.
  const ben = await sit(link, 'Ben', { remembered: { speed: 0 } }), ann = await visit(chrome, own, { remembered: { speed: 0 } });
  await ann.waitForSelector('.online', patient);
  await Promise.all([ann, ben].map(settled));
  const state = async (page) => JSON.stringify((await page.evaluate(async (id) => (await (await import('./engine.js')).open()).state(id), begun.id)).state.log), before = await state(ann);
  const idle = await ann.$('.over button, .touch.can-move') ? ben : ann;
  const refused = (page) => page.evaluate(async (id) => { try { await (await (await import('./engine.js')).open()).act(id, { act: 'roll' }); return 'done'; } catch ({ kind, message }) { return `${kind}: ${message}`; } }, begun.id);
  assert.match(await refused(idle), /request: it is the turn of (Ann|Ben)/);
  await idle.evaluate((id) => localStorage.setItem(`tavola.seat.${id}`, JSON.stringify('a'.repeat(24))), begun.id);
  assert.match(await refused(idle), /seat: the token opens no seat/);
  assert.equal(await state(ann === idle ? ben : ann), before);
  for (const page of [ann, ben]) { problems(page); await page.context().close(); }
  // Another server knows nothing of the game: it is said, and the match stays with what was played.
  const page = await visit(chrome, site.url, { remembered: { ...seeded({ length: 3 }), speed: 0, autoRoll: false } }), second = await serve();
  await begin(page);
  await playRoll(page);
  await page.waitForSelector('[data-act="hint"]:not(:disabled)', patient);
  const { length } = await page.$$('.log li');
  // As if it were at the address of the first one.
  await page.route('**/api/v1/**', async (route) => {
    const headers = { ...route.request().headers(), origin: new URL(second.url).origin };
    await route.fulfill({ response: await route.fetch({ url: route.request().url().replace(site.url, second.url), headers }) });
  });
  await page.reload();
  await page.waitForFunction(() => /not there any more/.test(document.querySelector('#toast').textContent) && document.querySelector('[data-act="start"]'), null, patient);
  await go(page, '#/match');
  assert.equal((await page.$$('.mine > .history li')).length, 1);
  await page.click('.mine > .history a');
  await page.waitForSelector('.curve svg', patient);
  assert.ok(length >= 2 && (await page.$$('.turns li')).length >= 2);
  problems(page);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
  await second.stop();
});

test('old games are played by a link, too', onServer, async () => {
  const { page: ann, link } = await host({ remembered: { 'tables.setup': { game: 'tabula' }, speed: 0 } }, '#/tables');
  const ben = await sit(link, 'Ben', { width: 390, height: 844, remembered: { speed: 0 } });
  const can = (page) => page.evaluate(() => Boolean(document.querySelector('[data-move]')));
  for (let nth = 0; nth < 4; nth++) {
    let page = null;
    for (let tries = 0; !page && tries < 200; tries++) {
      page = await can(ann) ? ann : await can(ben) ? ben : null;
      if (!page) await new Promise((again) => { setTimeout(again, 100); });
    }
    for (let step = 0; step < 8 && !await page.$(act('done')); step++) await page.click('[data-move]');
    const before = await entries(page);
    await page.click(act('done'));
    await page.waitForFunction((count) => document.querySelectorAll('.log li').length > count, before, patient);
  }
  await Promise.all([ann, ben].map(settled));
  await sameLog(await entries(ann), ben);
  for (const page of [ann, ben]) { problems(page); await page.context().close(); }
});
