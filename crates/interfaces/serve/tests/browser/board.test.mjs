// The page as people use it: whole games, the cube, setting up, looking at a match.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { act, around, begin, go, known, limit, match, open, patient, playRoll, problems, resign, secondLook, seeded, shot, site, strong } from './world.mjs';

around();

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
  // Words and numbers of the board are those of the player on roll.
  for (let step = 0; step < 8; step++) {
    const first = await page.$eval('.seat.own', (seat) => seat.classList.contains('active'));
    assert.equal(await page.textContent('.numbers .number:first-child'), first ? '1' : '24');
    await page.keyboard.press('ArrowRight');
  }
  // Turns stand in two columns, with their dice; one is gone to.
  const columns = await page.$$eval('.turns.two li:not(.head)', (turns) => turns.slice(0, 12).map((turn) => [turn.className.trim().split(' ')[0], Math.round(turn.getBoundingClientRect().x), turn.textContent]));
  assert.equal(new Set(columns.map(([, x]) => x)).size, 2, JSON.stringify(columns));
  assert.ok(columns.every(([side, x]) => x === columns.find(([other]) => other === side)[1]) && columns.some(([, , text]) => /: \d\d: \S+\//.test(text)), JSON.stringify(columns));
  await page.click('.turns li:nth-child(5) button');
  assert.equal(await page.$$eval('.turns .here', (here) => here.length), 1);
  if (await page.$('.errors button')) {
    await page.click('.errors button');
    assert.match(await page.textContent('.panel .status'), /loses/);
    assert.ok(await page.$('.turns .here b'));
  }
  // The chances of the match and those of the game have names of their own, and every format can be opened.
  assert.match(await page.textContent('.curve-head'), /to win the match/);
  assert.doesNotMatch(await page.textContent('.chances figcaption'), /the match/);
  await shot(page, 'match');
  await go(page, '#/match');
  assert.equal(await page.getAttribute('#file', 'accept'), '.mat,.txt,.sgf,.xg,.ogxm,.gvab,.bgf,.json,text/plain');
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

test('a resignation that is chosen while the engine plays is not lost', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 3 }), autoRoll: false } });
  await begin(page);
  await playRoll(page);
  await page.waitForSelector(act('roll'), patient);
  // The engine takes its time.
  await page.route('**/actions', async (route) => { await new Promise((answer) => setTimeout(answer, 800)); await route.continue(); });
  await page.click('[data-act="resign"]:not(:disabled)');
  await page.evaluate(() => { document.querySelector('.over [data-act="roll"]').click(); document.querySelector('[data-value="gammon"]').click(); });
  await page.waitForFunction(() => /gammon|2 points/.test(document.querySelector('.status h1')?.textContent), null, patient);
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
    await resign(page, 'backgammon');
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
  // The older window hears nothing of it.
  await other.addInitScript(() => { BroadcastChannel.prototype.postMessage = () => {}; });
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

test('a double that is offered is answered, and stays in the address', limit, async () => {
  const page = await open('#/analyze/XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:D:0:0:2:0:10');
  await page.waitForSelector('.cube-figures .right', patient);
  assert.match(page.url(), /:1:D:0:0:2:/);
  assert.match(await page.textContent('.cube-figures .verdict'), /^(Take|Beaver)\.$/);
  assert.match(await page.textContent('.cube-figures table'), /Double, beaver/);
  problems(page);
  await page.context().close();
});

test('what was mended in a file is said before its review', limit, async () => {
  const cut = ' 3 point match\n\n Game 1\n Ann : 0              Bob : 0\n  1) 31: 8/5 6/5      55: 14/9 14/4\n';
  const page = await open('#/match/x', { remembered: known('x', cut) });
  await page.waitForSelector('.notes .problem', patient);
  assert.match(await page.textContent('.notes'), /How the file was read \(1\).*line 5.*illegal with 5-5/s);
  problems(page);
  await page.context().close();
});

