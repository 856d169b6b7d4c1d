// Lighthouse on every view, as on a desktop and as on a phone; fails below 99/100/100/100 and 95/100/100/100.
//
//     npm install --no-save lighthouse@12.8.2 && node lighthouse.mjs [VIEW...]
//
// It is run by hand: its figures depend on what else the machine does. The server and the browser are those of world.mjs.

import { createServer } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { known, match, serve } from './world.mjs';

const POSITION = 'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10';
const VIEWS = { play: '', analyze: `#/analyze/${POSITION}`, matches: '#/match', review: '#/match/x', decision: '#/match/x/7', drill: '#/drill', rules: '#/rules', old: '#/tables', join: '#/join/x/x' };
const LEAST = { desktop: [99, 100, 100, 100], mobile: [95, 100, 100, 100] };
const KINDS = ['performance', 'accessibility', 'best-practices', 'seo'];

const { default: lighthouse, desktopConfig } = await import('lighthouse');
const port = await new Promise((free) => { const server = createServer().listen(0, () => { const { port } = server.address(); server.close(() => free(port)); }); });
const folder = mkdtempSync(join(tmpdir(), 'lighthouse-'));
const chrome = await chromium.launchPersistentContext(folder, { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${port}`] });
const site = await serve();
let bad = 0;
try {
  const page = await chrome.newPage();
  await page.goto(`${site.url}manifest.json`);
  const items = { ply: 0, ...known('x', match) };
  await page.evaluate((items) => { for (const [key, value] of Object.entries(items)) localStorage.setItem(`tavola.${key}`, JSON.stringify(value)); }, items);
  for (const [name, hash] of Object.entries(VIEWS).filter(([name]) => process.argv.length < 3 || process.argv.includes(name))) {
    for (const [kind, least] of Object.entries(LEAST)) {
      const { lhr } = await lighthouse(`${site.url}${hash}`, { port, disableStorageReset: true, onlyCategories: KINDS, logLevel: 'error' }, kind === 'desktop' ? desktopConfig : undefined);
      const found = KINDS.map((each) => Math.round(100 * lhr.categories[each].score)), time = (key) => Math.round(lhr.audits[key].numericValue);
      const wrong = Object.values(lhr.audits).filter(({ score, scoreDisplayMode }) => scoreDisplayMode === 'binary' && score === 0).map(({ id }) => id);
      const low = found.some((score, index) => score < least[index]);
      if (low) bad++;
      console.log(`${low ? 'below' : 'ok   '} ${name.padEnd(9)} ${kind.padEnd(8)} ${found.join('/')}  paint ${time('largest-contentful-paint')} ms, blocked ${time('total-blocking-time')} ms, shift ${lhr.audits['cumulative-layout-shift'].numericValue.toFixed(3)} ${wrong.join(' ')}`);
    }
  }
} finally {
  await chrome.close();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(bad ? 1 : 0);
