// Nothing that a user has on this device is lost: backups, what is removed, what is taken back, what is pasted, figures
// that are still to come, and two tabs.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessible, act, around, begin, go, held, known, limit, match, onServer, open, patient, playRoll, problems, program, resign, seeded, shot } from './world.mjs';

around();

const ends = async (page) => { problems(page); await page.context().close(); };
// Without what tells a reader that figures still come.
const rows = (page) => page.$$eval('.mine > .history li', (rows) => rows.map(({ textContent }) => textContent));
const stored = (page) => page.evaluate(() => Object.fromEntries(Object.entries(localStorage).filter(([key]) => /^tavola\.(entry|record|card|tree)/.test(key)).map(([key, text]) => [key, JSON.parse(text)])));
const give = (page, name, text) => page.setInputFiles('#file', { name, mimeType: 'application/json', buffer: Buffer.from(text) });
const saved = async (page) => {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-act="export"]')]);
  assert.equal(file.suggestedFilename(), 'tavola-matches.json');
  return readFileSync(await file.path(), 'utf8');
};
const said = (page, text) => page.waitForFunction((text) => document.querySelector('.panel [data-said]')?.textContent.includes(text), text, patient)
  .catch(async (error) => { throw new Error(`${text}: ${await page.textContent('.panel')} ${await page.textContent('#toast')} ${page.problems}`, { cause: error }); });
// A list of matches with these in the storage, which a reload brings back no more.
// With `quiet` no figures come that an older page has not kept.
const listed = async (items, quiet = false) => {
  const page = await open('#/rules');
  if (quiet) await page.route('**/analyses**', (route) => route.abort());
  await page.evaluate((items) => { for (const [key, value] of Object.entries(items)) localStorage.setItem(`tavola.${key}`, JSON.stringify(value)); }, items);
  await page.evaluate(() => { location.hash = '#/match'; });
  await page.waitForSelector('.history li', patient);
  return page;
};
// A transfer of data as people paste or drop it.
const hand = (page, kind, text, name) => page.evaluate(([kind, text, name]) => {
  const data = new DataTransfer();
  if (name) data.items.add(new File([text], name)); else data.setData('text', text);
  const event = kind === 'paste' ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }) : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
  document.body.dispatchEvent(event);
  return event.defaultPrevented;
}, [kind, text, name]);
const CARD = { id: 'p3', at: 3, position: 'XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10', done: '24/13', loss: 0.09 };
const TRIED = 'XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:65:0:0:2:0:10';
const TREE = [{ address: TRIED, after: TRIED, side: 'own', text: '65: 24/13', loss: 0.09, next: [] }];

// Fifty matches as a browser has them: played, opened, running, an old game.
function fifty() {
  const found = {}, sums = { play: { errors: 2, loss_emg: 0.25 } };
  for (let at = 0; at < 50; at++) {
    const id = `p${at}`, date = new Date(Date.UTC(2026, 9, 1 + at)).toISOString();
    const entry = { date, id, me: at % 2, level: 'expert', names: [`Ann ${at}`, 'tavola'], length: 3, score: [3, at % 3], running: false, pr: [5 + at / 10, 3.25], luck: [-0.125, 0.5], faults: [sums, {}], phases: [{}, { opening: sums.play }], changed: date };
    if (at === 7) Object.assign(entry, { running: true, pr: undefined, luck: undefined, faults: undefined, phases: undefined });
    if (at === 8) Object.assign(entry, { game: 'tabula', pr: undefined, luck: undefined });
    if (at === 9) Object.assign(entry, { me: undefined, level: undefined, played: '2026-01-02' });
    found[`entry.${id}`] = entry;
    if (at !== 10) found[`record.${id}`] = at === 9 ? { bytes: Buffer.from(match.replaceAll('root', 'Jürgen'), 'latin1').toString('base64') } : match.replaceAll('root', `Ann ${at}`);
  }
  return { ...found, 'card.p3.3': { ...CARD, date: '2026-10-05T00:00:00.000Z' }, tree: TREE };
}

