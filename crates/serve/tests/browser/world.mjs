// A server and a browser for the tests of the page.
//
// The program is target/debug/tavola or the one of TAVOLA_BIN; the browser that of CHROMIUM, else
// Debian's. With TAVOLA_SITE, a folder that scripts/build-site.sh made, there is no server: the page
// has its engine in WebAssembly.

import { spawn } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '../../../..');
const KINDS = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };

export async function serve(...options) {
  const program = process.env.TAVOLA_BIN ?? join(root, 'target/debug/tavola');
  const child = spawn(program, ['serve', '--port', '0', '--no-tables', '--forget', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((found, failed) => {
    createInterface({ input: child.stdout }).once('line', found);
    child.once('exit', (code) => failed(new Error(`the server ended with ${code}`)));
  });
  return { url: url.trim(), stop: () => new Promise((ended) => { child.once('exit', ended); child.kill('SIGINT'); }) };
}

// A plain file server, as any web host is one.
export async function files(folder) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const file = join(folder, path === '/' ? 'index.html' : path);
    if (!existsSync(file) || !statSync(file).isFile()) { response.writeHead(404).end(); return; }
    response.writeHead(200, { 'content-type': KINDS[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => new Promise((ended) => { server.close(ended); server.closeAllConnections(); }) };
}

export const browser = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

// A page that remembers what went wrong in it.
export async function visit(chrome, url, { width = 1440, height = 900, theme = 'light', locale = 'en', calm = true, remembered = {}, touch = false } = {}) {
  const context = await chrome.newContext({ viewport: { width, height }, colorScheme: theme, locale, reducedMotion: calm ? 'reduce' : 'no-preference', hasTouch: touch });
  await context.addInitScript((items) => { for (const [key, value] of Object.entries(items)) if (localStorage.getItem(`tavola.${key}`) === null) localStorage.setItem(`tavola.${key}`, JSON.stringify(value)); }, remembered);
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  await page.goto(url);
  await page.waitForSelector('html[data-ready]', { timeout: 60_000 });
  return page;
}

// Screenshots are looked at by people; they lie under target/.
export async function shot(page, name, options = {}) {
  const folder = join(root, 'target/screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), ...options });
}
