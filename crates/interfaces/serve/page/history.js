// Matches that were played or opened, as this device keeps them: what is known of each under `entry.ID`, its text
// under `record.ID`; errors that were kept under `card.ID.AT`; and what was removed under the same names after `gone.`.
// Each has a name of its own, so that two tabs never write over what the other one has kept.

import { memory } from './dom.js';

// How many days, and how many things at most, what was removed can be had back.
export const DAYS = 30, THINGS = 50;
const FIGURES = ['pr', 'luck', 'faults', 'phases'];
const latest = (one, two) => `${two.date} ${two.id}`.localeCompare(`${one.date} ${one.id}`);

// Older pages had the matches and the errors in a list each, the latest first, errors without a date.
const OLDER = { history: ({ id }) => `entry.${id}`, cards: ({ id, at }) => `card.${id}.${at}` };
function moved() {
  for (const [old, name] of Object.entries(OLDER)) {
    const all = memory.get(old, []);
    if (all.length) memory.remove(old);
    for (const [index, each] of all.entries()) if (!memory.get(name(each)) && !memory.get(`gone.${name(each)}`)) memory.set(name(each), { date: new Date(-index).toISOString(), ...each });
  }
}
const all = (head) => { moved(); return memory.names(head).map((name) => memory.get(name)).filter(Boolean).sort(latest); };

export const list = () => all('entry.');
export const find = (id) => { moved(); return memory.get(`entry.${id}`); };
export const file = (id) => memory.get(`record.${id}`);

// Whether the figures of a match are still to come; an engine has the text of one that was played.
export const waits = ({ id, running, game, level, pr, unread }) => !running && !game && !pr && !unread && Boolean(level || file(id));

// Adds what is known of a match; `text` is its file. One that goes on has no figures yet, and one that was removed is
// there again.
export function keep(entry, text) {
  const name = `entry.${entry.id}`, known = find(entry.id), gone = known ? null : memory.get(`gone.${name}`), now = new Date().toISOString();
  const next = { date: now, ...gone, ...known, ...entry };
  delete next.removed;
  if (next.running) for (const key of FIGURES) delete next[key];
  if (text !== undefined) memory.set(`record.${entry.id}`, text);
  memory.remove(`gone.${name}`);
  if (JSON.stringify(next) !== JSON.stringify(known)) memory.set(name, { ...next, changed: now });
}

// Removes a match, an error or what was tried by its name; it can be had back for a while.
export function remove(name, value = memory.get(name)) {
  if (!value) return;
  memory.remove(name);
  memory.set(`gone.${name}`, { ...value, removed: new Date().toISOString() });
}
export const forget = (id) => remove(`entry.${id}`);
export const isRemoved = (id) => Boolean(memory.get(`gone.entry.${id}`));

// What was removed, the last first, each with its name; what is older, or more, is gone.
export function removed() {
  const all = memory.names('gone.').map((name) => ({ ...memory.get(name), name: name.slice(5) })).sort((one, two) => two.removed.localeCompare(one.removed));
  const stays = all.filter((each, index) => index < THINGS && Date.parse(each.removed) > Date.now() - DAYS * 86_400_000);
  for (const each of all) if (!stays.includes(each)) end(each.name);
  return stays;
}

function end(name) {
  memory.remove(`gone.${name}`);
  const [kind, id] = name.split('.');
  if (kind === 'entry' && !find(id)) for (const of of ['record', 'match']) memory.remove(`${of}.${id}`);
}

// In a full storage what was removed first makes room.
memory.room = () => {
  const all = memory.names('gone.', true).sort((one, two) => memory.get(one).removed.localeCompare(memory.get(two).removed));
  if (all.length) end(all[0].slice(5));
  return all.length > 0;
};

// Has something back; what was tried meanwhile takes its place.
export function putBack(name) {
  const value = memory.get(`gone.${name}`);
  if (!value) return;
  memory.remove(`gone.${name}`);
  delete value.removed;
  if (name.startsWith('tree.')) keepTree(value.next);
  else if (!memory.get(name)) memory.set(name, value);
}

// What was tried from a position. Another tree takes the place of the one before, which is removed.
export const tree = () => memory.get('tree', []);
export function keepTree(next) {
  const before = tree(), same = (one) => one.address === next[0]?.address;
  if (before.length && !before.some(same)) remove(`tree.${Date.now()}`, { next: before });
  memory.set('tree', next);
}

