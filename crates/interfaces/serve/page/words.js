// What the engine says in English words, in the language of the page: turns of a log, notes beside a
// board, moves. Names of players are left as they are.

import { current, t } from './texts.js';

// Each with what it becomes in Italian and in German; the first that fits wins.
const PHRASES = [
  [/^rolls (.+)$/, 'tira $1', 'würfelt $1'],
  [/^doubles$/, 'raddoppia', 'verdoppelt'],
  [/^doubles \((.+)\)$/, 'raddoppia ($1)', 'verdoppelt ($1)'],
  [/^takes \((.+)\)$/, 'accetta ($1)', 'nimmt an ($1)'],
  [/^drops \((.+)\)$/, 'rifiuta ($1)', 'lehnt ab ($1)'],
  [/^beavers \((.+)\)$/, 'fa beaver ($1)', 'bibert ($1)'],
  [/^leaves it(?: \((.+)\))?$/, 'lascia stare', 'lässt es'],
  [/^gives an extra \((.+)\)$/, 'dà un extra ($1)', 'gibt ein Extra ($1)'],
  [/^claims the play, which is taken back$/, 'reclama la mossa, che è annullata', 'beanstandet den Zug, der zurückgeht'],
  [/^begins by the dice, (.+) in turn order$/, 'comincia per i dadi: $1 in ordine di turno', 'beginnt nach den Würfeln: $1 in der Reihenfolge'],
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
  [/^on time$/, 'per tempo scaduto', 'auf Zeit'],
  [/^by a drop$/, 'per raddoppio rifiutato', 'durch einen abgelehnten Doppler'],
  [/^by a resignation$/, 'per abbandono', 'durch Aufgabe'],
  [/^by captives behind a row of six points$/, 'con prigioniere dietro sei punte di fila', 'durch Gefangene hinter sechs Punkten in Reihe'],
  [/^because no die could be played$/, 'perché nessun dado si poteva giocare', 'weil kein Würfel zu spielen war'],
  [/^by twelve holes$/, 'con dodici buche', 'durch zwölf Löcher'],
  [/^(opponent )?(\+\d+): hit by (.+) on (\d+)$/, '$1$2: pedina battuta su $4 con $3', '$1$2: Stein auf $4 getroffen mit $3'],
  [/^opponent (\+\d+): false hit on (\d+)$/, 'avversario $1: colpo falso su $2', 'Gegner $1: falscher Treffer auf $2'],
  [/^opponent (\+\d+): (no die|not every die) can be played$/, 'avversario $1: dadi non giocabili', 'Gegner $1: nicht spielbare Würfel'],
  [/^(\+\d+): hit on the corner$/, '$1: angolo colpito', '$1: Ecke getroffen'],
  [/^(\+\d+): (petit jan|grand jan|jan de retour) filled in (\d+) ways$/, '$1: $2 riempito in $3 modi', '$1: $2 auf $3 Arten gefüllt'],
  [/^(\+\d+): (petit jan|grand jan|jan de retour) filled$/, '$1: $2 riempito', '$1: $2 gefüllt'],
  [/^(\+\d+): (petit jan|grand jan|jan de retour) kept$/, '$1: $2 conservato', '$1: $2 gehalten'],
  [/^(\+\d+): last checker off$/, '$1: ultima pedina uscita', '$1: letzter Stein draußen'],
  [/^opponent (\+\d+): (contre-jan .+)$/, 'avversario $1: $2', 'Gegner $1: $2'],
  [/^wins a hole$/, 'vince una buca', 'gewinnt ein Loch'],
  [/^wins (\d+) holes$/, 'vince $1 buche', 'gewinnt $1 Löcher'],
  [/^no die can be played$/, 'nessun dado è giocabile', 'kein Würfel ist spielbar'],
  [/^no checker can enter$/, 'nessuna pedina può entrare', 'kein Stein kommt herein'],
  [/^not every die can be played$/, 'non tutti i dadi sono giocabili', 'nicht jeder Würfel ist spielbar'],
  [/^a die of the first turn is lost on a closed point$/, 'un dado del primo turno è perso su una punta chiusa', 'ein Würfel des ersten Zugs verfällt auf einem gesperrten Punkt'],
  [/^at most two checkers may stand on 7 to 18$/, 'da 7 a 18 al massimo due pedine', 'auf 7 bis 18 höchstens zwei Steine'],
  [/^a double is up to four moves$/, 'un doppio vale fino a quattro mosse', 'ein Pasch sind bis zu vier Züge'],
  [/^rolls again after the double$/, 'tira di nuovo dopo il doppio', 'würfelt nach dem Pasch noch einmal'],
  [/^rolls again after three equal dice$/, 'tira di nuovo dopo tre dadi uguali', 'würfelt nach drei gleichen Würfeln noch einmal'],
  [/^checkers moved together$/, 'pedine mosse insieme', 'Steine zogen gemeinsam'],
  [/^goes away: all checkers return, and the points are lost$/, 'se ne va: tutte le pedine tornano e i punti sono persi', 'geht: alle Steine kehren zurück, die Punkte verfallen'],
  [/^the last checker is off: a new set begins$/, 'l’ultima pedina è uscita: comincia un nuovo giro', 'der letzte Stein ist draußen: ein neuer Satz beginnt'],
  [/^school: the opponent scores the difference$/, 'scuola: la differenza va all’avversario', 'Schule: der Unterschied geht an den Gegner'],
  [/^Barata: no checker can enter$/, 'Barata: nessuna pedina può entrare', 'Barata: kein Stein kommt herein'],
  [/^the own checkers close every entry point$/, 'le proprie pedine chiudono ogni punta d’entrata', 'die eigenen Steine sperren jeden Eingang'],
  [/^an unmarked checker is off and guards no more$/, 'una pedina non segnata è uscita e non protegge più', 'ein unmarkierter Stein ist draußen und schützt nicht mehr'],
  [/^points: (.+)$/, 'punti: $1', 'Punkte: $1'],
  [/^(.+) is captain now$/, '$1 ora è capitano', '$1 ist jetzt Kapitän'],
  [/^(.+) stays the box$/, '$1 resta il box', '$1 bleibt die Box'],
  [/^(.+) is the next box$/, 'il prossimo box è $1', '$1 ist die nächste Box'],
  [/^a checker of (\w+) is removed and has to enter again$/, 'una pedina di ‹$1› è tolta e deve rientrare', 'ein Stein von ‹$1› wird entfernt und muss neu hereinkommen'],
  [/^a checker of (\w+) is captured for good$/, 'una pedina di ‹$1› è catturata per sempre', 'ein Stein von ‹$1› ist für immer gefangen'],
  [/^(\w+) has no checkers left$/, '‹$1› non ha più pedine', '‹$1› hat keine Steine mehr'],
  [/^the start cell of (\w+) counts from now on$/, 'la casella di partenza di ‹$1› d’ora in poi conta', 'das Startfeld von ‹$1› zählt von nun an'],
  [/^(\w+) has won$/, '‹$1› ha vinto', '‹$1› hat gewonnen'],
  [/^dice are offered to the next player$/, 'i dadi sono offerti al prossimo giocatore', 'die Würfel werden dem nächsten Spieler angeboten'],
  [/^offered dice are played$/, 'gioca i dadi offerti', 'spielt die angebotenen Würfel'],
  [/^dice go to the opponent$/, 'i dadi passano all’avversario', 'Würfel gehen an den Gegner'],
  [/^inherited dice are played$/, 'gioca i dadi ereditati', 'spielt geerbte Würfel'],
  [/^inherited dice are declined$/, 'rifiuta i dadi ereditati', 'lehnt geerbte Würfel ab'],
  [/^drawn, for neither side could ever move$/, 'patta, nessuno poteva più muovere', 'unentschieden, denn niemand konnte mehr ziehen'],
];
const PARTS = [
  [/\(the only play\)/g, '(l’unica)', '(einziger Zug)'],
  [/\bbar \(marked\) (\d+)/g, 'barra (segnate) $1', 'Bar (markierte) $1'],
  [/\bmarked off (\d+)/g, 'segnate uscite $1', 'markierte draußen $1'],
  [/\bpips (\d+)/g, 'punti $1', 'Pips $1'],
  [/\bpoints (\d+)/g, 'punti $1', 'Punkte $1'],
  [/\bholes (\d+)/g, 'buche $1', 'Löcher $1'],
  [/^Opponent:/, 'Avversario:', 'Gegner:'],
  [/^On roll:/, 'Al tiro:', 'Am Wurf:'],
  [/\broll (\d)/, 'tiro $1', 'Wurf $1'],
  [/\bhits (\d+)$/, 'colpi $1', 'Treffer $1'],
  [/\bfilling (\d+)$/, 'riempimento $1', 'Füllung $1'],
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
  for (const phrase of PHRASES) if (phrase[0].test(text)) return text.replace(phrase[0], phrase[at]).replace(/‹(\w+)›/g, (_, name) => t(`seat_${name}`));
  return PARTS.reduce((said, part) => said.replace(part[0], part[at]), text);
}
