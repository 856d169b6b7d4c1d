// The historical games, games for more than two, and a training run with its networks; the run needs a
// server.

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, browser, files, go, keeps, limit, onServer, patient, root, serve, shot, visit } from './world.mjs';

const onSite = { ...limit, skip: process.env.TAVOLA_SITE ? false : 'needs the static site' };
let chrome, site, folder;

// Two run directories as `tavola train` leaves them, with a network of the repository.
function run(name, shift) {
  const path = join(folder, name);
  mkdirSync(join(path, 'evaluated'), { recursive: true });
  const lines = [];
  for (let round = 1; round <= 40; round++) {
    lines.push({ type: 'round', round, games: round * 500, loss: 0.7 - 0.1 * Math.log10(round) - shift, games_per_second: 480 + round });
    if (round % 10 === 0) {
      const ppg = 0.4 * Math.log10(round) + shift;
      lines.push({ type: 'evaluation', round, games: round * 500, opponent: 'pip-count', ppg, interval: [ppg - 0.05, ppg + 0.05] });
    }
  }
  writeFileSync(join(path, 'metrics.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  copyFileSync(join(root, 'models/student.safetensors'), join(path, 'evaluated/round-000040.safetensors'));
  return path;
}

before(async () => {
  chrome = await browser();
  if (process.env.TAVOLA_SITE) {
    site = await files(process.env.TAVOLA_SITE);
    return;
  }
  folder = mkdtempSync(join(tmpdir(), 'tavola-runs-'));
  const [first, second] = [run('first', 0), run('second', 0.1)];
  mkdirSync(join(folder, 'begun'));
  site = await serve('--run', first, '--run', second, '--run', join(folder, 'begun'));
}, { timeout: 150_000 });
after(async () => {
  await chrome?.close();
  await site?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
}, { timeout: 30_000 });

const open = (path, options) => visit(chrome, `${site.url}${path}`, options);
const act = (name) => `.over [data-act="${name}"]`;

// Makes the first move that is offered until the play is whole, by touching the board where that
// leaves no choice.
async function makeRoll(page) {
  await page.waitForSelector('[data-move]', patient);
  for (let step = 0; step < 8; step++) {
    if (await page.$(act('done'))) break;
    await page.click('[data-move]');
  }
}

async function playRoll(page) {
  await makeRoll(page);
  await page.click(act('done'));
}

test('an old game has its history and a sheet to be printed, and takes the dice of a real board', limit, async () => {
  const page = await open('#/rules/tabula');
  assert.match(await page.textContent('.card'), /emperor Zeno.*62 %/s);
  // Its special cases are drawn by the engine.
  await page.waitForFunction(() => [...document.querySelectorAll('figure img')].filter((picture) => picture.naturalWidth > 300).length === 2, null, patient);
  assert.match(await page.textContent('figure'), /the 3 is lost/);
  await page.emulateMedia({ media: 'print' });
  assert.deepEqual([await page.isVisible('.top'), await page.isVisible('.rules'), await page.isVisible('.card')], [false, true, true]);
  await page.context().close();
  const typed = await open('#/tables', { remembered: { 'tables.setup': { game: 'tabula', seed: 2, dice: 'typed', strength: 'beginner' } } });
  await typed.click('[data-act="start"]');
  await typed.waitForSelector('.over .picker', patient);
  assert.match(await typed.textContent('.status h1'), /a die of each: You, tavola/);
  for (const die of ['06', '11']) await typed.click(`[data-die="${die}"]`);
  await typed.waitForSelector('[data-die="21"]', patient);
  assert.match(await typed.textContent('.status h1'), /your roll/);
  for (const die of ['06', '11', '21']) await typed.click(`[data-die="${die}"]`);
  await typed.waitForFunction(() => /6-1-1/.test(document.querySelector('.log')?.textContent), null, patient);
  await typed.context().close();
});

test('historical games are played with touches and words', limit, async () => {
  for (const [game, title] of [['tabula', 'Tabula'], ['ludus', 'Ludus duodecim scriptorum'], ['trictrac', 'Trictrac']]) {
    const page = await open('#/tables', { remembered: { 'tables.setup': { game, seed: 2, strength: 'beginner' } } });
    assert.match(await page.textContent('.about'), /Fifteen checkers/);
    await page.click('[data-act="start"]');
    await page.waitForSelector('[data-move]', patient);
    assert.match(await page.textContent('.eyebrow'), new RegExp(title));
    // Every turn of the engine is shown for itself.
    await page.evaluate(() => {
      window.seen = new Set();
      setInterval(() => { const text = document.querySelector('.status h1')?.textContent; if (text?.startsWith('tavola: ')) window.seen.add(text); }, 20);
    });
    for (let turn = 0; turn < 4; turn++) {
      const lines = await page.$$eval('.log li', (lines) => lines.length);
      await playRoll(page);
      await page.waitForFunction((before) => document.querySelectorAll('.log li').length > before, lines, patient);
    }
    const shown = await page.evaluate(() => window.seen.size);
    assert.ok(shown >= 3, `${shown} turns of the engine were shown`);
    await page.click('[data-act="hint"]');
    await page.waitForSelector('.advice .plays button', patient);
    await page.click('.advice .plays button');
    await page.waitForSelector(act('done'));
    assert.ok(await page.$(act('undo')));
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-act="download"]')]);
    assert.equal(file.suggestedFilename(), 'game.txt');
    await shot(page, `tables-${game}`);
    await page.keyboard.press('u');
    await page.reload();
    // With a play on its way there is nothing to ask about.
    await makeRoll(page);
    await page.evaluate((done) => document.querySelector(done).click(), act('done'));
    assert.deepEqual(await page.$$eval('[data-act="hint"], [data-move]', (all) => all.filter(({ disabled }) => !disabled).length), 0);
    await page.waitForSelector('[data-act="hint"]:not(:disabled)', patient);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
  // A hint may be to pass.
  const page = await open('#/tables');
  assert.equal(await page.evaluate(async () => {
    const { Assembly } = await import('./assembly.js'), moves = new Assembly(['pass'], () => 0);
    moves.set('pass');
    return moves.whole;
  }), 'pass');
  await page.context().close();
});

test('a point of a historical board is touched, by finger or by key', limit, async () => {
  const page = await open('#/tables', { remembered: { 'tables.setup': { game: 'emperador', seed: 4, strength: 'beginner' } } });
  await page.click('[data-act="start"]');
  await page.waitForSelector('.touch.can-move', patient);
  // All fifteen are on 1; one of several moves is chosen by where it ends.
  await page.locator('.touch[data-place="1"]').click({ force: true });
  const ends = await page.$$eval('.touch.can-move', (lit) => lit.map((touch) => touch.dataset.place).filter((place) => place !== '1'));
  assert.ok(ends.length > 1, `${ends}`);
  await page.focus(`.touch[data-place="${ends[0]}"]`);
  await page.keyboard.press('Enter');
  assert.match(await page.textContent('.made'), new RegExp(`1-${ends[0]}`));
  assert.match(await page.getAttribute(`.touch[data-place="${ends[0]}"]`, 'aria-label'), /1 of yours/);
  assert.match(await page.getAttribute('.touch[data-place="1"]', 'aria-label'), /14 of yours/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('special rules say their reasons in the log, in three languages', limit, async () => {
  for (const [locale, said] of [['en', /hit by .* on \d+/], ['it-IT', /pedina battuta su \d+ con/], ['de-DE', /Stein auf \d+ getroffen mit/]]) {
    const page = await open('#/tables', { locale, remembered: { 'tables.setup': { game: 'trictrac', seed: 4, strength: 'beginner' } } });
    await page.click('[data-act="start"]');
    for (let turn = 0; turn < 12 && !said.test(await page.textContent('.log').catch(() => '')); turn++) {
      const lines = await page.$$eval('.log li', (lines) => lines.length);
      await playRoll(page);
      await page.waitForFunction((before) => document.querySelectorAll('.log li').length > before, lines, patient);
    }
    assert.match(await page.textContent('.log'), said);
    assert.match(await page.textContent('.log small'), /\+\d/);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

// A checker is carried from one place to another.
async function drag(page, from, to) {
  const middle = async (place) => {
    const box = await page.locator(`.touch[data-place="${place}"]`).boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  await page.mouse.move(...await middle(from));
  await page.mouse.down();
  await page.mouse.move(...await middle(to), { steps: 4 });
  const lit = await page.$$eval('.touch.target', (lit) => lit.map((touch) => touch.dataset.place));
  await page.mouse.up();
  return lit;
}

test('a checker of a historical game is dragged, over several dice at once', limit, async () => {
  const page = await open('#/tables', { remembered: { 'tables.setup': { game: 'emperador', seed: 4, strength: 'beginner' } } });
  await page.click('[data-act="start"]');
  await page.waitForSelector('.touch.can-move', patient);
  const single = await page.$$eval('[data-move]', (chips) => chips.map((chip) => chip.dataset.move.split('-')[1]));
  // A drop beside the targets puts the checker back.
  const lit = await drag(page, 1, 20);
  assert.match(await page.getAttribute('.touch[data-place="1"]', 'aria-label'), /15 of yours/);
  const far = lit.filter((place) => !single.includes(place));
  assert.ok(far.length > 0 && single.every((place) => lit.includes(place)), `${lit} beside ${single}`);
  await drag(page, 1, far[0]);
  assert.match(await page.getAttribute(`.touch[data-place="${far[0]}"]`, 'aria-label'), /1 of yours/);
  assert.ok((await page.textContent('.made')).trim().split(/\s+/).length > 1);
  await page.keyboard.press('u');
  await page.keyboard.press('u');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('games for four and for seven are played on a round board', limit, async () => {
  for (const [game, seat, title, place] of [['four-seasons', 2, 'The Four Seasons', 'hand'], ['astronomy', 7, 'The astronomy table', '42']]) {
    const page = await open('#/tables', { remembered: { 'tables.setup': { game, seat, seed: 5, opponents: 'rule-based' } } });
    await page.waitForSelector('.board.ring');
    await page.click('[data-act="start"]');
    await page.waitForSelector('[data-move]', patient);
    assert.match(page.url(), /#\/tables\/\w{24}$/);
    assert.match(await page.textContent('.eyebrow'), new RegExp(title));
    assert.match(await page.getAttribute('.board', 'aria-label'), /You rolled/);
    // The first move is made with the mouse.
    const lit = await drag(page, place, (await page.getAttribute('[data-move]', 'data-move')).split('-')[1].replace('*', ''));
    assert.ok(lit.length > 0, `${lit}`);
    assert.notEqual((await page.textContent('.made')).trim(), '');
    await page.keyboard.press('u');
    for (let turn = 0; turn < 3; turn++) {
      const lines = await page.$$eval('.log li', (lines) => lines.length);
      await playRoll(page);
      await page.waitForFunction((before) => document.querySelectorAll('.log li').length > before, lines, patient);
    }
    await page.waitForSelector('[data-act="hint"]:not(:disabled)', patient);
    await page.click('[data-act="hint"]');
    await page.waitForSelector('.advice .plays button', patient);
    await page.click('.advice .plays button');
    await page.waitForSelector(act('done'));
    await shot(page, `several-${game}`);
    await page.click('[data-act="take_back"]');
    await page.waitForSelector('[data-move]', patient);
    await page.reload();
    await page.waitForSelector('[data-move]', patient);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test('round boards fit on a phone and in three languages', limit, async () => {
  for (const [locale, width, height, theme, name] of [['de-DE', 390, 844, 'dark', 'Saturn'], ['it-IT', 820, 1180, 'light', 'Saturno']]) {
    const page = await open('#/tables', { locale, width, height, theme, touch: true, remembered: { 'tables.setup': { game: 'astronomy', seat: 1, seed: 5, opponents: 'rule-based' } } });
    await page.tap('[data-act="start"]');
    await page.waitForSelector('.touch.can-move', patient);
    await page.locator('.touch[data-place="0"]').tap({ force: true });
    assert.match(await page.textContent('.seats'), new RegExp(locale === 'de-DE' ? 'Jupiter' : 'Giove'));
    assert.match(await page.textContent('.ring-name'), new RegExp(name));
    await shot(page, `several-${width}-${theme}`, { fullPage: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${width} scrolls sideways by ${wide}`);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test('the network of a game is fetched when it is played, and missed in words', onSite, async () => {
  const page = await open('#/tables', { remembered: { 'tables.setup': { game: 'tabula', seed: 2 } } });
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.click('[data-act="start"]');
  await page.waitForSelector('[data-move]', patient);
  assert.deepEqual(asked.filter((path) => path.endsWith('.safetensors') && !path.includes('backgammon')), ['/games/tabula.safetensors']);
  // Variants of backgammon have networks of their own too.
  const hyper = await page.evaluate(async () => {
    const { open } = await import('./engine.js');
    const engine = await open();
    const { id, state } = await engine.begin({ game: 'hypergammon', length: 1, seed: 3 });
    return [state.game, (await engine.state(id)).state.game];
  });
  assert.deepEqual(hyper, ['hypergammon', 'hypergammon']);
  assert.equal(asked.filter((path) => path === '/games/hypergammon.safetensors').length, 1);
  await page.context().close();
  const bare = await files(process.env.TAVOLA_SITE, (path) => path.includes('/games/'));
  const other = await visit(chrome, `${bare.url}#/tables`, { remembered: { 'tables.setup': { game: 'puff', seed: 2 } } });
  await other.click('[data-act="start"]');
  await other.waitForSelector('#toast.shown');
  assert.match(await other.textContent('#toast'), /network of puff.*games\/puff\.safetensors: 404/);
  assert.deepEqual(other.problems, []);
  await other.context().close();
  await bare.stop();
});

test('a run is watched, compared, and its network played against', onServer, async () => {
  const page = await open('#/watch/0', { height: 1100 });
  await page.waitForSelector('.charts svg', patient);
  assert.equal(await page.$$eval('.charts svg', (charts) => charts.length), 3);
  assert.match(await page.textContent('.facts'), /40/);
  await page.selectOption('.panel .field:nth-of-type(2) select', '1');
  await page.waitForFunction(() => document.querySelector('.charts')?.textContent.includes('second: pip-count'), null, patient);
  await shot(page, 'watch');
  for (const [width, height] of [[844, 390], [390, 844], [1440, 1100]]) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(() => { const svg = document.querySelector('.charts svg'); return 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width > 10.5; }, null, patient);
  }
  await page.click('[data-act="play_network"]');
  await page.waitForFunction(() => /#\/play\/\w{24}$/.test(location.hash), null, patient);
  await page.waitForSelector('.log li', patient);
  await go(page, '#/watch/0');
  await page.waitForSelector('[data-act="sample"]', patient);
  await page.click('[data-act="sample"]');
  await page.waitForSelector('.curve svg', patient);
  assert.match(await page.textContent('#stage'), /round-000040/);
  await go(page, '#/watch/2');
  await page.waitForFunction(() => document.querySelector('#panel')?.textContent.includes('reported nothing yet'), null, patient);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('the pictures of a run have axes in round numbers, parts of them are enlarged, and figures are saved', onServer, async () => {
  const page = await open('#/watch/0', { height: 1100 });
  await page.waitForSelector('.charts svg', patient);
  const ticks = () => page.$$eval('.charts svg .tick', (all) => all.map(({ textContent }) => textContent).join(' ')), whole = await ticks();
  assert.match(whole, /5,000 10,000 15,000 20,000 Games/);
  assert.match(await page.textContent('.charts'), /points per game.*nats.*Games per second/);
  await page.click('[data-act="last_half"]');
  assert.match(await ticks(), /10,000 12,000 .* 20,000 Games/);
  await page.click('[data-act="all_games"]');
  assert.equal(await ticks(), whole);
  const { x, y, width } = await (await page.$('.charts svg')).boundingBox();
  await page.mouse.move(x + width * 0.6, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.4, y + 90, { steps: 4 });
  await page.mouse.up();
  assert.doesNotMatch(await ticks(), /\b(5,000|20,000)\b/);
  assert.ok(await page.isEnabled('[data-act="all_games"]'));
  await accessible(page, 'a part of a run');
  const [file] = await Promise.all([page.waitForEvent('download', patient), page.click('[data-act="metrics"]')]);
  assert.equal(file.suggestedFilename(), 'first.csv');
  const [head, first, ...rest] = readFileSync(await file.path(), 'utf8').trim().split('\n');
  assert.deepEqual([head, first, rest.length], ['type,round,games,games_per_second,loss,opponent,ppg,low,high', 'round,1,500,481,0.7,,,,', 43]);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a run that ends while it is watched stays, and so does a match against its network', onServer, async () => {
  const run = join(folder, 'first'), own = await serve('--run', run), page = await visit(chrome, `${own.url}#/watch/0`, { kept: true });
  await page.waitForSelector('[data-act="play_network"]', patient);
  await page.click('[data-act="play_network"]');
  await page.waitForFunction(() => /#\/play\/\w{24}$/.test(location.hash), null, patient);
  await page.waitForFunction(() => localStorage.getItem(`tavola.record.${location.hash.split('/')[2]}`), null, patient);
  const id = (await page.url()).split('/').at(-1);
  const watched = await visit(chrome, `${own.url}#/watch/0`);
  await watched.waitForSelector('.charts svg', patient);
  // The list of matches is a file of its own, which the page keeps for later.
  await keeps(page, 'mine.js');
  await own.stop();
  // It says so once and keeps what it has shown.
  await watched.waitForSelector('.status .problem', patient);
  await accessible(watched, 'the end of a run');
  assert.equal(await watched.$$eval('.charts svg', (charts) => charts.length), 3);
  assert.equal(await watched.$('#toast.shown'), null);
  assert.ok(await watched.isDisabled('[data-act="play_network"]'));
  // The match is offered as a file, and listed.
  await page.evaluate(() => dispatchEvent(new HashChangeEvent('hashchange')));
  await page.waitForSelector('[data-act="download"]', patient);
  const [file] = await Promise.all([page.waitForEvent('download', patient), page.click('[data-act="download"]')]);
  assert.equal(file.suggestedFilename(), 'match.mat');
  await page.evaluate(() => { location.hash = '#/match'; });
  await page.waitForSelector(`.history [href$="${id}"]`, patient);
  assert.deepEqual([...page.problems, ...watched.problems], []);
  for (const each of [page, watched]) await each.context().close();
});
