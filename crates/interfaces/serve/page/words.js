// What the engine says in English words, in the language of the page: turns of a log, notes beside a
// board, moves. Names of players are left as they are.

import { current } from './texts.js';

// Each with what it becomes in Italian and in German; the first that fits wins.
const PHRASES = [
  [/^rolls (.+)$/, 'tira $1', 'würfelt $1'],
  [/^doubles$/, 'raddoppia', 'verdoppelt'],
  [/^takes$/, 'accetta il raddoppio', 'nimmt an'],
  [/^drops$/, 'rifiuta il raddoppio', 'lehnt ab'],
  [/^beavers$/, 'fa beaver', 'bibert'],
  [/^raccoons$/, 'fa raccoon', 'verdoppelt zurück (Raccoon)'],
  [/^offers to lose a single game$/, 'abbandona (partita semplice)', 'gibt einfach auf'],
  [/^offers to lose a gammon$/, 'abbandona (gammon)', 'gibt ein Gammon auf'],
  [/^offers to lose a backgammon$/, 'abbandona (backgammon)', 'gibt ein Backgammon auf'],
  [/^accepts the resignation$/, 'accetta l’abbandono', 'nimmt die Aufgabe an'],
  [/^refuses the resignation$/, 'rifiuta l’abbandono', 'weist die Aufgabe zurück'],
  [/^no legal play$/, 'nessuna mossa possibile', 'kein Zug möglich'],
  [/^by bearing off$/, 'per aver portato fuori le pedine', 'durch Abtragen'],
  [/^by the fourth Barata$/, 'con la quarta Barata', 'durch die vierte Barata'],
  [/^with a gammon$/, 'con un gammon', 'mit einem Gammon'],
  [/^with a backgammon$/, 'con un backgammon', 'mit einem Backgammon'],
  [/^by a drop$/, 'per raddoppio rifiutato', 'durch einen abgelehnten Doppler'],
  [/^by a resignation$/, 'per abbandono', 'durch Aufgabe'],
  [/^by captives behind a row of six points$/, 'con prigioniere dietro sei punte di fila', 'durch Gefangene hinter sechs Punkten in Reihe'],
  [/^because no die could be played$/, 'perché nessun dado si poteva giocare', 'weil kein Würfel zu spielen war'],
  [/^by twelve holes$/, 'con dodici buche', 'durch zwölf Löcher'],
  [/^drawn, for neither side could ever move$/, 'patta, nessuno poteva più muovere', 'unentschieden, denn niemand konnte mehr ziehen'],
];
const PARTS = [
  [/\(the only play\)/g, '(l’unica)', '(einziger Zug)'],
  [/\bbar \(marked\) (\d+)/g, 'barra (segnate) $1', 'Bar (markierte) $1'],
  [/\bmarked off (\d+)/g, 'segnate uscite $1', 'markierte draußen $1'],
  [/\bpips (\d+)/g, 'punti $1', 'Pips $1'],
  [/\bpoints (\d+)/g, 'punti $1', 'Punkte $1'],
  [/\bholes (\d+)/g, 'buche $1', 'Löcher $1'],
  [/\bhand\b/g, 'mano', 'Hand'],
  [/\bbar\b/g, 'barra', 'Bar'],
  [/\boff\b/g, 'fuori', 'raus'],
  [/\bfirst turn\b/g, 'primo turno', 'erster Zug'],
  [/\binterrupted\b/g, 'interrotto', 'unterbrochen'],
  [/\binherits\b/g, 'eredita', 'erbt'],
  [/\bwaits\b/g, 'aspetta', 'wartet'],
  [/\bhas lost\b/g, 'ha perso', 'hat verloren'],
  [/\bpass\b/g, 'passa', 'passt'],
  [/\bdecline\b/g, 'rifiuta', 'lehnt ab'],
  [/\bgo\b/g, 'va', 'geht'],
];

// What an analysis calls the actions of a decision on the cube or on a resignation.
const ACTIONS = [
  [/^no (re)?double$/, 'niente raddoppio', 'nicht verdoppeln'], [/^(re)?double$/, 'raddoppio', 'verdoppeln'],
  [/^take$/, 'accettare', 'annehmen'], [/^pass$/, 'rifiutare', 'ablehnen'], [/^beaver$/, 'beaver', 'Biber'],
  [/^play on$/, 'continuare', 'weiterspielen'], [/^resign$/, 'abbandonare', 'aufgeben'], [/^accept$/, 'accettare', 'annehmen'], [/^refuse$/, 'rifiutare', 'ablehnen'],
  [/^resign a single game$/, 'abbandonare (semplice)', 'einfach aufgeben'], [/^resign a (gammon|backgammon)$/, 'abbandonare ($1)', 'aufgeben ($1)'],
  [/^accept a (.+)$/, 'accettare ($1)', 'annehmen ($1)'], [/^refuse a (.+)$/, 'rifiutare ($1)', 'ablehnen ($1)'],
  [/^(no double|too good), (take|pass)$/, 'niente raddoppio', 'nicht verdoppeln'], [/^double, take$/, 'raddoppio, accettare', 'verdoppeln, annehmen'], [/^double, pass$/, 'raddoppio, rifiutare', 'verdoppeln, ablehnen'],
];
export function action(text) {
  const at = ['it', 'de'].indexOf(current()) + 1;
  const found = at ? ACTIONS.find(([words]) => words.test(text)) : null;
  return found ? text.replace(found[0], found[at]) : say(text);
}

// All that is said so, for a test that looks for what one language lacks.
export const ALL = [...PHRASES, ...PARTS, ...ACTIONS];

export function say(text) {
  const at = ['it', 'de'].indexOf(current()) + 1;
  if (at === 0) return text;
  for (const phrase of PHRASES) if (phrase[0].test(text)) return text.replace(phrase[0], phrase[at]);
  return PARTS.reduce((said, part) => said.replace(part[0], part[at]), text);
}
