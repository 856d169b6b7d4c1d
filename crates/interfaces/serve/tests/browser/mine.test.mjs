// A player's own matches: which player they are, many files at once, figures over all, the result of a review, the drill.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessible, act, around, go, known, limit, many, match, open, patient, problems, program, shot, strong } from './world.mjs';

around();

const ends = async (page) => { problems(page); await page.context().close(); };
const text = (name, event) => `; [EventDate "2026.10.0${event}"]\n; [Event "Club ${event}"]\n${match.replace(/^;.*\n/gm, '').replaceAll('root', name)}`;
const files = (count, name = () => 'Ann') => Array.from({ length: count }, (_, at) => ({ name: `match-${at + 1}.mat`, mimeType: 'text/plain', buffer: Buffer.from(text(name(at), at + 1)) }));
const rows = (page) => page.$$eval('.mine > .history li', (rows) => rows.map(({ textContent }) => textContent));
const rated = (page) => page.waitForFunction(() => !document.querySelector('.mine')?.textContent.includes('PR is coming'), null, { timeout: 90_000 });
const stored = (page, key) => page.evaluate((key) => JSON.parse(localStorage.getItem(`tavola.${key}`)), key);

test('many files are taken in at once, the user is asked once who they are, and all of it is theirs', limit, async () => {
  const page = await open('#/match');
  await strong(page);
  await page.setInputFiles('#file', [...files(4, (at) => at === 3 ? 'Ann B.' : 'Ann'), { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no match\nat all') }, { name: 'empty.mat', mimeType: 'text/plain', buffer: Buffer.alloc(0) }, { name: 'film.mat', mimeType: 'text/plain', buffer: Buffer.alloc(4_100_000, 'x') }, { name: 'double.mat', mimeType: 'text/plain', buffer: Buffer.from(text('Zoe', 6) + text('Ann', 7)) }]);
  await page.waitForSelector('.history li', patient);
  assert.match(await page.textContent('[data-said]'), /Files added: 7, known already: 0/);
  await rated(page);
  // A file that can't be read is named with its reason, one of two matches has both.
  await page.waitForFunction(() => ['notes.txt (', 'empty.mat (the file is empty', 'film.mat (4.1 MB > 4 MB)'].every((wrong) => document.querySelector('[data-said]').textContent.includes(wrong)), null, patient);
  assert.equal((await rows(page)).length, 6);
  assert.equal(await page.$('.sum'), null);
  await accessible(page, 'who is asked');
  await shot(page, 'asks');
  assert.deepEqual(await page.$$eval('.asks [data-name]', (all) => all.map(({ dataset }) => dataset.name).sort()), ['Ann', 'Ann B.', 'Zoe', 'gnubg']);
  await page.click('.asks [data-name="Ann"]');
  await page.waitForSelector('.sum', patient);
  assert.equal((await rows(page)).filter((row) => /Luck/.test(row)).length, 4);
  // A second name, and those who are somebody else are asked about no more.
  await page.click('.asks [data-name="Ann B."]');
  await page.waitForFunction(() => [...document.querySelectorAll('.history li')].filter(({ textContent }) => textContent.includes('Luck')).length === 5, null, patient);
  await page.click('.asks [data-act="nobody"]');
  await page.waitForFunction(() => !document.querySelector('.asks'), null, patient);
  assert.deepEqual(await stored(page, 'mine'), ['Ann', 'Ann B.']);
  const list = await rows(page);
  assert.match(list.join('\n'), /gnubg10\/1\/2026/);
  assert.match(list.join('\n'), /Club 1 · match-1\.mat/);
  await page.reload();
  await page.waitForSelector('.sum', patient);
  assert.deepEqual(await rows(page), list);
  // PR over time, by habit, phase and direction of the cube; a goal.
  assert.match(await page.textContent('.sum'), /PR\d+\.\d ± \d+\.\d.*Won0 \/ 5luck-adjusted \d/);
  assert.ok(await page.$('.chart .band'));
  for (const word of ['Errors by kind', 'Errors by phase', 'Errors by habit']) assert.ok((await page.textContent('.stats')).includes(word), word);
  assert.match(await page.textContent('[data-worst]'), /most expensive habit: .+, \d+ times, −\d/);
  await page.fill('[name="goal"]', '5');
  await page.press('[name="goal"]', 'Enter');
  await page.waitForFunction(() => /reached in \d of the last 5/.test(document.querySelector('.sum')?.textContent), null, patient);
  await page.click('.narrow summary');
  await page.selectOption('.narrow select >> nth=0', 'pr');
  await page.fill('[name="search"]', 'club 2');
  await page.waitForFunction(() => document.querySelectorAll('.mine > .history li').length === 1, null, patient);
  assert.equal(await page.evaluate(() => document.activeElement.name), 'search');
  await page.fill('[name="search"]', '');
  await page.waitForFunction(() => document.querySelectorAll('.mine > .history li').length === 6, null, patient);
  await accessible(page, 'my matches');
  // A file that comes later is the user's by its name; the same file is no second match.
  await page.setInputFiles('#file', [...files(1), { name: 'later.mat', mimeType: 'text/plain', buffer: Buffer.from(text('ann', 8)) }]);
  await page.waitForFunction(() => /Files added: 1, known already: 1/.test(document.querySelector('[data-said]')?.textContent), null, patient);
  await rated(page);
  assert.equal((await rows(page)).filter((row) => /Luck/.test(row)).length, 6);
  // A name is forgotten again.
  await page.click('.names summary');
  await page.click('[data-forget="Ann B."]');
  await page.waitForSelector('.asks [data-name="Ann B."]', patient);
  await shot(page, 'mine', { fullPage: true });
  // All is in the backup, also the names.
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-act="export"]')]);
  const backup = JSON.parse(readFileSync(await file.path(), 'utf8'));
  assert.deepEqual(backup.mine, ['Ann']);
  assert.equal(backup.matches.filter(({ record }) => record === null).length, 1);
  const other = await open('#/match');
  await other.setInputFiles('#file', { name: 'tavola-matches.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(backup)) });
  await other.waitForSelector('.sum', patient);
  assert.deepEqual((await rows(other)).sort(), (await rows(page)).sort());
  // The second match of a file is reviewed, and the file outlives one of its two.
  const second = await page.$eval('.history [href*="-2"]', (link) => link.getAttribute('href'));
  await page.click('.history li:has([href*="-2"]) [data-act="remove"]');
  await page.click('#toast [data-act="put-back"]');
  await page.click(`.history [href="${second}"]`);
  await page.waitForSelector('.curve svg', patient);
  assert.match(await page.textContent('.status h1'), /Ann/);
  await ends(other);
  await ends(page);
});

test('a review begins with its result, and leads through the errors', limit, async () => {
  const page = await open('#/match/x', { remembered: known('x', match) });
  await strong(page);
  await page.waitForSelector('.curve svg', patient);
  await page.waitForSelector('.errors .blunder', patient);
  // The result stands above everything else: PR in words, luck, sizes, the worst with boards.
  assert.equal(await page.textContent('.status h1'), 'gnubg – root 8–0');
  assert.match(await page.textContent('[data-verdict]'), /^\d blunders? costs? root \d+\.\d % of the match\.$/);
  const summary = await page.$$eval('#panel > .summary tbody tr', (lines) => Object.fromEntries(lines.map(({ cells: [name, ...cells] }) => [name.textContent, cells.map(({ textContent }) => textContent)])));
  assert.match(summary.PR[1], /\d+\.\d\s±\s\d+\.\d/);
  assert.deepEqual(summary.Level, ['world champion', 'advanced']);
  assert.match(summary['Chance without luck'].join(), /\d+\.\d %,\d+\.\d %/);
  assert.equal(await page.$$eval('.worst svg[role="img"]', (all) => all.length), 3);
  const worst = await page.$$eval('.worst b', (all) => all.map(({ textContent }) => Number(textContent.slice(1))));
  assert.deepEqual(worst, [...worst].sort((a, b) => b - a));
  const { y } = await page.locator('[data-act="drill-errors"]').boundingBox();
  assert.ok(y < 900, `the button is at ${y}`);
  await accessible(page, 'the result');
  for (const [width, height] of [[1440, 900], [1024, 768], [844, 390], [390, 844], [360, 640]]) for (const colorScheme of ['light', 'dark']) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    await shot(page, `result-${width}-${colorScheme}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  // Which of them is asked here, too, and the errors are theirs then.
  await page.click('.asks [data-name="gnubg"]');
  assert.equal(await stored(page, 'entry.x').then(({ me }) => me), 0);
  assert.equal(await page.$('.asks'), null);
  assert.match(await page.textContent('[data-verdict]'), /gnubg made no error/);
  await page.check('input[name="whose"][value="1"]', { force: true });
  await page.click('[data-act="drill-errors"]');
  await page.waitForFunction(() => /find the best play|What do you do/.test(document.querySelector('.status h1')?.textContent), null, patient);
  assert.ok(!await page.$('.board-box .arrow'));
  await page.click('[data-act="answer"]');
  await page.click('[data-act="result"]');
  await page.waitForSelector('[data-verdict]', patient);
  assert.match(page.url(), /#\/match\/x$/);
  await page.goBack();
  await page.waitForFunction(() => /^\d+ \//.test(document.querySelector('.nav span')?.textContent) && !document.querySelector('[data-verdict]'), null, patient);
  await ends(page);
});

test('what eXtreme Gammon said stands beside our figures', limit, async () => {
  const page = await open('#/rules', { remembered: known('x', match) });
  // The answer of the engine with what a file of that program would have.
  await page.route('**/api/v1/jobs/*/events', async (route) => {
    const answer = await route.fetch().catch(() => null), body = await answer?.text();
    if (body) await route.fulfill({ response: answer, body: body.replaceAll(/"counted_pr":true,/g, '"counted_pr":true,"beside":[{"name":"XG","engine":"eXtreme Gammon","stored":true,"equity":-0.25,"loss":0.01},{"name":"gnubg","engine":"GNU Backgammon","stored":true,"equity":0.1,"loss":0.02}],') });
  });
  if (process.env.TAVOLA_SITE) { await ends(page); return; }
  await go(page, '#/match/x');
  await page.waitForSelector('#panel > .summary', patient);
  assert.match(await page.textContent('#panel > .summary'), /PR by XG5\.05\.0PR by GNU Backgammon10\.010\.0/);
  await page.click('[data-act="next-error"]');
  await page.waitForSelector('[data-engine="XG"]', patient);
  assert.equal(await page.textContent('[data-engine="XG"]'), 'XG in the file: −0.250, −0.010');
  assert.equal(await page.textContent('[data-engine="GNU Backgammon"]'), 'GNU Backgammon in the file: +0.100, −0.020');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await ends(page);
});

test('due errors are drilled by hand and by choice, and come back when they are due', limit, async () => {
  const entry = { ...known('x', match).history[0], me: 1 };
  const page = await open('#/rules', { remembered: { 'entry.x': { ...entry, id: 'x' }, 'record.x': match, mine: ['root'] } });
  await strong(page);
  await go(page, '#/drill');
  await page.waitForSelector('.touch.can-move, .over button', { ...patient, state: 'attached' });
  const questions = async () => Number(await page.textContent('.facts dd'));
  const all = await questions();
  assert.ok(all >= 3, `${all} questions`);
  await accessible(page, 'a question');
  await shot(page, 'drill');
  const best = () => page.evaluate(async () => { const { due } = await import('./deck.js'); const [card] = due(); return { best: card.best, done: card.done, position: card.position, kind: card.kind }; });
  const { best: right, position } = await best();
  // Right on the board.
  const hops = await page.evaluate(async (play) => (await import('./position.js')).steps(play), right);
  for (const [from, to] of hops) {
    const middle = async (place) => { const box = await page.locator(`.touch[data-place="${place}"]`).boundingBox(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    await page.mouse.move(...await middle(from));
    await page.mouse.down();
    await page.mouse.move(...await middle(to), { steps: 4 });
    await page.mouse.up();
  }
  await page.click(act('done'));
  await page.waitForFunction(() => document.querySelector('.status h1').textContent === 'Right!', null, patient);
  assert.match(await page.textContent('#panel'), /It comes back tomorrow\./);
  assert.match(await page.textContent('#panel .summary'), /played then/);
  await accessible(page, 'an answer');
  await shot(page, 'drill-answer');
  const kept = await page.evaluate((position) => JSON.parse(localStorage.getItem(`tavola.quiz.${position}`)), position);
  assert.deepEqual([kept.memory.box, kept.memory.answers, kept.memory.lost], [1, 1, 0]);
  assert.equal(await questions(), all - 1);
  // Wrong from a list: it is due today again.
  await page.click(act('next'));
  await page.check('input[name="answer-by"][value="true"]', { force: true });
  const second = await best();
  if (second.kind === 'checker') {
    await page.waitForSelector('[data-answer]', patient);
    assert.ok(await page.$$eval('[data-answer]', (answers) => answers.length) > 1);
    await accessible(page, 'a list of answers');
    await shot(page, 'drill-list');
    await page.click(`[data-answer="${second.done}"]`);
  } else await page.click(act({ pass: 'drop', take: 'take', 'no double': 'no_double', double: 'double' }[second.done]));
  await page.waitForFunction(() => /loses/.test(document.querySelector('.status h1').textContent), null, patient);
  assert.match(await page.textContent('#panel'), /comes back today/);
  assert.equal(await questions(), all - 1);
  // The first screen tells, and a theme is a deck of its own.
  await go(page, '#/play');
  await page.waitForSelector('[data-act="start"]', patient);
  assert.equal(await page.textContent('[data-act="drill"]'), `Due today: ${all - 1} of your errors`);
  await page.click('[data-act="drill"]');
  await page.waitForSelector('#panel select', patient);
  const theme = await page.$eval('#panel select', (select) => [...select.options].map(({ value }) => value)[1]);
  await page.selectOption('#panel select', theme);
  await page.waitForFunction((theme) => location.hash === `#/drill/${theme}`, theme, patient);
  // The deck is one that `tavola quiz` reads, and what it has done is read back.
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('[data-act="deck"]')]);
  const deck = readFileSync(await file.path(), 'utf8'), folder = mkdtempSync(join(tmpdir(), 'deck-'));
  try {
    writeFileSync(join(folder, 'quiz.json'), deck);
    const listed = JSON.parse(execFileSync(program, ['quiz', '--deck', join(folder, 'quiz.json'), '--list', '--json', '--no-tables'], { encoding: 'utf8' }));
    assert.deepEqual([listed.questions, listed.due], [all, all - 1]);
  } finally { rmSync(folder, { recursive: true }); }
  const changed = JSON.parse(deck);
  changed.cards[0].memory = { box: 3, due: '2099-01-01', answers: 9, lost: 0.5 };
  changed.cards.push({ position: 'XGID=-CCBCCA------------bcddb--:0:0:1:00:0:0:0:0:10', phase: 'race' }, { position: 'nonsense', phase: '' });
  await page.setInputFiles('#file', []).catch(() => {});
  await page.evaluate((text) => document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: (() => { const data = new DataTransfer(); data.items.add(new File([text], 'quiz.json')); return data; })(), bubbles: true, cancelable: true })), JSON.stringify(changed));
  await page.waitForFunction(() => /2 of \d+ questions added.*can’t be read: 1/.test(document.querySelector('#toast').textContent), null, patient);
  await ends(page);
});

