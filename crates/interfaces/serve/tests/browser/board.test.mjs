// The page as people use it: whole games, the cube, setting up, looking at a match.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browser, files, serve, shot, visit } from './world.mjs';

let chrome, site;
before(async () => {
  chrome = await browser();
  site = process.env.TAVOLA_SITE ? await files(process.env.TAVOLA_SITE) : await serve();
}, { timeout: 150_000 });
after(async () => {
  await chrome?.close();
  await site?.stop();
}, { timeout: 30_000 });

const patient = { timeout: 30_000 };
const limit = { timeout: 180_000 };
const open = (path, options) => visit(chrome, `${site.url}${path}`, options);
const act = (name) => `.over [data-act="${name}"]`;
const seeded = (setup) => ({ setup: { seed: 1, strength: 'casual', ...setup } });
const problems = (page) => assert.deepEqual(page.problems, []);

async function begin(page) {
  await page.click('[data-act="start"]');
  await page.waitForSelector('.over button, .log li', patient);
}

// Plays a roll by taps on whatever can move.
async function playRoll(page) {
  await page.waitForSelector(`.touch.can-move, ${act('done')}`, { ...patient, state: 'attached' });
  for (let step = 0; step < 8; step++) {
    if (await page.$(act('done'))) break;
    const point = await page.$eval('.touch.can-move', (touch) => Number(touch.dataset.place)).catch(() => null);
    if (point === null) return;
    await page.locator(`.touch[data-place="${point}"]`).click({ force: true });
  }
  await page.click(act('done'));
}

test('a match is played to its end with taps, and looked at afterwards', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 1 }), autoRoll: false } });
  await begin(page);
  for (let turn = 0; turn < 400; turn++) {
    const what = await page.waitForFunction(() => {
      const button = document.querySelector('.over [data-act]:not([data-act="undo"])');
      return button?.dataset.act ?? (document.querySelector('.touch.can-move') ? 'play' : null);
    }, null, patient).then((found) => found.jsonValue());
    if (what === 'review') break;
    if (what === 'play' || what === 'done') await playRoll(page);
    else await page.click(act(what === 'refuse' ? 'accept' : what === 'drop' ? 'take' : what));
  }
  const words = await page.textContent('.status h1');
  assert.match(words, /match/);
  await page.click(act('review'));
  await page.waitForSelector('.curve svg', patient);
  const total = await page.$eval('.nav span', (span) => Number(span.textContent.split('/')[1]));
  assert.ok(total > 10, `${total} decisions`);
  await page.keyboard.press('ArrowRight');
  assert.match(await page.textContent('.nav span'), /^2 /);
  if (await page.$('.errors button')) {
    await page.click('.errors button');
    assert.match(await page.textContent('.panel .status'), /loses/);
  }
  await shot(page, 'match');
  problems(page);
  await page.context().close();
});

