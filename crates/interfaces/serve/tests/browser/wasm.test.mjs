// The engine in WebAssembly against the program with the same network: same plays, same equities to
// rounding. Needs TAVOLA_SITE, the folder of scripts/build-site.sh.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { browser, files, root, serve, visit } from './world.mjs';

const POSITIONS = [
  ['XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10', 2],
  ['XGID=-b----E-C---eE---c-e----B-:0:0:1:66:0:0:0:0:10', 2],
  ['XGID=-a-B--D-B---dE---d-e----B-:0:0:1:42:0:0:0:0:10', 2],
  ['XGID=-b----E-C---eE---c-e----B-:1:1:1:53:2:3:0:7:10', 1],
  ['XGID=-BBBBBB------------bbbbbb-:0:0:1:54:0:0:0:0:10', 2],
];

test('WebAssembly and the program agree', { skip: !process.env.TAVOLA_SITE, timeout: 120_000 }, async () => {
  const chrome = await browser();
  const site = await files(process.env.TAVOLA_SITE);
  // One with the networks that are built in, for the other games.
  const built = await serve();
  const server = await serve('--model', join(root, 'models/student.safetensors'));
  try {
    const page = await visit(chrome, site.url);
    const here = (position, ply) => page.evaluate(async ([position, ply]) => {
      const { open } = await import('./engine.js');
      globalThis.engine ??= await open();
      return globalThis.engine.ask('best', { position, ply });
    }, [position, ply]);
    const there = async (position, ply) => {
      const answer = await fetch(`${server.url}api/v1/best`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ position, ply }) });
      return answer.json();
    };
    for (const [position, ply] of POSITIONS) {
      const [one, two] = [await here(position, ply), await there(position, ply)];
      assert.ok(one.plays.length > 0);
      const seen = (plays) => plays.map(({ play, equity, ply }) => [play, ply, equity.toFixed(4)]);
      assert.deepEqual(seen(one.plays), seen(two.plays), position);
    }
    // Games whose network the page fetches first.
    for (const [game, dice] of [['tabula', '6-5-3'], ['trictrac', '4-2'], ['hypergammon', [4, 2]]]) {
      const asked = { game, position: 'start', dice, ply: 0 };
      const one = await page.evaluate((asked) => globalThis.engine.ask('best', asked), asked);
      const answer = await fetch(`${built.url}api/v1/best`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked) });
      const two = await answer.json();
      assert.ok(one.plays.length > 0, JSON.stringify(one));
      const seen = (plays) => plays.map(({ play, equity }) => [play, equity.toFixed(4)]);
      assert.deepEqual(seen(one.plays), seen(two.plays), game);
    }
  } finally {
    await chrome.close();
    await built.stop();
    await server.stop();
    await site.stop();
  }
});