test('a history of 500 matches opens, a hundred at a time, and older backups and decks lose nothing', limit, async () => {
  const page = await open('#/rules');
  await page.route('**/analyses**', (route) => route.abort());
  await many(page, 500);
  await page.evaluate(() => { location.hash = '#/match'; });
  await page.waitForSelector('.history li', patient);
  assert.match(await page.textContent('.sum'), /PR\d\.\d ± 0\.\d/);
  assert.equal((await rows(page)).length, 100);
  await page.click('[data-act="all"]');
  assert.equal((await rows(page)).length, 500);
  // The list by length, and the totals with it.
  await page.click('.narrow summary');
  await page.selectOption('.narrow select >> nth=1', '7');
  await page.waitForFunction(() => document.querySelectorAll('.mine > .history li').length === 166, null, patient);
  // A deck of a later version changes nothing.
  await page.setInputFiles('#file', { name: 'quiz.json', mimeType: 'application/json', buffer: Buffer.from('{"format": "tavola quiz", "version": 2, "cards": []}') });
  await page.waitForFunction(() => /another version/.test(document.querySelector('#toast').textContent), null, patient);
  assert.equal(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('tavola.quiz.')).length), 0);
  await ends(page);
});

test('a folder is taken in with all that is below it', limit, async () => {
  const page = await open('#/match'), folder = mkdtempSync(join(tmpdir(), 'matches-'));
  try {
    mkdirSync(join(folder, '2026/october'), { recursive: true });
    for (const [at, name] of ['one.mat', '2026/two.mat', '2026/october/three.txt', '.hidden'].entries()) writeFileSync(join(folder, name), text('Ann', at + 1));
    await page.waitForSelector('[data-act="folder"]', patient);
    await page.setInputFiles('#folder', folder);
    await page.waitForFunction(() => document.querySelectorAll('.mine > .history li').length === 3, null, patient);
    assert.match(await page.textContent('[data-said]'), /Files added: 3, known already: 0/);
    await rated(page);
  } finally { rmSync(folder, { recursive: true }); }
  await ends(page);
});