test('a backup of fifty matches is the same list in an empty browser, and is read by the program', limit, async () => {
  const page = await listed(fifty(), true);
  const [before, state] = [await rows(page), await stored(page)];
  assert.equal(before.length, 50);
  const text = await saved(page);
  const other = await open('#/match');
  await other.route('**/analyses**', (route) => route.abort());
  await give(other, 'tavola-matches.json', text);
  await said(other, '50 added, 0 newer there, 0 known already');
  assert.deepEqual(await rows(other), before);
  assert.deepEqual(await stored(other), state);
  // Once more: no match is there twice.
  await give(other, 'again.json', text);
  await said(other, '0 added, 0 newer there, 50 known already');
  assert.deepEqual(await stored(other), state);
  assert.deepEqual(JSON.parse(await saved(other)), JSON.parse(text));
  // A match that went on in one browser: the later state of both stays.
  const later = (score) => ({ ...state['tavola.entry.p7'], score, changed: '2026-12-01T00:00:00.000Z' });
  await other.evaluate((entry) => localStorage.setItem('tavola.entry.p7', JSON.stringify(entry)), later([2, 2]));
  await give(other, 'older.json', text);
  await said(other, '50 known already');
  assert.deepEqual((await stored(other))['tavola.entry.p7'].score, [2, 2]);
  const ahead = JSON.parse(text);
  Object.assign(ahead.matches.find(({ id }) => id === 'p7'), later([2, 0]), { changed: '2026-12-02T00:00:00.000Z' });
  await give(other, 'newer.json', JSON.stringify(ahead));
  await said(other, '0 added, 1 newer there, 49 known already');
  assert.deepEqual((await stored(other))['tavola.entry.p7'].score, [2, 0]);
  await ends(page);
  await ends(other);
  // The program has the matches that have a record of their own.
  const folder = mkdtempSync(join(tmpdir(), 'backup-'));
  try {
    writeFileSync(join(folder, 'backup.json'), text);
    execFileSync(program, ['convert', join(folder, 'backup.json'), join(folder, 'out.json')], { stdio: 'pipe' });
    const { matches } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'));
    assert.equal(matches.length, 48);
    assert.ok(matches.some(({ players }) => players[1] === 'Jürgen'));
  } finally { rmSync(folder, { recursive: true }); }
});

test('a backup is merged, also an older one and a damaged one, and loses nothing', limit, async () => {
  const all = fifty();
  // The same match, opened from its file, is no second one; one without figures gets them.
  const { pr, luck, faults, phases, changed, ...bare } = all['entry.p1'];
  const page = await listed({ 'entry.f0000': { ...all['entry.p2'], id: 'f0000' }, 'record.f0000': all['record.p2'], 'entry.p1': bare, 'record.p1': all['record.p1'] }, true);
  const entries = [...Array(50).keys()].map((at) => ({ ...all[`entry.p${at}`], record: all[`record.p${at}`] ?? null }));
  const wrong = [{ ...entries[0], id: '../x' }, { ...entries[0], id: 'q1', names: 'Ann' }, { ...entries[0], id: 'q2', pr: 'x' }, { ...entries[0], id: 'q3', date: 'never' }, null, 3];
  // As older pages wrote it.
  const old = JSON.stringify({ matches: [...entries.map(({ changed, ...entry }) => entry), ...wrong] }, null, 1);
  await give(page, 'half.json', old.slice(0, old.indexOf('"id": "p30"')));
  await said(page, '28 added, 1 newer there, 1 known already');
  assert.match(await page.textContent('.panel [data-said]'), /damaged or was cut \(.+\); what is whole in it was read/);
  await give(page, 'whole.json', old);
  await said(page, '20 added, 0 newer there, 30 known already');
  assert.match(await page.textContent('.panel [data-said]'), /can’t be read: 6\./);
  assert.equal((await rows(page)).length, 50);
  const { 'tavola.entry.p1': rated } = await stored(page);
  assert.deepEqual(rated.pr, pr);
  // One of a later version changes nothing; it comes by any way.
  const now = await stored(page);
  assert.ok(await hand(page, 'drop', '{"format": "tavola history", "version": 2, "matches": []}', 'later.json'));
  await said(page, 'version 2');
  assert.deepEqual(await stored(page), now);
  await hand(page, 'paste', '{"format": "tavola history",\n"version": 1, "matches": []}');
  await said(page, '0 added');
  // In a full storage that is said.
  await page.evaluate(() => { const set = Storage.prototype.setItem; Storage.prototype.setItem = function full(key, text) { if (key.includes('p99')) throw new DOMException('full', 'QuotaExceededError'); set.call(this, key, text); }; });
  await give(page, 'more.json', JSON.stringify({ matches: [{ ...entries[0], id: 'p99', record: `${match}\n` }] }));
  await said(page, 'storage of this browser is full');
  assert.equal((await rows(page)).length, 51);
  await ends(page);
});

