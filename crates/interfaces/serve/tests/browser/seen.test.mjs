// What has to be seen is seen, measured on the pixels of the board; and what lies under a thumb, in sight and in the ear.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, act, around, begin, chrome, go, held, keeps, known, limit, match, onServer, open, patient, playRoll, problems, resign, seeded, serve, shot, site, visit } from './world.mjs';

around();

// Contrast of pixels with the felt: of the edges of checkers, of the rings of those that may move, of dice that are played.
async function contrasts(page) {
  const image = (await page.screenshot()).toString('base64');
  return page.evaluate(async (image) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(image), (letter) => letter.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(picture.width, picture.height), context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    const light = (x, y) => { const [r, g, b] = [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data].map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
    const box = (element) => element.getBoundingClientRect(), felts = [...document.querySelectorAll('.board-box .felt')].map(box);
    // Between two tips there is nothing but felt.
    const felt = light(felts[0].x + felts[0].width / 2, felts[0].y + felts[0].height * 0.47);
    const most = (x, y) => Math.max(...[-1, 0, 1].map((by) => { const [low, high] = [light(x + by, y), felt].sort((a, b) => a - b); return high / low; }));
    const edge = (element) => { const { right, y, height } = box(element); return most(right, y + height / 2); };
    const left = (element) => { const { x, y, height } = box(element); return most(x, y + height / 2); };
    const middle = (element) => { const { x, y, width, height } = box(element); return most(x + width / 2, y + height / 2); };
    const all = (selector, of) => [...document.querySelectorAll(`.board-box ${selector}`)].map(of);
    return {
      own: Math.min(...all('.stone.own:not(.borne)[data-height="0"] .body', edge)), other: Math.min(...all('.stone.other:not(.borne)[data-height="0"] .body', edge)),
      sources: all('.source', edge), dice: [...all('.die.used rect', left), ...all('.die.used circle', middle)],
    };
  }, image);
}

test('sources of a play, checkers and the last dice have a contrast of 3 in every look', limit, async () => {
  for (const board of ['wood', 'green', 'slate']) for (const theme of ['light', 'dark']) {
    const page = await open('', { theme, remembered: { ...seeded({ length: 5 }), autoRoll: false, board } });
    await begin(page);
    await playRoll(page);
    await page.waitForSelector(`${act('roll')}, ${act('take')}`, patient);
    await page.mouse.move(5, 890);
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
      const name = `${board} ${theme} ${width}`, { own, other, dice } = await contrasts(page);
      assert.ok(own >= 3 && other >= 3, `${name}: checkers ${own} ${other}`);
      assert.ok(dice.length > 2 && Math.min(...dice) >= 3, `${name}: dice ${dice}`);
      // The last play has its ghosts and arrows.
      assert.ok(await page.$$eval('.ghost', (all) => all.length) >= 1 && await page.$('.arrow.last'), name);
    }
    await page.click(act('roll'));
    await page.waitForSelector('.source', { ...patient, state: 'attached' });
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
      const { sources } = await contrasts(page);
      assert.ok(sources.length && Math.min(...sources) >= 3, `${board} ${theme} ${width}: sources ${sources}`);
    }
    await shot(page, `seen-${board}-${theme}`);
    problems(page);
    await page.context().close();
  }
});

test('a phone gives most of its screen to the board, hints leave it in sight, a tap hurries', limit, async () => {
  const page = await open('', { width: 390, height: 844, touch: true, remembered: { ...seeded({ length: 5 }), autoRoll: false } });
  await begin(page);
  await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
  const box = (selector) => page.locator(selector).first().boundingBox();
  const board = await box('svg.board');
  assert.ok(board.width * board.height >= 0.6 * 390 * 844, `the board has ${board.width} x ${board.height}`);
  // One row of what can be done, in sight.
  const tools = await page.$$eval('#panel .tools > *', (all) => all.map((each) => { const { y, bottom } = each.getBoundingClientRect(); return [Math.round(y), bottom]; }));
  assert.ok(new Set(tools.map(([y]) => y)).size === 1 && tools[0][1] <= 844 - 70, JSON.stringify(tools));
  await page.tap('[data-act="hint"]');
  await page.waitForSelector('.advice .plays', patient);
  const strip = await box('.advice');
  assert.ok(strip.y >= board.y + board.height && strip.y + strip.height <= 845, JSON.stringify([strip, board]));
  await accessible(page, 'a strip of hints');
  // Once more puts it away.
  await page.tap('[data-act="hint"]');
  await page.waitForFunction(() => !document.querySelector('.advice').textContent, null, patient);
  // The answer of an analysis lies below the board.
  await go(page, '#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10');
  await page.waitForSelector('.result .plays', patient);
  assert.ok((await box('.result')).y < (await box('.set-up')).y);
  // Zoomed to 400 % the board is as wide as the window.
  await page.setViewportSize({ width: 360, height: 225 });
  await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
  assert.ok((await box('svg.board')).width > 300);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  problems(page);
  await page.context().close();
  // The turns of others end with a button, or a tap on the board.
  const old = await open('#/tables', { width: 390, height: 844, touch: true, calm: false, remembered: { 'tables.setup': { game: 'astronomy', seat: 1, seed: 2, strength: 'beginner', opponents: 'rule-based' }, speed: 1.8 } });
  await old.tap('[data-act="start"]');
  await old.waitForSelector('[data-act="skip"]', { timeout: 60_000 }).catch(() => {});
  if (await old.$('[data-act="skip"]')) {
    const since = Date.now();
    await old.tap('[data-act="skip"]');
    await old.waitForSelector('[data-move], .over button', patient);
    assert.ok(Date.now() - since < 3000, `${Date.now() - since} ms`);
  }
  problems(old);
  await old.context().close();
});

