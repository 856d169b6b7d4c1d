// What a visitor of the static site downloads, compressed as web hosts do it: all files of the folder on
// a first visit, then the network of the program, and one more for each game in games/ that is played.
//   node scripts/site-size.mjs FOLDER
// Fails if the page is over 300 kB or a first visit over 2.5 MB, or a network or the engine is missing.

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const MOST = 2_500_000, MOST_OF_PAGE = 300_000;
// For people who look into the folder.
const NOT_VISITED = ['THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json'];

const folder = process.argv[2];
if (!folder) { console.error('expected a folder that scripts/build-site.sh has made'); process.exit(2); }
const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
const size = (path) => {
  const bytes = readFileSync(path);
  return { plain: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotli(bytes).length };
};
const files = (path) => readdirSync(path).filter((name) => statSync(join(path, name)).isFile()).map((name) => [name, size(join(path, name))]);
const sum = (sizes, kind) => sizes.reduce((total, [, found]) => total + found[kind], 0);
const row = (name, found) => console.log(`${name.padEnd(28)} ${['plain', 'gzip', 'brotli'].map((kind) => String(found[kind]).padStart(9)).join(' ')}`);

const first = files(folder).filter(([name]) => !NOT_VISITED.includes(name)), games = files(join(folder, 'games'));
console.log(`${'bytes'.padEnd(28)} ${['plain', 'gzip', 'brotli'].map((kind) => kind.padStart(9)).join(' ')}`);
for (const [name, found] of first.filter(([name]) => name.endsWith('.wasm'))) row(name, found);
const total = Object.fromEntries(['plain', 'gzip', 'brotli'].map((kind) => [kind, sum(first, kind)]));
const page = first.filter(([name]) => !name.endsWith('.wasm'));
row('the page alone', Object.fromEntries(['plain', 'gzip', 'brotli'].map((kind) => [kind, sum(page, kind)])));
row('a first visit', total);
for (const [name, found] of games) row(`games/${name}`, found);
if (!first.some(([name]) => name === 'tavola_bg.wasm') || !games.some(([name]) => name === 'backgammon.safetensors')) {
  console.error(`${folder} lacks tavola_bg.wasm or the networks in games/`);
  process.exit(1);
}
if (sum(page, 'gzip') > MOST_OF_PAGE) {
  console.error(`the page is ${sum(page, 'gzip')} bytes with gzip, expected at most ${MOST_OF_PAGE}`);
  process.exit(1);
}
if (total.gzip > MOST) {
  console.error(`a first visit downloads ${total.gzip} bytes with gzip, expected at most ${MOST}`);
  process.exit(1);
}