test('what is removed can be had back, at once and after a reload', limit, async () => {
  const old = { ...known('y', match).history[0], id: 'y', removed: '2026-01-01T00:00:00.000Z' };
  const page = await listed({ ...fifty(), 'gone.entry.y': old, 'record.y': match }, true);
  const [before, state] = [await rows(page), await stored(page)];
  // What was removed long ago is gone.
  assert.equal(state['tavola.record.y'], undefined);
  assert.equal(await page.$('.removed'), null);
  await page.click('.history li:nth-child(2) [data-act="remove"]');
  assert.deepEqual(await rows(page), before.filter((_, index) => index !== 1));
  assert.match(await page.textContent('#toast.shown'), /tavola · Expert.*removed/);
  await accessible(page, 'a toast with a button');
  await page.click('#toast [data-act="put-back"]');
  assert.deepEqual(await stored(page), state);
  // Three more, one that runs and an old game among them.
  for (const name of ['p8', 'p7', 'p49']) await page.click(`.history li:has([href$="/${name}"]) [data-act="remove"]`);
  await page.reload();
  await page.waitForSelector('.removed summary', patient);
  assert.equal((await rows(page)).length, 47);
  await page.click('.removed summary');
  assert.match(await page.textContent('.removed'), /30 days, 50 things/);
  await accessible(page, 'what was removed');
  await shot(page, 'removed');
  for (let left = 3; left; left--) {
    assert.equal(await page.$$eval('.removed li', (all) => all.length), left);
    await page.click('.removed [data-act="put-back"]');
  }
  assert.deepEqual(await rows(page), before);
  assert.deepEqual(await stored(page), state);
  // A match that was removed is there again when its file is opened, or its backup.
  await page.click('.history li:has([href$="/p9"]) [data-act="remove"]');
  await give(page, 'one.json', JSON.stringify({ matches: [{ ...state['tavola.entry.p9'], record: state['tavola.record.p9'] }] }));
  await said(page, '1 added');
  assert.deepEqual(await stored(page), state);
  assert.equal(await page.$('.removed'), null);
  await ends(page);
});

test('a kept error and what was tried can be had back', limit, async () => {
  const page = await listed({ ...known('x', match), ply: 0, tree: TREE });
  await page.click('.history a');
  await page.waitForSelector('.errors .blunder', patient);
  await page.click('.errors .blunder');
  await page.click('[data-act="keep"]');
  await page.waitForSelector('[data-act="keep"].on', patient);
  const card = Object.entries(await stored(page)).find(([key]) => key.startsWith('tavola.card.'));
  await page.click('[data-act="keep"]');
  await page.waitForSelector('#toast.shown [data-act="put-back"]', patient);
  await page.click('#toast [data-act="put-back"]');
  await page.waitForSelector('[data-act="keep"].on', patient);
  await page.click('[data-act="keep"]');
  // Another position takes the place of what was tried.
  await go(page, '#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10');
  // Its own play by name: the list of the review stays until the new position has come.
  await page.click('.plays li:has-text("8/5 6/5") button', patient);
  await page.waitForFunction(() => !localStorage.getItem('tavola.tree').includes('24/13'), null, patient);
  await go(page, '#/match');
  await page.click('.removed summary');
  assert.match(await page.textContent('.removed'), /Plays that were tried: 65: 24\/13.*Kept error −0\.\d+/s);
  await page.click('.removed li:nth-child(1) [data-act="put-back"]');
  await page.waitForFunction((tree) => localStorage.getItem('tavola.tree') === JSON.stringify(tree), TREE, patient);
  // What was tried meanwhile is there in its place.
  assert.match(await page.textContent('.removed'), /31: 8\/5 6\/5/);
  await page.click('.removed li:has-text("Kept error") [data-act="put-back"]');
  await page.waitForSelector('.cards a', patient);
  assert.deepEqual((await stored(page))[card[0]], card[1]);
  await ends(page);
});

