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
  } finally {
    await chrome.close();
    await server.stop();
    await site.stop();
  }
});