test('a question about a double asks for its answer too, and practice is measured', limit, async () => {
  const position = 'XGID=-CCBCCA------------bcddb--:0:0:1:00:0:0:0:0:10', sums = (errors) => [{}, { missed_double: { errors, loss_emg: errors / 10 } }];
  const card = { at: 3, player: 2, kind: 'double', position, phase: 'race', fault: 'missed_double', game: 1, row: 4, done: 'no double', best: 'double', loss: 0.1, choices: [['double', 0], ['no double', 0.1]], then: [['take', 0.25], ['pass', 0]] };
  const entry = (id, played, errors) => ({ [`entry.${id}`]: { id, me: 1, names: ['Ben', 'Ann'], length: 0, score: [2, 1], date: `${played}T00:00:00.000Z`, played, pr: [3, 5], faults: sums(errors), phases: [{}, {}] }, [`errors.${id}`]: [] });
  const page = await open('#/rules', { remembered: { ...entry('a', '2026-10-01', 4), ...entry('b', '2026-10-02', 2), ...entry('c', '2126-01-01', 1), 'errors.a': [card] } });
  await go(page, '#/drill');
  await page.waitForSelector(act('double'), patient);
  assert.equal(await page.textContent('.status h1'), 'Double, or roll?');
  await page.click(act('double'));
  await page.waitForSelector(act('drop'), patient);
  assert.match(await page.textContent('.status h1'), /And if it is doubled/);
  await page.click(act('take'));
  await page.waitForSelector(act('next'), patient);
  assert.equal(await page.textContent('.status h1'), 'take loses 0.250');
  assert.deepEqual(await page.$$eval('#panel .summary:not(.helped .summary) tr.right th', (all) => all.map(({ firstChild }) => firstChild.textContent)), ['double', 'pass']);
  await accessible(page, 'a double and its answer');
  // Once it is right it is due on another day; errors of that kind are counted before and since.
  await page.click(act('next'));
  await page.click(act('double'));
  await page.click(act('drop'));
  await page.waitForFunction(() => document.querySelector('.status h1').textContent === 'Right!', null, patient);
  assert.deepEqual(await stored(page, `quiz.${position}`).then(({ memory: { box, answers, lost } }) => [box, answers, lost]), [1, 2, 0.25]);
  await page.click(act('next'));
  await page.waitForFunction(() => /Nothing is due/.test(document.querySelector('.status h1').textContent), null, patient);
  await page.click('.helped summary');
  assert.match(await page.textContent('.helped'), /Missed double3\.00 \(2\)1\.00 \(1\)/);
  await accessible(page, 'nothing is due');
  await page.click('[data-act="ahead"]');
  await page.waitForSelector(act('double'), patient);
  await ends(page);
});
