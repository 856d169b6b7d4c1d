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
  }
  await page.click(act('next_game'));
  await page.waitForFunction(() => document.querySelector('.eyebrow')?.textContent.includes('Game 2'), null, patient);
  problems(page);
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