test('the end of a game is taken back after a question, and its figures go with it', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 3 }), autoRoll: false } });
  await begin(page);
  await playRoll(page);
  await page.waitForSelector(`${act('roll')}, ${act('take')}`, patient);
  if (await page.$(act('take'))) await page.click(act('take'));
  await page.waitForSelector('[data-act="resign"]:not(:disabled)', patient);
  const back = () => page.click('[data-act="take_back"]:not(:disabled)'), id = page.url().split('/').at(-1);
  const over = (key = 'new') => page.waitForSelector(act(key), patient);
  const entry = () => page.evaluate((id) => JSON.parse(localStorage.getItem(`tavola.entry.${id}`)), id);
  const record = () => page.evaluate((id) => localStorage.getItem(`tavola.record.${id}`), id);
  // A game inside the match.
  await resign(page, 'single');
  await over('next_game');
  await page.waitForSelector('.card .facts', patient);
  await back();
  await page.waitForSelector('dialog[open] h2', patient);
  await accessible(page, 'the question');
  await page.click('dialog [data-value=""]');
  assert.ok(await page.$(act('next_game')));
  await back();
  await page.click('dialog [data-value="yes"]');
  await page.waitForSelector('[data-act="resign"]:not(:disabled)', patient);
  assert.deepEqual((await entry()).score, [0, 0]);
  // The match.
  await resign(page, 'backgammon');
  await over();
  await page.waitForSelector('.card .facts', patient);
  assert.deepEqual([(await entry()).score, (await entry()).running, typeof (await entry()).pr], [[0, 3], false, 'object']);
  const whole = await record();
  await back();
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('dialog'), null, patient);
  assert.ok(await page.$(act('new')));
  await back();
  await page.click('dialog [data-value="yes"]');
  await page.waitForSelector('[data-act="resign"]:not(:disabled)', patient);
  const { score, running, pr, luck, faults } = await entry();
  assert.deepEqual([score, running, pr, luck, faults], [[0, 0], true, undefined, undefined, undefined]);
  await page.waitForFunction(([id, whole]) => localStorage.getItem(`tavola.record.${id}`) !== whole, [id, whole], patient);
  assert.doesNotMatch(await record(), /Wins/);
  await go(page, '#/match');
  assert.match((await rows(page)).join(), /0–0 · running×$/);
  // A review of it gives it none either, and the tutor asks nothing.
  await go(page, `#/match/${id}`);
  await page.waitForSelector('.curve svg', patient);
  assert.equal((await entry()).pr, undefined);
  await page.evaluate(() => localStorage.setItem('tavola.tutor', 'true'));
  await go(page, `#/play/${id}`);
  await page.click('[data-act="resign"]:not(:disabled)');
  await page.click('[data-value="backgammon"]');
  await page.click('dialog [value="yes"]', { timeout: 5000 }).catch(() => {});
  await over();
  await back();
  await page.waitForSelector('[data-act="resign"]:not(:disabled)', patient);
  assert.equal((await entry()).running, true);
  await ends(page);
});

