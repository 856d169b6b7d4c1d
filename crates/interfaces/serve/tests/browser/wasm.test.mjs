// The static site against the program: what the page fetches first, and that its answers are those of the program to
// the last digit. Needs TAVOLA_SITE, the folder of scripts/build-site.sh.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { browser, files, match, program as binary, root, serve, visit } from './world.mjs';

const RACES = ['-BBBBBB------------bbbbbb-', '--A-B-C------------c-b-a--', '-DBCABC------------bcdab--', '--EAC-A------------dbca---', '-A--BABA-----------ababc--']
  .map((board) => `XGID=${board}:0:0:1:00:0:0:0:0:10`);
const skip = !process.env.TAVOLA_SITE;

async function ask(server, operation, fields) {
  const answer = await fetch(`${server.url}api/v1/${operation}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) });
  return answer.json();
}

// The analysis of a file by the program.
async function analyzed(server, text, ply) {
  const { id } = await (await fetch(`${server.url}api/v1/analyses?ply=${ply}`, { method: 'POST', body: text })).json();
  for (;;) {
    const job = await (await fetch(`${server.url}api/v1/jobs/${id}`)).json();
    if (job.answer) return job.answer;
    assert.ok(!job.error, JSON.stringify(job.error));
    await new Promise((done) => { setTimeout(done, 50); });
  }
}

// The report of the program about a match.
function reported(text) {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  try {
    const file = join(folder, 'match.mat');
    writeFileSync(file, text);
    return execFileSync(binary, ['analyze', file, '--ply', '0', '--no-cache', '--quiet', '--json'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const badge = (page, text) => page.waitForFunction((text) => document.querySelector('.engine-badge')?.textContent.startsWith(text), text, { timeout: 60_000 });
// Where nothing is told an answer has no place for it.
const plain = (answer) => JSON.parse(JSON.stringify(answer));

test('the small network plays first, the strong one follows, is kept, and answers as the program', { skip, timeout: 500_000 }, async () => {
  const chrome = await browser();
  let wait;
  const gate = new Promise((done) => { wait = done; });
  const site = await files(process.env.TAVOLA_SITE);
  const [program, small] = [await serve('tables'), await serve('--model', join(root, 'models/student.safetensors'))];
  try {
    const page = await visit(chrome, 'about:blank', { ready: false });
    const asked = [];
    await page.route('**/games/backgammon.safetensors', async (route) => { if (route.request().method() === 'GET') { asked.push(route.request().url()); await gate; } await route.continue(); });
    await page.goto(site.url);
    await page.waitForSelector('html[data-ready]');
    // An engine as that of the page.
    const here = (operation, fields) => page.evaluate(async ([operation, fields]) => {
      const { open } = await import('./engine.js');
      globalThis.engine ??= await open();
      return globalThis.engine.ask(operation, fields);
    }, [operation, fields]);
    await badge(page, 'Small network');
    const opening = { position: 'XGID=-b----E-C---eE---c-e----B-:0:0:1:64:0:0:0:0:10', ply: 0 };
    assert.deepEqual(plain(await here('best', opening)).plays, (await ask(small, 'best', opening)).plays);
    wait();
    await badge(page, 'Strong network');
    await page.evaluate(() => globalThis.engine.strengthen());
    assert.equal(asked.length, 1);
    const theirs = await analyzed(program, match, 0);
    const positions = [...new Set(theirs.matches[0].decisions.map(({ position }) => position))].slice(0, 45).concat(RACES);
    assert.equal(positions.length, 50);
    for (const [index, position] of positions.entries()) {
      const operation = /^[1-6]{2}$/.test(position.split(':')[4]) ? 'best' : 'cube';
      const fields = { position, ply: index % 5 === 0 ? 2 : 0 };
      assert.deepEqual(plain(await here(operation, fields)), await ask(program, operation, fields), `${operation} ${position}`);
    }
    const ours = await page.evaluate((text) => globalThis.engine.analyze(new TextEncoder().encode(text), 0), match);
    // What a file is called is not of the analysis.
    const figures = ({ matches: [{ source, ...analysis }] }) => plain(analysis);
    assert.deepEqual(figures(ours), figures(theirs));
    // A report of the program is repeated here, and of a changed one it is said where.
    const report = reported(match);
    const verify = (report) => page.evaluate(([report, text]) => globalThis.engine.verify(report, new TextEncoder().encode(text)).catch((error) => error.message), [report, match]);
    assert.deepEqual(await verify(report), { same: true, matches: 1, decisions: theirs.matches[0].decisions.length, differences: [] });
    const changed = await verify(report.replace(/"equity":-?\d\.\d+/, '"equity":7.7'));
    assert.deepEqual(changed.differences.map(({ key }) => key), ['decisions[0].equity']);
    // A move of a match takes a tenth of a second.
    const times = await page.evaluate(async () => {
      const { engine } = globalThis, times = [];
      let { id, state } = await engine.begin({ length: 1, strength: 'world-class', seed: 3 });
      for (let turn = 0; turn < 20 && state.waiting.for !== 'match_over'; turn++) {
        const began = performance.now();
        const { waiting } = state;
        ({ state } = await engine.act(id, waiting.for === 'play' ? { act: 'play', play: waiting.plays[0] } : waiting.for === 'roll' ? { act: 'roll' } : waiting.for === 'answer' ? { act: 'take' } : { act: 'accept' }));
        times.push(performance.now() - began);
      }
      return times.sort((a, b) => a - b);
    });
    console.log(`# a move answers in ${times[Math.floor(times.length / 2)].toFixed(0)} ms, at most ${times.at(-1).toFixed(0)}`);
    // What was fetched is there the next time.
    await page.reload();
    await badge(page, 'Strong network');
    assert.equal(asked.length, 1);
    // Games whose network the page fetches first.
    for (const [game, dice] of [['tabula', '6-5-3'], ['trictrac', '4-2'], ['hypergammon', [4, 2]]]) {
      const fields = { game, position: 'start', dice, ply: 0 };
      assert.deepEqual(plain(await here('best', fields)), await ask(program, 'best', fields), game);
    }
  } finally {
    await chrome.close();
    await program.stop();
    await small.stop();
    await site.stop();
  }
});
