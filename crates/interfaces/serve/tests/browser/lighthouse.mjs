// Figures of the page that depend on what else the machine does, so that they are measured by hand:
//
//     npm install --no-save lighthouse@12.8.2 && node lighthouse.mjs [NAME...]
//
// Names are those of views, for Lighthouse as on a desktop and as on a phone, at least 99/100/100/100 and 95/100/100/100;
// `usable`, when the first view can be used, by this processor and by one four times slower, and what that downloads;
// `work`, for how long each view keeps a finger waiting where the processor is four times slower, by the time that its
// tasks have of it, which other programs change little; `history`, how long a list of 500 matches takes to open;
// `memory`, what 1,000 turns leave. It fails where a figure is missed.

import { createServer } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { browser, known, many, match, patient, serve, visit } from './world.mjs';

const POSITION = 'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10';
const VIEWS = { play: '', analyze: `#/analyze/${POSITION}`, matches: '#/match', review: '#/match/x', decision: '#/match/x/7', drill: '#/drill', rules: '#/rules', old: '#/tables', join: '#/join/x/x' };
const LEAST = { desktop: [99, 100, 100, 100], mobile: [95, 100, 100, 100] };
const KINDS = ['performance', 'accessibility', 'best-practices', 'seo'];

const LIMITS = { usable: 1000, 'usable, slow': 3500, 'bytes of a first visit': 150_000, work: 200, history: 300, 'memory of 900 turns': 1_000_000 };

const wanted = (name) => process.argv.length < 3 || process.argv.includes(name);
// A phone is no part of the machine that analyzes for it.
process.env.TAVOLA_NICE = 'yes';
const site = await serve();
let bad = 0;
// Says a figure, and whether it is within its limit.
function told(name, value, unit, more = '') {
  if (value > LIMITS[name]) bad++;
  console.log(`${value > LIMITS[name] ? 'above' : 'ok   '} ${name}: ${Math.round(value)} ${unit} of ${LIMITS[name]} ${more}`);
}

// The first view in a browser that has never been here: the best of three visits.
async function usable(chrome, name, rate) {
  let best = { time: Infinity };
  for (let tries = 0; tries < 3; tries++) {
    const page = await visit(chrome, 'about:blank', { width: 390, height: 844, kept: true, ready: false });
    const cdp = await page.context().newCDPSession(page), sizes = new Map();
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
    await cdp.send('Network.enable');
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    if (rate > 1) await cdp.send('Emulation.setCPUThrottlingRate', { rate });
    await page.addInitScript(() => { new MutationObserver((_, seen) => { if (document.querySelector('[data-act="start"]') && document.querySelector('.stone')) { seen.disconnect(); requestAnimationFrame(() => setTimeout(() => { globalThis.usable = performance.now(); }, 0)); } }).observe(document, { childList: true, subtree: true }); });
    await page.goto(site.url);
    await page.waitForFunction(() => globalThis.usable, null, patient);
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0), time = await page.evaluate(() => globalThis.usable);
    const { metrics } = await cdp.send('Performance.getMetrics'), busy = 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
    if (time < best.time) best = { time, bytes, busy };
    await page.context().close();
  }
  told(name, best.time, 'ms', `(${Math.round(best.busy)} ms of the processor)`);
  if (rate === 1) told('bytes of a first visit', best.bytes, 'bytes');
}

// What tasks of more than 50 ms take beyond that, in the first eight seconds: what Lighthouse calls blocked.
async function work(chrome, name, hash) {
  const page = await visit(chrome, 'about:blank', { width: 412, height: 823, touch: true, kept: true, ready: false, remembered: { ply: 0, ...known('x', match) } }), cdp = await page.context().newCDPSession(page), events = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'toplevel,blink.user_timing' });
  await page.goto(`${site.url}${hash}`);
  await page.waitForTimeout(8000);
  const whole = new Promise((done) => { cdp.once('Tracing.tracingComplete', done); });
  await cdp.send('Tracing.end');
  await whole;
  const { pid, tid, ts } = events.findLast(({ name, args }) => name === 'navigationStart' && args.data?.documentLoaderURL?.startsWith(site.url));
  const tasks = events.filter((each) => each.pid === pid && each.tid === tid && each.ts >= ts && /RunTask$/.test(each.name)).map(({ tdur = 0 }) => 4 * tdur / 1000);
  told('work', tasks.reduce((sum, time) => sum + Math.max(time - 50, 0), 0), 'ms', `(${name}, ${Math.round(tasks.reduce((sum, time) => sum + time, 0))} ms in all)`);
  await page.context().close();
}

