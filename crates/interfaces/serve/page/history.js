// Matches that were played or opened, as this device keeps them: what is known of each under `history`,
// the newest first, and the text of each under `record.ID`.

import { memory } from './dom.js';

export const list = () => memory.get('history', []);
export const find = (id) => list().find((entry) => entry.id === id);
export const file = (id) => memory.get(`record.${id}`);

// Adds what is known of a match; `text` is its file.
export function keep(entry, text) {
  const known = find(entry.id);
  if (text !== undefined) memory.set(`record.${entry.id}`, text);
  memory.set('history', [{ date: new Date().toISOString(), ...known, ...entry }, ...list().filter(({ id }) => id !== entry.id)]
    .sort((one, two) => two.date.localeCompare(one.date)));
}

export function forget(id) {
  memory.remove(`record.${id}`);
  memory.set('history', list().filter((entry) => entry.id !== id));
}

// Errors that were kept to be tried again: { id, at, position, done, loss }.
export const cards = () => memory.get('cards', []);
const isCard = ({ id, at }) => (card) => card.id === id && card.at === at;
export const hasCard = (card) => cards().some(isCard(card));
export function turnCard(card) {
  const others = cards().filter((each) => !isCard(card)(each));
  memory.set('cards', others.length < cards().length ? others : [card, ...others]);
}

// The name of a file by what is in it: one that is opened twice is the same match.
export function nameOf(text) {
  let sum = 0x811c9dc5;
  for (const letter of JSON.stringify(text)) sum = Math.imul(sum ^ letter.codePointAt(0), 0x01000193) >>> 0;
  return `f${sum.toString(16).padStart(8, '0')}`;
}

// A file that was opened; its name here. One that is no text is kept by its bytes.
export function keepFile(buffer, name) {
  const bytes = new Uint8Array(buffer);
  let text;
  try { text = new TextDecoder('utf-8', { fatal: true }).decode(bytes); } catch { text = { bytes: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) }; }
  const id = nameOf(text);
  if (!find(id)) keep({ id, names: [name], length: 0, score: [] }, text);
  return id;
}

export const bytesOf = (file) => file.bytes ? Uint8Array.from(atob(file.bytes), (letter) => letter.charCodeAt(0)) : new TextEncoder().encode(file);

// A match as text for an address, compressed. What is longer than this is cut by programs that pass addresses on.
export const LONGEST = 8000;
// What a small address may become.
const MOST = 1 << 22;

async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
  for (let size = 0; ;) {
    const { value, done } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > MOST) { await reader.cancel(); throw new RangeError(`more than ${MOST} bytes`); }
    parts.push(value);
  }
}

export async function pack(bytes) {
  const small = await through(bytes, new CompressionStream('deflate-raw'));
  return `z${btoa(Array.from(small, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

// The same back; `null` for the name of a match that this device keeps.
export async function unpack(text) {
  if (!/^z[\w-]{40,}$/.test(text)) return null;
  const small = Uint8Array.from(atob(text.slice(1).replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  return through(small, new DecompressionStream('deflate-raw'));
}

// What an analysis says of a match.
export const summary = (analysis) => ({
  names: analysis.players.map(({ name }) => name), length: analysis.length, ...(analysis.date ? { played: analysis.date } : {}),
  pr: analysis.players.map(({ pr }) => pr), luck: analysis.players.map((player) => player.luck_emg),
  score: [0, 1].map((index) => analysis.games.reduce((sum, { winner, points }) => sum + (winner === index + 1 ? points : 0), 0)),
  faults: analysis.players.map(({ faults }) => faults), phases: analysis.players.map(({ phases }) => phases),
});

// Everything, as one file.
export const all = () => JSON.stringify({ matches: list().map((entry) => ({ ...entry, record: file(entry.id) ?? null })) }, null, 1);
