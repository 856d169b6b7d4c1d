// A server and a browser for the tests of the page.
//
// The program is target/debug/tavola or the one of TAVOLA; the browser that of CHROMIUM, else
// Debian's. With TAVOLA_SITE, a folder that scripts/build-site.sh made, there is no server: the page
// has its engine in WebAssembly.
//
// With TAVOLA_PAGE, any text, the files of the page are those of crates/interfaces/serve/page as they are now,
// not those that the program was built with.
//
// With TAVOLA_NICE, any text, the server leaves the processor to the browser.
//
// With TAVOLA_SHOTS, any text, screenshots of all views lie under target/screenshots afterwards.
//
// Every wait has an end, and whatever ends this process ends the server and the browser with it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, request as pass } from 'node:http';
import { after, before } from 'node:test';
import { dirname, extname, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '../../../../..');
export const program = process.env.TAVOLA ?? join(root, 'target/debug/tavola');
const KINDS = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml', '.wasm': 'application/wasm', '.json': 'application/manifest+json' };

const START = 60_000, STOP = 10_000, WAIT = 20_000;
// The longest time of a file of tests.
const LONGEST = 600_000;

const children = new Set();
process.on('exit', () => { for (const child of children) child.kill('SIGKILL'); });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

// What a promise gives, or an error after some time.
export function within(milliseconds, what, promise) {
  let timer;
  const late = new Promise((_, failed) => { timer = setTimeout(() => failed(new Error(`${what}: not within ${milliseconds} ms`)), milliseconds); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// The program with these options; one of them may be 'tables', for the endgame databases.
export async function serve(...options) {
  const [command, ...before] = process.env.TAVOLA_NICE ? ['nice', '-n', '19', program] : [program];
  const child = spawn(command, [...before, 'serve', '--port', '0', '--forget', ...options.includes('tables') ? [] : ['--no-tables'], ...options.filter((option) => option !== 'tables')], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const ended = new Promise((done) => {
    child.once('error', done);
    child.once('exit', (code, signal) => { children.delete(child); done(new Error(`the server ended with ${code ?? signal}`)); });
  });
  const stop = async () => {
    child.kill('SIGINT');
    await within(STOP, 'the end of the server', ended).catch(() => child.kill('SIGKILL'));
  };
  const first = new Promise((found) => { createInterface({ input: child.stdout }).once('line', found); });
  const failed = ended.then((error) => { throw error; });
  failed.catch(() => {});
  try {
    const url = await within(START, 'the address of the server', Promise.race([first, failed]));
    const site = url.trim().replace('#/watch', '');
    return process.env.TAVOLA_PAGE ? await edited(site, stop) : { url: site, stop };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

// A server whose page is that of the folder, all else that of the program at `url`.
async function edited(url, stop) {
  const folder = join(root, 'crates/interfaces/serve/page'), from = new URL(url), policy = (await fetch(url)).headers.get('content-security-policy');
  const server = createServer((request, response) => {
    const path = request.url.split('?')[0], file = join(folder, path === '/' ? 'index.html' : path);
    if (path.startsWith('/api/') || !existsSync(file)) {
      request.pipe(pass({ host: from.hostname, port: from.port, path: request.url, method: request.method, headers: { ...request.headers, host: from.host, ...request.headers.origin && { origin: from.origin } } }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      }).on('error', () => response.destroy()));
      return;
    }
    const bytes = gzipSync(readFileSync(file)), etag = `"${createHash('sha1').update(bytes).digest('hex')}"`, headers = { 'content-type': `${KINDS[extname(file)] ?? 'application/octet-stream'}; charset=utf-8`, 'cache-control': 'no-cache', 'content-security-policy': policy, etag };
    if (request.headers['if-none-match'] === etag) response.writeHead(304, headers).end(); else response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(bytes);
  });
  await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
  return { url: `http://127.0.0.1:${server.address().port}/${from.hash}`, stop: () => { server.close(); server.closeAllConnections(); return stop(); } };
}

// A plain file server, as any web host is one. It lacks the files of whose path `lacks` says so.
export async function files(folder, lacks = () => false) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const file = join(folder, path === '/' ? 'index.html' : path);
    if (lacks(path) || !existsSync(file) || !statSync(file).isFile()) { response.writeHead(404).end(); return; }
    response.writeHead(200, { 'content-type': KINDS[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => new Promise((ended) => { server.close(ended); server.closeAllConnections(); }) };
}

// A browser with a profile of its own, which asks nothing of the network. It is no part of the
// tests to wait for it to end in peace.
export async function browser() {
  const chrome = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    timeout: START,
  });
  return { newContext: (options) => chrome.newContext(options), close: () => within(STOP, 'the end of the browser', chrome.close()).catch(() => {}) };
}

// The browser, and the server or the static site, of a file of tests that calls this.
export let chrome, site;
export function around() {
  setTimeout(() => { console.error(`the tests of this file took longer than ${LONGEST} ms`); process.exit(1); }, LONGEST).unref();
  before(async () => {
    chrome = await browser();
    site = process.env.TAVOLA_SITE ? await files(process.env.TAVOLA_SITE) : await serve();
  }, { timeout: 150_000 });
  after(async () => {
    await chrome?.close();
    await site?.stop();
  }, { timeout: 30_000 });
}

// Waits until a page that was visited with `kept` has this file on the device.
export async function keeps(page, file) {
  const has = (file) => page.evaluate(async (file) => Boolean(navigator.serviceWorker.controller && await (await caches.open('tavola')).match(new URL(file, location))), file);
  for (let tries = 0; tries < 100 && !await has(file); tries++) await page.waitForTimeout(200);
}

// A page that remembers what went wrong in it; `kept` lets it keep its files on the device.
export async function visit(chrome, url, { width = 1440, height = 900, theme = 'light', locale = 'en', calm = true, remembered = {}, touch = false, kept = false, ready = true } = {}) {
  const context = await chrome.newContext({ viewport: { width, height }, colorScheme: theme, locale, reducedMotion: calm ? 'reduce' : 'no-preference', hasTouch: touch, serviceWorkers: kept ? 'allow' : 'block' });
  await context.addInitScript((items) => { for (const [key, value] of Object.entries(items)) if (localStorage.getItem(`tavola.${key}`) === null) localStorage.setItem(`tavola.${key}`, JSON.stringify(value)); }, remembered);
  context.setDefaultTimeout(WAIT);
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  await page.goto(url);
  if (ready) await page.waitForSelector('html[data-ready]', { timeout: 60_000 });
  return page;
}

// Goes to another address, and waits until what stood there is gone: a view stays until the next one is there, so that
// what both have may be of the one before.
export async function go(page, address) {
  const to = new URL(address, page.url()).href;
  if (to === page.url()) return;
  await page.evaluate(() => document.querySelector('#panel > :first-child')?.setAttribute('data-before', ''));
  await page.goto(to);
  await page.waitForSelector('#panel:not(:has(> [data-before]))', { ...patient, state: 'attached' });
}

// A page of the browser and the site of this file, and the check that nothing went wrong in it.
export const open = (path, options) => visit(chrome, `${site.url}${path}`, options);
export const problems = (page) => assert.deepEqual(page.problems, []);

// Holds requests until the answer of this is called; they may go `to` another address.
export async function held(page, path, to = (url) => url) {
  let go;
  const gate = new Promise((done) => { go = done; });
  await page.route(path, async (route) => { await gate; await route.continue({ url: to(route.request().url()) }).catch(() => {}); });
  return go;
}
// The second look at a match, as short as the first.
export const secondLook = (page) => held(page, '**/analyses?ply=2', (url) => url.replace('ply=2', 'ply=0'));

// A screenshot, for people to look at.
export async function shot(page, name, options = {}) {
  if (!process.env.TAVOLA_SHOTS) return;
  const folder = join(root, 'target/screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), ...options });
}

// On the static site the strong network comes after a while.
export const strong = (page) => process.env.TAVOLA_SITE ? page.waitForSelector('[data-network="strong"]', { state: 'attached', timeout: 60_000 }) : null;

// What people do in a game.

export const patient = { timeout: 30_000 };
export const limit = { timeout: 180_000 };
// Of a test that the static site can't pass.
export const onServer = { ...limit, skip: process.env.TAVOLA_SITE ? 'needs a server' : false };
export const act = (name) => `.over [data-act="${name}"]`;
export const seeded = (setup) => ({ setup: { seed: 1, strength: 'casual', ...setup } });

export const match = readFileSync(join(root, 'crates/interfaces/cli/tests/cli/files/three-points.mat'), 'utf8');
// A match that this device keeps.
export const known = (id, text) => ({ [`record.${id}`]: text, history: [{ id, names: ['one', 'two'], length: 3, score: [0, 0], date: '2026-11-01' }] });

// A history of this many matches, written to the storage of a page.
export const many = (page, count) => page.evaluate(([count, text]) => {
  for (let at = 0; at < count; at++) {
    const id = `p${at}`, sums = { errors: 1 + at % 3, loss_emg: 0.1 + at % 7 / 20 };
    localStorage.setItem(`tavola.entry.${id}`, JSON.stringify({ id, me: at % 2, names: at % 2 ? [`Ben ${at}`, 'Ann'] : ['Ann', `Ben ${at}`], length: [3, 5, 7][at % 3], score: [3, 7], date: new Date(Date.UTC(2025, 0, at)).toISOString(), pr: [3 + at % 9, 4 + at % 5], wide: [1, 1], counts: [60, 60], luck: [0.1, -0.1], adjusted: [0.5, 0.5], faults: [{ wrong_take: sums }, { wrong_take: sums }], phases: [{}, {}], habits: [{}, {}], families: [{}, {}] }));
    localStorage.setItem(`tavola.errors.${id}`, '[]');
    localStorage.setItem(`tavola.record.${id}`, JSON.stringify(text));
  }
}, [count, match.slice(0, 1500)]);

const axe = readFileSync(join(here, 'node_modules/axe-core/axe.min.js'), 'utf8');

// Fails with what axe-core finds, by all of its rules or by one.
export async function accessible(page, name, rule = null) {
  if (!await page.evaluate(() => Boolean(globalThis.axe))) await page.evaluate(axe);
  const { violations } = await page.evaluate((rule) => globalThis.axe.run(document, rule ? { runOnly: [rule] } : {}), rule);
  assert.deepEqual(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]), [], name);
}

export async function begin(page) {
  await page.click('[data-act="start"]');
  await page.waitForSelector('.over button, .log li', patient);
}

export async function resign(page, size = 'single') {
  await page.click('[data-act="resign"]:not(:disabled)');
  await page.click(`[data-value="${size}"]`);
  await page.waitForSelector('.over [data-act="new"], [data-act="next_game"]', patient);
}

// Plays a roll by taps on whatever can move.
export async function playRoll(page) {
  await page.waitForSelector(`.touch.can-move, ${act('done')}`, { ...patient, state: 'attached' });
  for (let step = 0; step < 8; step++) {
    if (await page.$(act('done'))) break;
    const point = await page.$eval('.touch.can-move', (touch) => Number(touch.dataset.place)).catch(() => null);
    if (point === null) return;
    await page.locator(`.touch[data-place="${point}"]`).click({ force: true });
  }
  await page.click(act('done'));
}