test('a position is pasted, evaluated, set up and shared', limit, async () => {
  const page = await open('#/analyze', { remembered: { ply: 0 } });
  await page.waitForSelector('.verdict', patient);
  assert.match(await page.textContent('.verdict'), /Do not double/);
  await page.fill('input[name="id"]', '4HPwATDgc/ABMA:cIkFAAAAAAAE');
  await page.press('input[name="id"]', 'Enter');
  await page.waitForFunction(() => location.hash.includes('XGID='));
  await go(page, '#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10');
  await page.waitForSelector('.plays', patient);
  assert.equal(await page.textContent('.plays li:first-child .name'), '8/5 6/5');
  assert.equal(await page.$$eval('.arrow.best', (arrows) => arrows.length), 2);
  // Choosing a play goes on from the position after it: colors stay, the numbers are those of the player
  // on roll, the play stands in the list, and the way back leads to it.
  const light = () => page.$$eval('.stone.own', (stones) => stones.map(({ dataset }) => dataset.place).sort().join());
  const before = page.url();
  await page.click('.plays li:first-child button');
  await page.waitForSelector('.verdict', patient);
  assert.equal(await light(), '13,13,13,13,13,24,24,5,5,6,6,6,6,8,8'.split(',').sort().join());
  assert.equal(await page.textContent('.numbers .number:first-child'), '24');
  assert.equal(await page.textContent('.turns li'), 'You: 31: 8/5 6/5');
  assert.equal(await page.$('.arrow'), null);
  await page.goBack();
  await page.waitForFunction((url) => location.href === url, before, patient);
  await page.waitForSelector('.turns .here', patient);
  // A play may be made by hand.
  await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
  for (const point of [13, 24]) await page.locator(`.touch[data-place="${point}"]`).click({ force: true });
  await page.click(act('done'));
  await page.waitForSelector('.verdict', patient);
  // The play that was there before stays, the new one is a variation.
  assert.equal(await page.textContent('.turns li:first-child'), 'You: 31: 8/5 6/5');
  assert.match(await page.textContent('.turns .variation'), /You: 31: 24\/23 13\/10 −0\.\d+/);
  // The same for the player above.
  await page.click('.panel .picks:first-child button:nth-child(6)');
  await page.click('.panel .picks:last-child button:nth-child(5)');
  await page.waitForSelector('.touch[data-place="1"].can-move', { ...patient, state: 'attached' });
  for (const point of [1, 7]) await page.locator(`.touch[data-place="${point}"]`).click({ force: true });
  await page.click(act('done'));
  await page.waitForFunction(() => document.querySelectorAll('.variation button').length === 2 && document.querySelector('.verdict'), null, patient);
  assert.match(await page.textContent('.variation button:last-child'), /65: 24\/13/);
  // Back and Forward of the browser go over everything, the keys along the line.
  const dice = (wanted) => page.waitForFunction((wanted) => [...document.querySelectorAll('.panel .picks .on')].map(({ textContent }) => textContent).join('') === wanted, wanted, patient);
  const far = page.url();
  const at = (url) => page.waitForFunction((url) => location.href === url && !document.querySelector('.result.waiting'), url, patient);
  await page.goBack();
  await dice('65');
  await page.keyboard.press('ArrowLeft');
  await at(before);
  await page.waitForFunction((text) => [...document.querySelectorAll('.turns .here')].map(({ textContent }) => textContent).join() === text, 'You: 31: 8/5 6/5', patient);
  await page.click('.variation button:last-child');
  await dice('65');
  await page.click('[data-act="next"]');
  await at(far);
  await page.goBack();
  await page.goForward();
  await at(far);
  await page.goto(before);
  await page.waitForSelector('.plays', patient);
  // A paste that can't be read goes, the first of two dice waits for the other.
  const kept = await page.inputValue('input[name="id"]');
  await page.fill('input[name="id"]', 'rubbish');
  await page.press('input[name="id"]', 'Enter');
  await page.waitForFunction((kept) => document.querySelector('input[name="id"]').value === kept, kept, patient);
  await page.click('[data-act="no-dice"]');
  await page.click('.panel .picks:first-child button:nth-child(4)');
  assert.equal(await page.$$eval('.die', (dice) => dice.length), 0);
  await page.click('.panel .picks:last-child button:nth-child(2)');
  await page.waitForSelector('.plays', patient);
  assert.match(page.url(), /:42:/);
  await page.click('.editor summary');
  await page.click('text=Move checkers freely');
  await page.locator('.touch[data-place="24"]').click({ force: true });
  await page.waitForFunction(() => /\d+/.test(location.hash));
  await page.goto(`${site.url}#/analyze/nonsense`);
  // What was said of the paste may still be there.
  await page.waitForFunction(() => document.querySelector('#toast.shown')?.textContent.includes('nonsense'), null, patient);
  problems(page);
  await page.context().close();
});