test('a checker is dragged, taken back, and moved by the keyboard', limit, async () => {
  const page = await open('', { remembered: seeded({ length: 5, dice: 'typed' }) });
  await begin(page);
  // The user throws 3, the engine 1: the user begins with 3-1.
  await page.click('[data-die="03"]');
  await page.click('[data-die="11"]');
  await page.waitForSelector('.touch.can-move', patient);
  const middle = async (place) => {
    const box = await page.locator(`.touch[data-place="${place}"]`).boundingBox();
    return [box.x + box.width / 2, box.y + (place <= 12 ? box.height * 0.9 : box.height * 0.1)];
  };
  await page.mouse.move(...await middle(8));
  await page.mouse.down();
  await page.mouse.move(...await middle(6), { steps: 4 });
  const lit = await page.$$eval('.touch.target', (lit) => lit.map((touch) => Number(touch.dataset.place)).sort((a, b) => a - b));
  assert.deepEqual(lit, [4, 5, 7]);
  await page.mouse.move(...await middle(5), { steps: 4 });
  await page.mouse.up();
  assert.match(await page.getAttribute('.touch[data-place="5"]', 'aria-label'), /1 of yours/);
  await page.keyboard.press('u');
  assert.match(await page.getAttribute('.touch[data-place="5"]', 'aria-label'), /empty/);
  // A drop beside the targets puts the checker back.
  await page.mouse.move(...await middle(8));
  await page.mouse.down();
  await page.mouse.move(...await middle(9), { steps: 4 });
  await page.mouse.up();
  assert.match(await page.getAttribute('.touch[data-place="8"]', 'aria-label'), /3 of yours/);
  await page.focus('.touch[data-place="6"]');
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  assert.match(await page.getAttribute('.touch[data-place="8"]', 'aria-label'), /2 of yours/);
  await page.focus('.touch[data-place="6"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector(act('done'));
  await page.keyboard.press(' ');
  // Then the engine's roll is asked for.
  await page.waitForSelector('.over .picker', patient);
  assert.match(await page.textContent('.status h1'), /roll of tavola/);
  problems(page);
  await page.context().close();
});

test('cube, resignation and the score of a match', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 7, dice: 'typed', strength: 'world-class' }) } });
  await begin(page);
  await page.click('[data-die="03"]');
  await page.click('[data-die="11"]');
  await playRoll(page);
  await page.waitForSelector('.over .picker', patient);
  await page.click('[data-die="06"]');
  await page.click('[data-die="15"]');
  await page.waitForSelector(act('double'), patient);
  await page.click(act('double'));
  await page.waitForFunction(() => document.querySelector('.log')?.textContent.includes('doubles'), null, patient);
  const log = await page.textContent('.log');
  assert.match(log, /tavola: (takes|drops)/);
  if (log.includes('takes')) {
    assert.equal(await page.textContent('.die-cube text'), '2');
    await page.click('[data-act="resign"]');
    await page.click('[data-size="backgammon"]');
    await page.waitForSelector('[data-act="next_game"]', patient);
    assert.match(await page.textContent('.status h1'), /tavola wins 6 points/);
    assert.equal(await page.textContent('.seat.other .score b'), '6');
    assert.ok(await page.$('[data-act="resign"]:disabled'));
  }
  await page.evaluate(() => {
    window.seen = [];
    new MutationObserver(() => window.seen.push(`${document.querySelector('.eyebrow')?.textContent} ${document.querySelector('.die-cube text')?.textContent} ${document.querySelector('.status h1')?.textContent}`)).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await page.click(act('next_game'));
  await page.waitForFunction(() => document.querySelector('.eyebrow')?.textContent.includes('Game 2'), null, patient);
  // The next game never shows the cube and the words of the one before.
  const second = (await page.evaluate(() => window.seen)).filter((text) => text.includes('Game 2'));
  assert.ok(second.length > 0 && second.every((text) => !text.includes('wins')), second.join('\n'));
  assert.equal(await page.textContent('.die-cube text'), '64');
  problems(page);
  await page.context().close();
});

test('a game is kept while its server does not answer', limit, async () => {
  const page = await open('', { remembered: seeded({ length: 7 }) });
  await begin(page);
  await page.waitForFunction(() => location.hash.length > 10);
  const address = page.url();
  const last = () => page.evaluate(() => localStorage.getItem('tavola.last'));
  const known = await last();
  if (process.env.TAVOLA_SITE) return;
  for (const answer of [(route) => route.abort(), (route) => route.fulfill({ status: 502, body: 'down' })]) {
    await page.route('**/api/v1/games/**', answer);
    await page.evaluate(() => dispatchEvent(new HashChangeEvent('hashchange')));
    await page.waitForSelector('[data-act="again"]', patient);
    assert.deepEqual([page.url(), await last()], [address, known]);
    await page.unroute('**/api/v1/games/**');
    await page.click('[data-act="again"]');
    await page.waitForSelector('.log li', patient);
  }
  // One that is gone is forgotten.
  await page.route('**/api/v1/games/**', (route) => route.fulfill({ status: 404, contentType: 'application/json', body: '{"error":{"kind":"not_found","message":"gone"}}' }));
  await page.evaluate(() => dispatchEvent(new HashChangeEvent('hashchange')));
  await page.waitForSelector('form.new', patient);
  assert.equal(await last(), null);
  problems(page);
  await page.context().close();
});

test('what the engine does is seen without animation, and the panel follows', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 3 }), autoRoll: false } });
  await begin(page);
  await page.evaluate(() => {
    window.seen = { dice: 0, lines: new Set() };
    setInterval(() => {
      if (document.querySelector('.thinking, .status h1')?.textContent.startsWith('tavola: ')) {
        window.seen.dice += document.querySelector('.roll.other') ? 20 : 0;
        window.seen.lines.add(document.querySelectorAll('.log li').length);
      }
    }, 20);
  });
  for (let turn = 0; turn < 3; turn++) {
    const what = await page.waitForFunction(() => document.querySelector('.over [data-act="roll"]') ? 'roll' : document.querySelector('.touch.can-move') ? 'play' : null, null, patient).then((found) => found.jsonValue());
    if (what === 'play') await playRoll(page);
    else await page.click(act('roll'));
  }
  await page.waitForSelector('.over [data-act="roll"], .over [data-act="take"]', patient);
  const seen = await page.evaluate(() => ({ dice: window.seen.dice, lines: window.seen.lines.size }));
  assert.ok(seen.dice > 200, `the dice of the engine were seen for ${seen.dice} ms`);
  assert.ok(seen.lines > 1, `${seen.lines} lengths of the log while the engine played`);
  // They stay until the user rolls.
  assert.ok(await page.$('.roll.other') || await page.$(act('take')));
  problems(page);
  await page.context().close();
});