test('what is heard: cube hints, one double, and names at every moment', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 7 }), autoRoll: false } });
  await begin(page);
  await playRoll(page);
  await page.waitForSelector(act('double'), patient);
  await page.keyboard.press('h');
  await page.waitForFunction(() => /Do not double|Double\.|Too good/.test(document.getElementById('live').textContent), null, patient);
  // A double that is offered is said once.
  await go(page, '#/analyze/XGID=-BB--------------------ab-:0:0:1:00:0:0:0:0:10');
  await page.waitForSelector('.verdict', patient);
  await page.click('[data-act="play-against"]');
  await page.waitForSelector(act('drop'), patient);
  assert.equal((await page.textContent('#live')).match(/doubles/g).length, 1);
  // No button without a name while a match still loads, and its board has checkers.
  await page.evaluate((items) => { for (const [key, value] of Object.entries(items)) localStorage.setItem(`tavola.${key}`, JSON.stringify(value)); }, known('x', match));
  const answer = await held(page, '**/analyses**');
  await go(page, '#/match/x/5/again');
  if (!process.env.TAVOLA_SITE) {
    await page.waitForSelector('progress', patient);
    await accessible(page, 'a match that loads');
    assert.equal(await page.$$eval('.board-box .stone', (all) => all.length), 30);
  }
  answer();
  await page.waitForSelector('.touch.can-move, .over button', { ...patient, state: 'attached' });
  // A player keeps the color when an error is tried again, and the curve is not in the way.
  assert.ok(!await page.$('.curve svg'));
  problems(page);
  await page.context().close();
});

test('a finished game has its losses as colors, and its rows lead to the review', limit, async () => {
  const page = await open('', { remembered: { setup: { length: 1, seed: 3, strength: 'beginner' }, autoRoll: false } });
  await begin(page);
  for (let turn = 0; turn < 6; turn++) {
    await page.waitForSelector(`.touch.can-move, ${act('done')}, ${act('roll')}`, { ...patient, state: 'attached' });
    if (await page.$(act('roll'))) await page.click(act('roll')); else await playRoll(page);
  }
  await resign(page, 'backgammon');
  await page.waitForSelector('.card .facts', patient);
  assert.ok(await page.$$eval('.log .turns button', (rows) => rows.length) >= 4);
  if (await page.$('.card .errors')) assert.ok(await page.$('.log .turns b.error, .log .turns b.blunder'));
  await page.click('.log .turns button');
  await page.waitForSelector('.curve svg', patient);
  assert.match(page.url(), /#\/match\/\w+\/\d+$/);
  problems(page);
  await page.context().close();
});

test('a server that is away is said as long as it is, matches and drill stay, and all goes on by itself', onServer, async () => {
  const own = await serve(), page = await visit(chrome, own.url, { kept: true, remembered: { 'entry.x': { ...known('x', match).history[0], me: 1 }, 'record.x': match } });
  await go(page, '#/match/x');
  await page.waitForSelector('.errors .blunder', patient);
  await keeps(page, 'drill.js');
  await page.route('**/api/v1/**', (route) => route.abort());
  await go(page, '#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10');
  await page.waitForFunction(() => /server is away/.test(document.getElementById('away').textContent), null, patient);
  await page.waitForTimeout(7000);
  assert.match(await page.textContent('#away'), /server is away/);
  await own.stop();
  // Opened anew without its server it has the rules, the matches, and questions to choose answers of.
  await page.reload();
  await page.waitForSelector('html[data-ready]', patient);
  assert.match(await page.textContent('#away'), /server is away/);
  await accessible(page, 'without a server');
  await go(page, '#/match');
  await page.waitForSelector('.history li', patient);
  await go(page, '#/rules');
  await page.waitForSelector('.rule h2', patient);
  await go(page, '#/drill');
  await page.waitForSelector('[data-answer], .over [data-act="take"], .over [data-act="double"]', patient);
  await page.locator('[data-answer], .over button').first().click();
  await page.waitForSelector(act('next'), patient);
  await shot(page, 'away');
  // The server is there again.
  await page.unroute('**/api/v1/**');
  await page.route('**/api/v1/**', async (route) => route.fulfill({ response: await route.fetch({ url: route.request().url().replace(own.url, site.url) }) }));
  await page.waitForFunction(() => !document.getElementById('away').textContent, null, patient);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});