// Errors that were kept to be tried again: { id, at, position, done, loss }.
export const cards = () => all('card.');
export const hasCard = (card) => { moved(); return Boolean(memory.get(OLDER.cards(card))); };
// Keeps an error, or keeps it no more; the name of one that was removed.
export function turnCard(card) {
  const name = OLDER.cards(card);
  if (hasCard(card)) { remove(name); return name; }
  memory.set(name, { ...card, date: new Date().toISOString() });
  memory.remove(`gone.${name}`);
  return null;
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
  putBack(`entry.${id}`);
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

// Keeps what an analysis of a match says, if it is still of the text that is kept; the score of one that was played
// here is known better.
export function rate(id, analysis, text) {
  const known = find(id);
  if (!known || JSON.stringify(text) !== JSON.stringify(file(id))) return;
  keep({ id, ...summary(analysis), ...known.level ? { score: known.score } : {}, unread: undefined });
}

// Everything as one file, which this page and the program read: docs/matches.md.
const FORMAT = 'tavola history', VERSION = 1;
export function backup() {
  const lines = (all) => `[\n${all.map((each) => JSON.stringify(each)).join(',\n')}\n]`;
  const matches = list().map((entry) => ({ ...entry, record: file(entry.id) ?? null, saved: memory.get(`match.${entry.id}`) }));
  return `{"format": "${FORMAT}", "version": ${VERSION}, "matches": ${lines(matches)},\n"cards": ${lines(cards())},\n"tree": ${JSON.stringify(tree())}}\n`;
}

// Whether a text is such a file, also one that older pages wrote, and one that was cut.
export const isBackup = (text) => /^\s*\{\s*("format"\s*:\s*"tavola history"|"matches"\s*:\s*\[\s*(\]|\{\s*"(id|date)"))/.test(text);

// The objects of the lists of a text that is damaged or was cut.
function* whole(text) {
  for (let at = 0, depth = 0, start = null, quoted = false; at < text.length; at++) {
    const letter = text[at];
    if (letter === '\\') at++;
    else if (letter === '"') quoted = !quoted;
    else if (!quoted && '{['.includes(letter)) { if (++depth === 3 && letter === '{') start = at; }
    else if (!quoted && '}]'.includes(letter) && depth-- === 3 && start !== null) {
      try { yield JSON.parse(text.slice(start, at + 1)); } catch { yield null; }
      start = null;
    }
  }
}

const isText = (value) => typeof value === 'string', isList = (value, fits) => Array.isArray(value) && value.every(fits);
const isSums = (value) => value === undefined || isList(value, (side) => Object.values(side ?? {}).every((sum) => Number.isFinite(sum?.errors) && Number.isFinite(sum.loss_emg)));
const isId = (value) => isText(value) && /^[\w-]{1,64}$/.test(value);
const isMatch = (it) => isId(it?.id) && isList(it.names, isText) && it.names.length > 0 && isList(it.score, Number.isFinite) && Number.isFinite(it.length) && !Number.isNaN(Date.parse(it.date))
  && ['pr', 'luck'].every((key) => it[key] === undefined || isList(it[key], (value) => value === null || Number.isFinite(value))) && isSums(it.faults) && isSums(it.phases)
  && ['game', 'level', 'network'].every((key) => it[key] === undefined || isText(it[key])) && (it.record === null || isText(it.record) || /^[\w+/]+=*$/.test(it.record?.bytes));
const isTree = (value) => isList(value, (it) => isText(it?.address) && isText(it.after) && isText(it.text) && isTree(it.next));
const isCard = (it) => isId(it?.id) && Number.isInteger(it.at) && isText(it.position) && isText(it.done) && Number.isFinite(it.loss);

// Adds what a backup has to what is here: of a match that both have the later state. Tells how many were `added`, were
// `newer` there, are the `same` or older, were `bad`; whether the file was `cut`, with the reason, and whether all had
// `room`. Of another `version` nothing is read.
export function restore(text) {
  const told = { added: 0, newer: 0, same: 0, bad: 0, cut: null, room: true };
  let read;
  try { read = JSON.parse(text); } catch (error) {
    const objects = [...whole(text)];
    told.cut = error.message;
    read = { matches: objects.filter((it) => !isCard(it)), cards: objects.filter(isCard) };
  }
  if ((read.version ?? VERSION) !== VERSION) return { version: read.version };
  const put = (name, value) => { told.room = memory.set(name, value) && told.room; memory.remove(`gone.${name}`); };
  const matches = Array.isArray(read.matches) ? read.matches : [null], ids = new Set(matches.map((it) => it?.id));
  // The same text under another name is the same match.
  const same = JSON.stringify, twins = new Map(list().filter(({ id }) => file(id) && !ids.has(id)).map(({ id }) => [same(file(id)), id]));
  for (const it of matches) {
    if (!isMatch(it)) { told.bad++; continue; }
    const { record, saved, ...entry } = it, known = find(entry.id) ?? find(twins.get(same(record))), since = ({ changed, date }) => changed ?? date;
    const lacks = known && !known.running && !known.pr && !entry.running && entry.pr && same(record) === same(file(known.id));
    if (known && !lacks && since(entry) <= since(known)) { told.same++; continue; }
    told[known ? 'newer' : 'added']++;
    const id = known?.id ?? entry.id;
    if (record !== null) put(`record.${id}`, record);
    if (isText(saved)) put(`match.${id}`, saved);
    put(`entry.${id}`, { ...entry, ...lacks ? known : {}, id, date: new Date(entry.date).toISOString() });
  }
  for (const card of isList(read.cards, () => true) ? read.cards : []) if (!isCard(card)) told.bad++; else if (!hasCard(card)) put(OLDER.cards(card), { date: new Date(0).toISOString(), ...card });
  if (isTree(read.tree) && same(read.tree) !== same(tree())) if (tree().length) remove(`tree.${Date.now()}`, { next: read.tree }); else put('tree', read.tree);
  return told;
}