test('a game that went on in another window is shown as it is', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 7 }), autoRoll: false } });
  await begin(page);
  await page.waitForFunction(() => location.hash.length > 10);
  const other = await page.context().newPage();
  await other.goto(page.url());
  const log = (tab) => tab.$$eval('.log li', (lines) => lines.length);
  await other.waitForSelector(`.touch.can-move, ${act('roll')}`, { ...patient, state: 'attached' });
  if (await other.$(act('roll'))) await other.click(act('roll'));
  await playRoll(other);
  await other.waitForSelector(act('roll'), patient);
  // The older window does what is no longer awaited.
  if (await page.$(act('roll'))) await page.click(act('roll'));
  else await playRoll(page);
  await page.waitForSelector('#toast.shown', patient);
  await page.waitForFunction((lines) => document.querySelectorAll('.log li').length >= lines, await log(other), patient);
  assert.ok(await page.$('.over button'));
  await page.context().close();
});

test('a match outlives the page', limit, async () => {
  const page = await open('', { remembered: seeded({ length: 7 }) });
  await begin(page);
  await page.waitForFunction(() => location.hash.length > 10);
  const address = page.url();
  assert.match(address, /#\/play\/\w{24}$/);
  await page.reload();
  await page.waitForSelector('.log li', patient);
  assert.match(await page.textContent('.eyebrow'), /7 points/);
  await page.context().close();
});

test('a position is pasted, evaluated, set up and shared', limit, async () => {
  const page = await open('#/analyse', { remembered: { ply: 0 } });
  await page.waitForSelector('.verdict', patient);
  assert.match(await page.textContent('.verdict'), /Do not double/);
  await page.fill('input[name="id"]', '4HPwATDgc/ABMA:cIkFAAAAAAAE');
  await page.press('input[name="id"]', 'Enter');
  await page.waitForFunction(() => location.hash.includes('XGID='));
  await page.goto(`${site.url}#/analyse/XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10`);
  await page.waitForSelector('.plays', patient);
  assert.equal(await page.textContent('.plays li:first-child .name'), '8/5 6/5');
  assert.equal(await page.$$eval('.arrow.best', (arrows) => arrows.length), 2);
  // Choosing a play goes on from the position after it.
  await page.click('.plays li:first-child button');
  await page.waitForSelector('.verdict', patient);
  await page.click('.editor summary');
  await page.click('text=Move checkers freely');
  await page.locator('.touch[data-place="24"]').click({ force: true });
  await page.waitForFunction(() => /\d+/.test(location.hash));
  await page.goto(`${site.url}#/analyse/nonsense`);
  await page.waitForSelector('#toast.shown');
  assert.match(await page.textContent('#toast'), /nonsense/);
  problems(page);
  await page.context().close();
});

test('a rollout shows its interval while it goes', limit, async () => {
  const page = await open('#/analyse/XGID=----BBBB----------------bb-:0:0:1:00:0:0:0:0:10'.replace('bb-:', 'b-:'), { remembered: { ply: 0 } });
  await page.waitForSelector('.verdict', patient);
  await page.click('[data-act="rollout"]');
  await page.waitForSelector('.rollout .interval', patient);
  assert.match(await page.textContent('.rollout .interval b'), /±/);
  problems(page);
  await page.context().close();
});

test('three languages, and the board from the other side', limit, async () => {
  for (const [locale, word] of [['en', 'New match'], ['it-IT', 'Nuova partita'], ['de-DE', 'Neue Partie']]) {
    const page = await open('', { locale });
    assert.equal(await page.textContent('h1'), word);
    // What the engine says is said in the language of the page.
    await begin(page);
    await page.waitForSelector('.log li', patient);
    assert.match(await page.textContent('.log li'), { en: /rolls/, 'it-IT': /tira/, 'de-DE': /würfelt/ }[locale]);
    problems(page);
    await page.context().close();
  }
  const page = await open('', { remembered: { home: 'left' } });
  const left = async (place) => (await page.locator(`.touch[data-place="${place}"]`).boundingBox()).x;
  assert.ok(await left(1) < await left(12));
  await page.context().close();
});

test('screenshots at three sizes in both lights', limit, async () => {
  for (const [name, width, height] of [['phone', 390, 844], ['tablet', 820, 1180], ['desktop', 1440, 900]]) {
    for (const theme of ['light', 'dark']) {
      const page = await open('#/analyse/XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10', { width, height, theme, remembered: { ply: 0 } });
      await page.waitForSelector('.plays', patient);
      await shot(page, `analyse-${name}-${theme}`, { fullPage: width < 1000 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${name} scrolls sideways by ${wide}`);
      await page.context().close();
    }
  }
});