test('a position is played on from, as a match with its cube, its file and its review', limit, async () => {
  // From a review, with the roll, the score and the side of its player.
  const page = await open('', { remembered: { ...known('x', match), ...seeded({ strength: 'world-class' }), ply: 0, autoRoll: false } });
  await strong(page);
  await go(page, '#/match/x');
  await page.waitForSelector('.errors .blunder', patient);
  await page.click('.errors .blunder');
  await page.click('[data-act="play-on"]');
  await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
  assert.match(await page.textContent('.status h1'), /You rolled 5-2/);
  assert.match(await page.textContent('.eyebrow'), /3 points/);
  assert.match(page.url(), /#\/play\/\w{24}$/);
  // What is best is not shown until it is asked for.
  assert.ok(!await page.$('.plays') && !await page.$('.arrow'));
  await page.click('[data-act="hint"]');
  await page.waitForSelector('.plays', patient);
  assert.equal(await page.textContent('.plays li:first-child .name'), '20/18* 13/8');
  await playRoll(page);
  await page.waitForFunction(() => [...document.querySelectorAll('.log li')].some(({ textContent }) => textContent.startsWith('tavola: ')), null, patient);
  await page.click('[data-act="take_back"]:not(:disabled)');
  await page.waitForFunction(() => /You rolled 5-2/.test(document.querySelector('.status h1').textContent), null, patient);
  // The cube: a double that is dropped ends it, and the file begins with the position.
  await go(page, '#/analyze/XGID=-BB----------------bbbb---:0:0:1:00:0:0:0:0:10');
  await page.waitForSelector('.verdict', patient);
  await page.click('[data-act="play-on"]');
  await page.click(act('double'));
  await page.waitForFunction(() => /You win 1 point/.test(document.querySelector('.status h1').textContent), null, patient);
  await page.waitForSelector('.card', patient);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-act="download"]')]);
  assert.equal(file.suggestedFilename(), 'match.mat');
  assert.match(readFileSync(await file.path(), 'utf8'), /; Set Pos=-BB----------------bbbb---\/0[\s\S]*Doubles => 2\s+Drops/);
  await go(page, '#/match');
  await page.click('.history li:first-child a');
  await page.waitForSelector('.curve svg, .over [data-act="next_game"]', patient);
  // The other side: tavola doubles, and the user drops.
  await go(page, '#/analyze/XGID=-BB--------------------ab-:0:0:1:00:0:0:0:0:10');
  await page.waitForSelector('.verdict', patient);
  await page.click('[data-act="play-against"]');
  await page.click(act('drop'), patient);
  await page.waitForFunction(() => /tavola wins 1 point/.test(document.querySelector('.status h1').textContent), null, patient);
  // The last checker ends it, and a position that is none is said.
  await go(page, '#/play/from/XGID=-A-----------------eee----:0:0:1:21:0:0:0:0:10');
  await playRoll(page);
  await page.waitForFunction(() => /You win 2 points/.test(document.querySelector('.status h1').textContent), null, patient);
  await page.goto(`${site.url}#/play/from/nonsense`);
  await page.waitForSelector('#toast.shown', patient);
  problems(page);
  await page.context().close();
});

test('what was tried is kept, copied, pictured and pasted', limit, async () => {
  const page = await open('#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10', { remembered: { ply: 0 } });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => {});
  await page.waitForSelector('.plays', patient);
  await page.click('.plays li:nth-child(2) button');
  await page.waitForSelector('.turns li', patient);
  const turns = await page.textContent('.turns');
  await page.reload();
  await page.waitForSelector('.turns li', patient);
  assert.equal(await page.textContent('.turns'), turns);
  await page.goBack();
  await page.waitForSelector('.plays', patient);
  await page.click('[data-act="text"]');
  await page.waitForSelector('#toast.shown', patient);
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /^XGID=.*:31:[\s\S]*BAR[\s\S]*\n1\. 8\/5 6\/5 \+0\.\d+/);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-act="picture"]')]);
  const bytes = readFileSync(await file.path());
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert.ok(bytes.length > 20_000 && bytes.readUInt32BE(16) === 1200, `${bytes.length}`);
  // Pasted anywhere: a position, and a match.
  const paste = (text) => page.evaluate((text) => { const data = new DataTransfer(); data.setData('text', text); document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true })); }, text);
  await paste('4HPwATDgc/ABMA');
  await page.waitForFunction(() => location.hash.includes('4HPwATDgc'), null, patient);
  await paste(match);
  await page.waitForSelector('.curve svg', patient);
  // An error is kept as a card.
  await page.waitForSelector('.errors .blunder', patient);
  await page.click('.errors .blunder');
  await page.click('[data-act="keep"]');
  await page.click('[data-act="share"]');
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#\/analyze\/XGID=/);
  await go(page, '#/match');
  await page.click('.cards a');
  await page.waitForFunction(() => /find the best play/.test(document.querySelector('.status h1')?.textContent), null, patient);
  problems(page);
  await page.context().close();
});

