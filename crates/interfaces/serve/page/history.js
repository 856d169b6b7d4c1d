// Matches that were played or opened, as this device keeps them: what is known of each under `entry.ID`, its text
// under `record.ID`, the errors of both players under `errors.ID`; errors that were kept under `card.ID.AT`; and what was
// removed under the same names after `gone.`. The second match of a file is `ID-2`, with the record of the file.
// Each has a name of its own, so that two tabs never write over what the other one has kept.

import { memory } from './dom.js';
import { family, habit, sums } from './themes.js';

// How many days, and how many things at most, what was removed can be had back.
export const DAYS = 30, THINGS = 50;
const FIGURES = ['pr', 'wide', 'counts', 'luck', 'adjusted', 'faults', 'phases', 'habits', 'families'];
// The least loss of an error that becomes a question.
export const LEAST = 0.04;
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
// The file that a match is in, and the match of that file.
const fileOf = (id) => id.replace(/-\d+$/, '');
export const part = (id, index) => index ? `${fileOf(id)}-${index + 1}` : fileOf(id);
export const partOf = (id) => Number(/-(\d+)$/.exec(id)?.[1] ?? 1) - 1;
export const file = (id) => memory.get(`record.${fileOf(id)}`);
export const hasFile = (id) => memory.has(`record.${fileOf(id)}`);
export const errors = (id) => memory.get(`errors.${id}`);

// Whether the figures of a match are still to come; an engine has the text of one that was played.
export const waits = ({ id, running, game, level, pr, unread }) => !running && !game && !pr && !unread && Boolean(level || hasFile(id));
// Whether a match has figures, but its errors are not known one by one.
export const lacks = ({ id, me, pr, unread }) => typeof me === 'number' && Boolean(pr) && !unread && hasFile(id) && !memory.has(`errors.${id}`);

// The names of the user, and whose side of a match is theirs: `undefined` where that is not known.
export const mine = () => memory.get('mine', []);
const folded = (name) => name.trim().toLocaleLowerCase();
export function sideOf(names) {
  const own = mine().map(folded), [one, two] = names.map((name) => own.includes(folded(name)));
  return names.length !== 2 || one === two ? undefined : one ? 0 : 1;
}
const settle = () => { for (const { id, me, names } of list()) if (me === undefined && sideOf(names) !== undefined) keep({ id, me: sideOf(names) }); };
// Remembers a name of the user: all matches of that name are theirs.
export function claim(name) {
  if (!mine().some((known) => folded(known) === folded(name))) memory.set('mine', [...mine(), name]);
  settle();
}
// The same undone; matches that were played here stay the user's.
export function disclaim(name) {
  memory.set('mine', mine().filter((known) => known !== name));
  for (const { id, me, names, level, network } of list()) if (typeof me === 'number' && !level && !network && folded(names[me]) === folded(name)) keep({ id, me: sideOf(names) });
}


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
  memory.again();
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
  if (kind !== 'entry' || find(id)) return;
  memory.remove(`errors.${id}`);
  // The file stays while another match of it is here.
  const same = (other) => fileOf(other.split('.').at(-1)) === fileOf(id);
  if (![...memory.names('entry.'), ...memory.names('gone.entry.')].some(same)) for (const of of ['record', 'match']) memory.remove(`${of}.${fileOf(id)}`);
}

// In a full storage what was removed first makes room.
memory.room = () => {
  const all = memory.names('gone.').sort((one, two) => memory.get(one).removed.localeCompare(memory.get(two).removed));
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

// What a file has: text, or its bytes if it is none; and the name of it here.
function content(bytes) {
  try { return new TextDecoder('utf-8', { fatal: true }).decode(bytes); } catch { return { bytes: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) }; }
}
export const idOf = (bytes) => nameOf(content(bytes));

