// The questions of the drill: the user's errors in all matches, errors that were kept, and what `tavola quiz` has. How
// each went is kept under `quiz.POSITION`, in the format of `tavola quiz`; boxes as Sebastian Leitner described them.

import { memory } from './dom.js';
import * as history from './history.js';
import { themes } from './themes.js';

// Days after which a question comes back, by its box, and the largest loss of a good answer: as the program has them.
const DAYS = [0, 1, 3, 7, 16, 35, 90], GOOD = 0.02;
const FORMAT = 'tavola quiz', VERSION = 1;
const dayOf = (time) => new Date(time).toISOString().slice(0, 10);
export const today = () => dayOf(Date.now());

// All questions by their position.
export function deck() {
  const found = new Map(), add = (card) => { if (!found.has(card.position)) found.set(card.position, card); };
  for (const { id, me, names, event, length, played, date } of history.list()) if (typeof me === 'number') for (const card of history.errors(id) ?? []) if (card.player === me + 1) add({ ...card, id, match: { names, me, event, length, date: played ?? date }, own: true });
  for (const card of history.cards()) add({ phase: '', ...card, own: true });
  for (const name of memory.names('quiz.')) {
    const stored = memory.get(name);
    if (stored) found.set(stored.position, { ...stored, ...found.get(stored.position) });
  }
  return [...found.values()];
}

// Those to be asked now: the longest overdue first, then own errors that were never asked, the worst first, then others.
export function due(cards = deck()) {
  const now = today(), rank = ({ memory: kept, source, own }) => kept ? [0, kept.due] : [own || source ? 1 : 2, ''];
  return cards.filter(({ memory: kept }) => !kept || kept.due <= now)
    .map((card) => ({ card, at: rank(card) })).sort(({ card: one, at: [a, b] }, { card: two, at: [c, d] }) => a - c || b.localeCompare(d) || (two.loss ?? 0) - (one.loss ?? 0)).map(({ card }) => card);
}

// Notes an answer; how it stands with the question then.
export function answered({ position, phase, source, done, id, match, game, row, memory: kept, since = today() }, loss) {
  const box = loss <= GOOD ? Math.min((kept?.box ?? 0) + 1, DAYS.length - 1) : 0;
  const now = { box, due: dayOf(Date.now() + DAYS[box] * 86_400_000), answers: (kept?.answers ?? 0) + 1, lost: (kept?.lost ?? 0) + loss };
  const from = source ?? (match ? `${match.names.join(' – ')}, game ${game}, row ${row}, ${match.names[match.me]}` : id);
  memory.set(`quiz.${position}`, { position, phase, ...from ? { source: from } : {}, ...done ? { done } : {}, memory: now, since });
  const days = memory.get('drilled', {});
  memory.set('drilled', Object.fromEntries([...Object.entries(days).filter(([day]) => day !== today()), [today(), (days[today()] ?? 0) + 1]].slice(-400)));
  return now;
}
export const isGood = (loss) => loss <= GOOD;

// How many were answered today, and for how many days in a row.
export function streak() {
  const days = memory.get('drilled', {});
  let row = 0;
  for (let time = Date.now() - (days[today()] ? 0 : 86_400_000); days[dayOf(time)]; time -= 86_400_000) row++;
  return { today: days[today()] ?? 0, row };
}

// The errors of a kind in each match before it was first practised, and since: [matches, errors a match] of both, or
// `null` where one of them has no match.
export function helped(theme, cards) {
  const [kind, name] = theme.split(/_(.*)/), since = cards.filter((card) => card.since && themes(card).includes(theme)).map((card) => card.since).sort()[0];
  if (!since) return null;
  const sides = [[], []];
  for (const { me, [kind]: both, played, date } of history.list()) if (typeof me === 'number' && both?.[me]) sides[Number(String(played ?? date).slice(0, 10) >= since)].push(both[me][name]?.errors ?? 0);
  return sides.some((all) => !all.length) ? null : sides.map((all) => [all.length, all.reduce((sum, count) => sum + count, 0) / all.length]);
}

// The deck as a file of `tavola quiz`, and one that is read back: how many questions it added, or `null` if it is none.
export function written(cards = deck()) {
  const plain = ({ position, phase, source, match, game, row, done, memory: kept }) => ({ position, phase, ...source || match ? { source: source ?? `${match.names.join(' – ')}, game ${game}, row ${row}, ${match.names[match.me]}` } : {}, ...done ? { done } : {}, ...kept ? { memory: kept } : {} });
  return `${JSON.stringify({ format: FORMAT, version: VERSION, cards: cards.map(plain) }, null, 2)}\n`;
}
export const isDeck = (text) => /^\s*\{\s*"format"\s*:\s*"tavola quiz"/.test(text);
export function read(text) {
  const { version, cards } = JSON.parse(text);
  if (version !== VERSION || !Array.isArray(cards)) return null;
  const good = cards.filter(history.isQuestion);
  return { added: good.filter((card) => history.keepQuestion(card)).length, bad: cards.length - good.length, all: cards.length };
}