test('a chouette and an old game ask before their end is taken back', onServer, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 0, players: 3 }), autoRoll: false } });
  await begin(page);
  for (let turn = 0; turn < 60 && !await page.$(act('next_game')); turn++) {
    const what = await page.waitForFunction(() => ['next_game', 'drop', 'double', 'leave', 'roll', 'done'].find((name) => document.querySelector(`.over [data-act="${name}"]`)) ?? (document.querySelector('.touch.can-move') ? 'play' : null), null, patient).then((found) => found.jsonValue());
    if (what === 'next_game') break;
    if (['play', 'done'].includes(what)) await playRoll(page); else await page.click(act(what));
  }
  await page.waitForSelector(act('next_game'), patient);
  await page.click('[data-act="take_back"]:not(:disabled)');
  await page.waitForSelector('dialog[open] [data-value="yes"]', patient);
  await page.click('dialog [data-value=""]');
  const id = await page.evaluate(async () => {
    const ask = async (path, body) => (await fetch(`api/v1/games${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
    const { id, state: begun } = await ask('', { game: 'fallas', length: 1, strength: 'casual', seed: 1 });
    for (let state = begun; !/over$/.test(state.waiting.for);) ({ state } = await ask(`/${id}/actions`, state.waiting.for === 'play' ? { act: 'play', play: state.waiting.plays[0] } : { act: 'roll' }));
    return id;
  });
  const running = () => page.evaluate((id) => JSON.parse(localStorage.getItem(`tavola.entry.${id}`)).running, id);
  await go(page, `#/tables/${id}`);
  await page.waitForFunction((id) => /tavola 1/.test(localStorage.getItem(`tavola.record.${id}`) ?? ''), id, patient);
  await page.click('[data-act="take_back"]:not(:disabled)');
  await page.waitForSelector('dialog[open]', patient);
  assert.equal(await running(), false);
  await page.click('dialog [data-value="yes"]');
  await page.waitForFunction((id) => !/tavola 1/.test(localStorage.getItem(`tavola.record.${id}`)), id, patient);
  assert.equal(await running(), true);
  await ends(page);
});

test('what can’t be read leaves the position, the game and the review where they are', limit, async () => {
  const place = 'XGID=-b----E-C---eE---c-e----B-:0:0:1:52:2:3:0:7:10';
  const page = await open(`#/analyze/${place}`, { remembered: { ...known('x', match), ply: 0, ...seeded({ length: 3 }), autoRoll: false } });
  await page.waitForSelector('.plays', patient);
  const hash = () => page.evaluate(() => decodeURIComponent(location.hash));
  const text = () => page.$eval('svg.board', (svg) => svg.getAttribute('aria-label'));
  const refused = async (what, words) => {
    await page.evaluate(() => document.getElementById('toast').replaceChildren());
    await what();
    await page.waitForFunction((words) => document.getElementById('toast').textContent.includes(words), words, patient);
  };
  const wrong = async () => {
    await refused(() => hand(page, 'paste', 'hello world'), 'hello world');
    await refused(() => hand(page, 'drop', 'good bye'), 'good bye');
    await refused(() => hand(page, 'paste', 'no match\nat all'), 'That did not work');
    await refused(async () => assert.ok(await hand(page, 'drop', 'x', 'picture.png')), 'That did not work');
    await refused(() => hand(page, 'drop', 'nothing', 'picture.png'), 'That did not work');
    await refused(() => hand(page, 'paste', '{"format": "tavola match", "version": 9}\n'), 'version 9');
    await refused(() => hand(page, 'drop', 'x'.repeat(4_100_000), 'film.mat'), 'too large (film.mat: 4.1 MB > 4 MB)');
    assert.equal(await page.textContent('#away'), '');
  };
  await wrong();
  await refused(() => page.evaluate(() => { location.hash = '#/analyze/nonsense'; }), 'nonsense');
  await page.waitForFunction((place) => decodeURIComponent(location.hash) === `#/analyze/${place}`, place, patient);
  await page.fill('input[name="id"]', 'rubbish');
  await refused(() => page.press('input[name="id"]', 'Enter'), 'rubbish');
  assert.equal(await page.inputValue('input[name="id"]'), place);
  assert.deepEqual([await hash(), await text()], [`#/analyze/${place}`, place]);
  assert.ok(await page.$('.plays .best'));
  // In a review and in a game.
  await go(page, '#/match/x/5');
  await page.waitForSelector('.curve svg', patient);
  await wrong();
  assert.match(await page.textContent('.nav span'), /^6 /);
  await go(page, '#/play');
  await begin(page);
  await page.waitForSelector('.log li', patient);
  const game = await hash();
  await wrong();
  assert.equal(await hash(), game);
  assert.ok(await page.$('.log li'));
  assert.equal(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('tavola.record.f') || key.startsWith('tavola.gone')).length), 0);
  // What can be read is shown, from anywhere.
  await hand(page, 'drop', match, 'good.mat');
  await page.waitForSelector('.curve svg', patient);
  await hand(page, 'paste', place);
  await page.waitForFunction(() => location.hash.startsWith('#/analyze/'), null, patient);
  await ends(page);
});

test('the PR of a match comes though its card is left', onServer, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 1 }), autoRoll: false } });
  await begin(page);
  await playRoll(page);
  await page.waitForSelector(act('roll'), patient);
  await page.waitForSelector('[data-act="resign"]:not(:disabled)', patient);
  const answer = await held(page, '**/analyses**'), id = page.url().split('/').at(-1);
  await resign(page);
  await page.waitForFunction(() => document.querySelector('.card')?.textContent === 'PR is coming', null, patient);
  const pr = () => page.evaluate((id) => JSON.parse(localStorage.getItem(`tavola.entry.${id}`)).pr, id);
  // The card is left before its figures are there.
  await page.click(act('new'));
  await page.waitForSelector('form.new', patient);
  assert.equal(await pr(), undefined);
  answer();
  await page.waitForFunction((id) => JSON.parse(localStorage.getItem(`tavola.entry.${id}`)).pr, id, patient);
  assert.equal((await pr()).length, 2);
  await ends(page);
});