test('a rollout shows its interval while it goes', limit, async () => {
  const page = await open('#/analyze/XGID=----BBBB----------------bb-:0:0:1:00:0:0:0:0:10'.replace('bb-:', 'b-:'), { remembered: { ply: 0 } });
  await page.waitForSelector('.verdict', patient);
  await page.click('[data-act="rollout"]');
  await page.waitForSelector('.rollout .interval', patient);
  assert.match(await page.textContent('.rollout .interval b'), /±/);
  // The three actions of the cube have an interval each, and games and depth can be chosen.
  await page.waitForFunction(() => document.querySelectorAll('.rollout .action .interval').length === 3, null, patient);
  await page.click('.panel details:has(input[name="trials"]) summary');
  await page.check('input[name="trials"][value="324"]', { force: true });
  await page.check('input[name="rollout-ply"][value="1"]', { force: true });
  await page.click('[data-act="rollout"]');
  await page.waitForFunction(() => /324/.test(document.querySelector('.rollout')?.textContent) && document.querySelectorAll('.rollout .action').length === 3 && !document.querySelector('.rollout progress'), null, { timeout: 90_000 });
  // The cube at every score, and what each roll is worth.
  await go(page, '#/analyze/XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10');
  await page.click('[data-act="matrix"]');
  await page.waitForSelector('.rollout .grid', { timeout: 90_000 });
  assert.deepEqual(await page.$$eval('.grid tbody tr', (rows) => [rows.length, rows[0].cells.length, rows[3].cells[4].textContent]), [8, 9, 'ND']);
  await page.click('[data-act="rolls"]');
  await page.waitForFunction(() => document.querySelectorAll('.grid tbody tr').length === 6, null, patient);
  const [worst, best] = await page.$$eval('.grid td[title]', (cells) => { const all = cells.map(({ title, textContent }) => [Number(textContent.replace('−', '-')), title]).sort(([a], [b]) => a - b); return [all[0], all.at(-1)]; });
  assert.ok(worst[0] < 0.1 && best[0] > 0.4, `${worst} ${best}`);
  problems(page);
  await page.context().close();
});

test('three languages, and the board from the other side', limit, async () => {
  for (const [locale, word] of [['en', 'New match'], ['it-IT', 'Nuova partita'], ['de-DE', 'Neue Partie']]) {
    const page = await open('', { locale });
    assert.equal(await page.textContent('#panel h1'), word);
    // What the engine says is said in the language of the page.
    await begin(page);
    await page.waitForSelector('.log li', patient);
    await resign(page);
    assert.match(await page.textContent('.log'), { en: /accepts the resignation/, 'it-IT': /accetta l’abbandono/, 'de-DE': /nimmt die Aufgabe an/ }[locale]);
    problems(page);
    await page.context().close();
  }
  const page = await open('', { remembered: { home: 'left' } });
  const left = async (place) => (await page.locator(`.touch[data-place="${place}"]`).boundingBox()).x;
  assert.ok(await left(1) < await left(12));
  await page.context().close();
});

