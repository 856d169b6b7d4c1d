// The files of each view that are not part of every one: those of the view that is asked for are fetched with the page.

export const FILES = {
  play: ['play.js', 'beside.js', 'form.js', 'moves.js', 'table.js'],
  analyze: ['analyze.js', 'moves.js', 'scores.js', 'table.js', 'texts-later.js'],
  match: ['match.js', 'mine.js', 'moves.js', 'result.js', 'scores.js', 'table.js', 'texts-later.js', 'watch.js'],
  drill: ['drill.js', 'moves.js', 'table.js', 'texts-later.js'],
  tables: ['play.js', 'old.js', 'assembly.js', 'beside.js', 'form.js', 'moves.js', 'round.js', 'table.js', 'tables.js', 'texts-games.js'],
  watch: ['watch.js', 'texts-later.js'],
  rules: ['rules.js', 'texts-games.js', 'texts-later.js'],
  join: ['online.js', 'texts-later.js'],
  later: ['card.js'],
};

for (const file of FILES[location.hash.split('/')[1]] ?? FILES.play) document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: file }));