// A file that was opened; its name here, with what `more` is known of it.
export function keepFile(buffer, name, more = {}) {
  const text = content(new Uint8Array(buffer)), id = nameOf(text);
  putBack(`entry.${id}`);
  if (!find(id)) keep({ id, names: [name], length: 0, score: [], source: name, ...more }, text);
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
export const summary = ({ players, decisions, games, ...analysis }) => ({
  names: players.map(({ name }) => name), length: analysis.length, ...(analysis.date ? { played: analysis.date } : {}), ...(analysis.event ? { event: analysis.event } : {}),
  pr: players.map(({ pr }) => pr), wide: players.map((player) => player.pr_interval), counts: players.map((player) => player.pr_decisions),
  luck: players.map((player) => player.luck_emg), adjusted: players.map((player) => player.luck_adjusted_result),
  score: [0, 1].map((index) => games.reduce((sum, { winner, points }) => sum + (winner === index + 1 ? points : 0), 0)),
  faults: players.map(({ faults }) => faults), phases: players.map(({ phases }) => phases), habits: sums(decisions, habit), families: sums(decisions, ({ position }) => family(position)),
});

// What a take and a pass of a double lose.
const answersTo = ({ double_take: taken, double_pass: passed }) => [['take', Math.max(taken - passed, 0)], ['pass', Math.max(passed - taken, 0)]];

// The errors of both players as questions, with all that is needed to ask and to grade them without an engine; one about
// a double asks for its answer, too.
const questions = ({ decisions }) => decisions.flatMap(({ player, kind, position, phase, fault, game, row, done, best, loss, plays, actions }, at) => loss < LEAST || !['checker', 'double', 'response'].includes(kind) ? []
  : [{ at, player, kind, position, phase, fault, game, row, done, best, loss, choices: plays?.map((play) => [play.play, play.loss]) ?? [[best, 0], [done, loss]], ...kind === 'double' && actions ? { then: answersTo(actions) } : {} }]);

// Keeps what an analysis of a match says, if it is still of the text that is kept; the score of one that was played
// here is known better. What is known already stays unless it is made `anew`.
export function rate(id, analysis, text, anew = true) {
  const known = find(id);
  if (!known || JSON.stringify(text) !== JSON.stringify(file(id))) return;
  const found = summary(analysis);
  keep({ ...found, ...anew ? {} : known, id, ...known.level ? { score: known.score } : {}, me: known.me === undefined ? sideOf(found.names) : known.me, unread: undefined, fresh: undefined });
  if (!known.running) memory.set(`errors.${id}`, questions(analysis));
}

// The same of all matches of a file.
export function rateAll(id, matches, text, anew = true) {
  matches.forEach((analysis, index) => {
    const name = part(id, index), known = find(fileOf(id));
    if (index && known && !find(name) && !isRemoved(name)) keep({ id: name, date: known.date, names: [known.source ?? name], source: known.source, length: 0, score: [] });
    rate(name, analysis, text, anew);
  });
}

// Everything as one file, which this page and the program read: docs/matches.md.
const FORMAT = 'tavola history', VERSION = 1;
export function backup() {
  const lines = (all) => `[\n${all.map((each) => JSON.stringify(each)).join(',\n')}\n]`;
  const matches = list().map((entry) => ({ ...entry, record: partOf(entry.id) ? null : file(entry.id) ?? null, saved: memory.get(`match.${entry.id}`), errors: errors(entry.id) }));
  return `{"format": "${FORMAT}", "version": ${VERSION}, "matches": ${lines(matches)},\n"cards": ${lines(cards())},\n"quiz": ${lines(memory.names('quiz.').map((name) => memory.get(name)))},\n"mine": ${JSON.stringify(mine())},\n"tree": ${JSON.stringify(tree())}}\n`;
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
const isError = (it) => Number.isInteger(it?.at) && [1, 2].includes(it.player) && ['kind', 'position', 'phase', 'done', 'best'].every((key) => isText(it[key])) && Number.isFinite(it.loss) && isList(it.choices, (one) => isText(one?.[0]) && Number.isFinite(one[1]));
// A question in the format of `tavola quiz`.
export const isQuestion = (it) => isText(it?.position) && /^XGID=.{26}(:[^:]+){9}$/.test(it.position) && isText(it.phase)
  && (it.memory === undefined || Number.isInteger(it.memory.box) && it.memory.box >= 0 && it.memory.box < 7 && /^\d{4}-\d\d-\d\d$/.test(it.memory.due) && Number.isInteger(it.memory.answers) && Number.isFinite(it.memory.lost));
// Keeps a question unless what is known of it is later; whether it was kept.
export function keepQuestion(it) {
  const known = memory.get(`quiz.${it.position}`);
  if (known && (known.memory?.answers ?? 0) >= (it.memory?.answers ?? 0)) return false;
  return memory.set(`quiz.${it.position}`, { ...known, ...it });
}
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
  const same = JSON.stringify, twins = new Map(list().filter(({ id }) => !partOf(id) && hasFile(id) && !ids.has(id)).map(({ id }) => [same(file(id)), id]));
  for (const it of matches) {
    if (!isMatch(it)) { told.bad++; continue; }
    const { record, saved, errors: found, ...entry } = it, known = find(entry.id) ?? find(twins.get(same(record))), since = ({ changed, date }) => changed ?? date;
    const lacks = known && !known.running && !known.pr && !entry.running && entry.pr && same(record) === same(file(known.id));
    if (known && !lacks && since(entry) <= since(known)) { told.same++; continue; }
    told[known ? 'newer' : 'added']++;
    const id = known?.id ?? entry.id;
    if (record !== null) put(`record.${id}`, record);
    if (isText(saved)) put(`match.${id}`, saved);
    if (isList(found, isError)) put(`errors.${id}`, found);
    put(`entry.${id}`, { ...entry, ...lacks ? known : {}, id, date: new Date(entry.date).toISOString() });
  }
  for (const card of isList(read.cards, () => true) ? read.cards : []) if (!isCard(card)) told.bad++; else if (!hasCard(card)) put(OLDER.cards(card), { date: new Date(0).toISOString(), ...card });
  for (const it of isList(read.quiz, () => true) ? read.quiz : []) if (!isQuestion(it)) told.bad++; else keepQuestion(it);
  if (isList(read.mine, isText)) for (const name of read.mine) claim(name);
  if (isTree(read.tree) && same(read.tree) !== same(tree())) if (tree().length) remove(`tree.${Date.now()}`, { next: read.tree }); else put('tree', read.tree);
  return told;
}