test('an error is tried again, without the answer', limit, async () => {
  const page = await open('', { remembered: known('x', match) });
  // The second look waits until it is wanted.
  await strong(page);
  const look = await secondLook(page);
  await go(page, '#/match/x');
  await page.waitForSelector('.errors .blunder', patient);
  await page.click('.errors .blunder');
  const best = (await page.textContent('.status .mark')).split('Best: ')[1];
  assert.equal(best, '20/18* 13/8');
  // Back and Forward go over what was chosen.
  const number = (wanted) => page.waitForFunction((wanted) => document.querySelector('.nav span')?.textContent.startsWith(wanted), wanted, patient);
  const chosen = `${(await page.textContent('.nav span')).split('/')[0]}`;
  await page.goBack();
  await number('1 ');
  await page.goForward();
  await number(chosen);
  const { x, y, width, height } = await page.locator('svg.board').boundingBox();
  await page.keyboard.press('r');
  await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
  assert.match(await page.textContent('.status h1'), /5-2: find the best play/);
  assert.ok(!await page.$('.arrow') && !await page.$('.plays') && !(await page.textContent('#panel')).includes(best));
  const carry = async (from, to) => {
    const middle = async (place) => { const box = await page.locator(`.touch[data-place="${place}"]`).boundingBox(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    await page.mouse.move(...await middle(from));
    await page.mouse.down();
    await page.mouse.move(...await middle(to), { steps: 4 });
    await page.mouse.up();
  };
  // What was played then is no better now.
  await carry(20, 13);
  await page.click(act('done'));
  await page.waitForFunction(() => /20\/13 loses 0\.0\d\d/.test(document.querySelector('.status h1').textContent), null, patient);
  await page.click('[data-act="again"]');
  await page.waitForSelector('.touch.can-move', { ...patient, state: 'attached' });
  await carry(20, 18);
  await carry(13, 8);
  await page.keyboard.press(' ');
  await page.waitForFunction(() => document.querySelector('.status h1').textContent === 'Right!', null, patient);
  await page.click('[data-act="answer"]');
  await page.waitForSelector('.plays .best', patient);
  assert.ok(x >= 0 && y >= 0 && width > height);
  // What is close is rolled out, first what is looked at; the list, the sums and the play agree.
  const pr = () => page.$$eval('.summary tbody tr:first-child td', (cells) => cells.map(({ textContent }) => textContent).join());
  const rated = await pr();
  look();
  await page.focus('[data-act="next-error"]');
  await page.waitForFunction(() => document.querySelector('.plays .best .detail')?.textContent.includes('Played out'), null, { timeout: 90_000 });
  assert.equal(await page.evaluate(() => document.activeElement.dataset.act), 'next-error');
  const lost = (await page.textContent('.plays .played .lost')).slice(1);
  assert.ok((await page.textContent('.status .mark')).includes(`loses ${lost}`), lost);
  assert.ok((await page.textContent('.turns .here')).endsWith(lost));
  assert.notEqual(await pr(), rated);
  problems(page);
  await page.context().close();
});

test('a match that was played is kept, rated and looked at deeper', limit, async () => {
  const page = await open('', { remembered: { ...seeded({ length: 3 }), autoRoll: false } });
  await begin(page);
  for (let turn = 0; turn < 4; turn++) {
    const what = await page.waitForFunction(() => document.querySelector('.over [data-act="roll"]') ? 'roll' : document.querySelector('.over [data-act="done"]') || document.querySelector('.touch.can-move') ? 'play' : document.querySelector('.over [data-act="take"]') ? 'take' : null, null, patient).then((found) => found.jsonValue());
    if (what === 'play') await playRoll(page);
    else await page.click(act(what));
  }
  // The engine has answered.
  await page.waitForSelector('.over [data-act="roll"], .over [data-act="take"], .touch.can-move', { ...patient, state: 'attached' });
  await page.waitForSelector('[data-act="resign"]:not(:disabled)', patient);
  await resign(page, 'backgammon');
  // The game that is over has its card, with what was worst in it.
  await page.waitForSelector('.card .facts', patient);
  assert.match(await page.textContent('.card'), /PR.*Luck.*Errors/);
  const errors = await page.$$eval('.card .errors button', (buttons) => buttons.length);
  assert.ok(errors <= 3);
  if (errors) {
    await page.click('.card .errors button');
    await page.waitForFunction(() => /find the best play|What do you do/.test(document.querySelector('.status h1')?.textContent), null, patient);
    await page.goBack();
    await page.waitForSelector('.card .facts', patient);
  }
  await go(page, '#/match');
  await page.waitForSelector('.history li', patient);
  assert.match(await page.textContent('.history'), /tavola · Casual.*3 points · 0–\d.*PR \d.*Luck/);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-act="export"]')]);
  assert.equal(file.suggestedFilename(), 'tavola-matches.json');
  await page.reload();
  await page.click('.history a');
  await page.waitForSelector('.curve svg', patient);
  for (let step = 0; step < 12 && !await page.$('.plays .detail'); step++) await page.keyboard.press('ArrowRight');
  // The figures sharpen while one reads.
  await page.waitForFunction(() => document.querySelector('.plays .best .detail')?.textContent.includes('2-ply'), null, { timeout: 90_000 });
  // One of another device is missed in words.
  await go(page, '#/match/abc/3');
  await page.waitForSelector('.problem', patient);
  problems(page);
  await page.context().close();
});

test('a full storage is said as long as it is full, nothing that comes then is lost, and what had no room has it again', limit, async () => {
  const page = await open('', { remembered: seeded({ length: 7 }) });
  // An old match, and others that have taken all of the room.
  await page.evaluate(() => {
    localStorage.setItem('tavola.entry.old', JSON.stringify({ id: 'old', names: ['Ann', 'Ben'], length: 3, score: [3, 1], date: '2026-10-01T00:00:00.000Z', me: 0, pr: [4, 5] }));
    localStorage.setItem('tavola.record.old', JSON.stringify('x'.repeat(200_000)));
    for (let size = 1 << 20, at = 0; size;) try { localStorage.setItem(`other.${at}`, 'x'.repeat(size)); at++; } catch { size >>= 1; }
  });
  await begin(page);
  const said = () => page.textContent('#away');
  await page.waitForFunction(() => /storage of this browser is full/.test(document.getElementById('away').textContent), null, patient);
  assert.match(await page.textContent('.eyebrow'), /7 points/);
  await page.waitForSelector('[data-act="hint"]:not(:disabled)', patient);
  // Files that come now are in the list and in what is saved, and the page isn't left without a question.
  await go(page, '#/match');
  await page.setInputFiles('#file', [1, 2].map((nth) => ({ name: `full-${nth}.mat`, mimeType: 'text/plain', buffer: Buffer.from(match.replaceAll('root', `Cleo ${nth}`)) })));
  await page.waitForFunction(() => document.querySelectorAll('.mine > .history li').length === 4 && !document.querySelector('.mine').textContent.includes('PR is coming'), null, { timeout: 60_000 });
  assert.match(await said(), /storage of this browser is full/);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-act="export"]')]);
  const { matches } = JSON.parse(readFileSync(await file.path(), 'utf8'));
  assert.equal(matches.filter(({ record }) => record?.includes('Cleo')).length, 2);
  assert.ok(matches.find(({ id }) => id === 'old').record.length === 200_000);
  const asked = page.waitForEvent('dialog').then((dialog) => { const type = dialog.type(); return dialog.dismiss().then(() => type); });
  await page.close({ runBeforeUnload: true });
  assert.equal(await asked, 'beforeunload');
  // Where a match is removed there is room.
  await page.click('.history li:has-text("Ben") [data-act="remove"]');
  await page.waitForFunction(() => !document.getElementById('away').textContent, null, patient);
  await page.reload();
  await page.waitForSelector('.history li', patient);
  assert.match(await page.textContent('.history'), /Cleo 1[\s\S]*Cleo 2|Cleo 2[\s\S]*Cleo 1/);
  problems(page);
  await page.context().close();
});

test('a review is leafed through by a finger', limit, async () => {
  const page = await open('#/match/x/4', { width: 390, height: 844, touch: true, remembered: known('x', match) });
  await page.waitForSelector('.curve svg', patient);
  const sweep = (from, to) => page.evaluate(([from, to]) => {
    const svg = document.querySelector('svg.board'), touch = (clientX) => [new Touch({ identifier: 1, target: svg, clientX, clientY: 300 })];
    svg.dispatchEvent(new TouchEvent('touchstart', { touches: touch(from), bubbles: true }));
    svg.dispatchEvent(new TouchEvent('touchend', { changedTouches: touch(to), bubbles: true }));
  }, [from, to]);
  const at = () => page.textContent('.nav span');
  await sweep(300, 100);
  assert.match(await at(), /^6 /);
  await sweep(100, 300);
  await sweep(100, 120);
  assert.match(await at(), /^5 /);
  problems(page);
  await page.context().close();
});