// A list of 500 matches, from another view: the best of five times.
async function history(chrome) {
  const page = await visit(chrome, `${site.url}#/rules`);
  await page.route('**/analyses**', (route) => route.abort());
  await many(page, 500);
  const times = [];
  for (let tries = 0; tries < 5; tries++) {
    await page.evaluate(() => { location.hash = '#/rules'; });
    await page.waitForSelector('.rule', patient);
    times.push(await page.evaluate(async () => {
      const began = performance.now();
      location.hash = '#/match';
      await new Promise((done) => { new MutationObserver((_, seen) => { if (document.querySelector('.history li')) { seen.disconnect(); done(); } }).observe(document.body, { childList: true, subtree: true }); });
      document.body.getBoundingClientRect();
      return performance.now() - began;
    }));
  }
  told('history', Math.min(...times), 'ms', `(${times.map(Math.round).join(', ')})`);
  await page.context().close();
}

// Plays own turns by keys, whatever else is asked for, from the form or in a game.
async function turns(count) {
  const soon = () => new Promise((done) => { setTimeout(done, 2); });
  for (let done = 0; done < count; await soon()) {
    if (document.querySelector('.thinking')) continue;
    const press = ['start', 'new', 'next_game', 'take', 'accept', 'done', 'roll'].map((name) => document.querySelector(`[data-act="${name}"]`)).find(Boolean), touch = document.querySelector('.touch.can-move');
    if (press?.dataset.act === 'done') done++;
    if (press) press.click(); else touch?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  }
}

// Heap, elements and listeners after 100 and after 1,000 own turns.
async function memory(chrome) {
  const page = await visit(chrome, site.url, { remembered: { setup: { length: 25, seed: 1, strength: 'beginner' }, speed: 0 } }), cdp = await page.context().newCDPSession(page);
  await page.evaluate(() => { const wait = setTimeout; globalThis.setTimeout = (what, time, ...more) => wait(what, Math.min(time ?? 0, 8), ...more); });
  await cdp.send('Performance.enable');
  const used = async () => {
    for (let nth = 0; nth < 3; nth++) await cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await cdp.send('Performance.getMetrics'), of = (key) => metrics.find(({ name }) => name === key).value;
    return { heap: of('JSHeapUsedSize'), elements: of('Nodes'), listeners: of('JSEventListeners') };
  };
  await page.evaluate(turns, 100);
  const first = await used();
  console.log('      after 100 turns', first);
  await page.evaluate(turns, 900);
  const last = await used();
  console.log('      after 1,000 turns', last);
  told('memory of 900 turns', last.heap - first.heap, 'bytes');
  await page.context().close();
}

// Lighthouse on each view.
async function views() {
  const names = Object.entries(VIEWS).filter(([name]) => wanted(name));
  if (!names.length) return;
  const { default: lighthouse, desktopConfig } = await import('lighthouse');
  const port = await new Promise((free) => { const server = createServer().listen(0, () => { const { port } = server.address(); server.close(() => free(port)); }); });
  const folder = mkdtempSync(join(tmpdir(), 'lighthouse-'));
  const chrome = await chromium.launchPersistentContext(folder, { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${port}`] });
  try {
    const page = await chrome.newPage();
    await page.goto(`${site.url}manifest.json`);
    const items = { ply: 0, ...known('x', match) };
    await page.evaluate((items) => { for (const [key, value] of Object.entries(items)) localStorage.setItem(`tavola.${key}`, JSON.stringify(value)); }, items);
    for (const [name, hash] of names) {
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
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const chrome = await browser();
  if (wanted('usable')) for (const [name, rate] of [['usable', 1], ['usable, slow', 4]]) await usable(chrome, name, rate);
  if (wanted('work')) for (const [name, hash] of Object.entries(VIEWS)) await work(chrome, name, hash);
  if (wanted('history')) await history(chrome);
  if (wanted('memory')) await memory(chrome);
  await chrome.close();
  await views();
} finally {
  await site.stop();
}
process.exit(bad ? 1 : 0);