test('matches without figures get them while the list is open, and not while one plays', onServer, async () => {
  const { history: [entry] } = known('x', match), bare = (id) => ({ [`entry.${id}`]: { ...entry, id }, [`record.${id}`]: match.replaceAll('root', id) });
  const page = await open('', { remembered: { ...seeded({ length: 3 }), autoRoll: false } });
  await begin(page);
  await page.waitForSelector('.log li', patient);
  let running = 0, most = 0;
  const asked = [];
  page.on('request', (request) => { if (request.url().includes('/analyses')) { asked.push(request.url()); most = Math.max(most, ++running); } });
  page.on('requestfinished', (request) => { if (request.url().includes('/events')) running--; });
  page.on('response', (response) => { if (response.url().includes('/analyses') && !response.ok()) running--; });
  await page.evaluate((all) => { for (const [key, value] of Object.entries(all)) localStorage.setItem(`tavola.${key}`, JSON.stringify(value)); },
    { ...bare('a1'), ...bare('a2'), ...bare('a3'), 'entry.bad': { ...entry, id: 'bad' }, 'record.bad': 'no match\nat all' });
  await playRoll(page);
  await page.waitForSelector(`${act('roll')}, ${act('take')}`, patient);
  assert.deepEqual(asked, []);
  const answer = await held(page, '**/analyses**');
  await go(page, '#/match');
  await page.waitForSelector('.history li', patient);
  assert.equal((await rows(page)).filter((row) => row.includes('PR is coming')).length, 4);
  answer();
  await page.waitForFunction(() => !document.querySelector('.history').textContent.includes('PR is coming'), null, patient);
  assert.equal((await rows(page)).filter((row) => /PR \d/.test(row)).length, 3);
  assert.equal(most, 1);
  assert.equal(asked.length, 4);
  // Figures that are there are not made again.
  await page.reload();
  await page.waitForSelector('.history li', patient);
  assert.equal(asked.length, 4);
  await ends(page);
});

test('two tabs show the same game, and neither takes back what the other has kept', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 7 }), autoRoll: false } });
  await begin(page);
  await page.waitForFunction(() => location.hash.length > 10);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForSelector(`.touch.can-move, ${act('roll')}`, { ...patient, state: 'attached' });
  const turns = (tab) => tab.$$eval('.log li', (lines) => lines.map(({ textContent }) => textContent));
  const agree = async (from, to) => {
    const wanted = await turns(from);
    await to.waitForFunction((wanted) => JSON.stringify([...document.querySelectorAll('.log li')].map(({ textContent }) => textContent)) === JSON.stringify(wanted), wanted, patient)
      .catch(async (error) => { assert.deepEqual(await turns(to), wanted, error.message); });
  };
  const play = async (tab) => {
    if (await tab.$(act('roll'))) await tab.click(act('roll'));
    await playRoll(tab);
    await tab.waitForSelector(`${act('roll')}, ${act('take')}`, patient);
    if (await tab.$(act('take'))) { await tab.click(act('take')); await tab.waitForSelector(act('roll'), patient); }
  };
  // A play in one tab is seen in the other, which goes on from there.
  await play(other);
  await agree(other, page);
  await play(page);
  await agree(page, other);
  for (const tab of [page, other]) assert.equal(await tab.$('#toast.shown'), null);
  // One that heard nothing looks when it comes to the front, and says why a play no longer fits.
  await page.evaluate(() => { BroadcastChannel.prototype.postMessage = () => {}; });
  await play(page);
  assert.notDeepEqual(await turns(other), await turns(page));
  await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await agree(page, other);
  await page.click(act('roll'));
  await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
  await other.click(act('roll'));
  await other.waitForFunction(() => document.querySelector('#toast.shown')?.textContent.includes('gone on in another window'), null, patient);
  await agree(page, other);
  // Two that keep a match at once, one of which still sees the storage as it was.
  await go(page, '#/match');
  await go(other, '#/match');
  const keep = (tab, id, stale) => tab.evaluate(async ([id, stale]) => {
    if (stale) {
      const seen = { ...localStorage };
      Storage.prototype.getItem = (key) => seen[key] ?? null;
      globalThis.go = async () => (await import('./history.js')).keep({ id, names: [id], length: 0, score: [] }, 'text');
    } else (await import('./history.js')).keep({ id, names: [id], length: 0, score: [] }, 'text');
  }, [id, stale]);
  await keep(other, 'second', true);
  await keep(page, 'first', false);
  await other.evaluate(() => globalThis.go());
  await page.waitForFunction(() => ['first', 'second'].every((id) => document.querySelector(`.history [href$="/${id}"]`)), null, patient);
  await ends(page);
});
