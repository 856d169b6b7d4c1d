// The engine in WebAssembly, on a thread of its own. The page sends calls; answers are JSON.

import init, { Engine } from './tavola.js';

const cancelled = new Set();

// A short rest, so that a message that cancels can arrive.
const rest = () => new Promise((done) => { setTimeout(done, 0); });

function read(text) {
  const answer = JSON.parse(text);
  if (answer && answer.error) throw answer.error;
  return answer;
}

const seed = () => crypto.getRandomValues(new Uint32Array(1))[0];
const key = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

// Rollouts in parts that each resume the one before would be one long call; so they are asked in
// growing numbers of games of the same seed, and each answer is shown.
async function rollout(engine, id, fields, tell) {
  const all = fields.trials ?? 1296;
  let answer = null;
  for (const trials of [36, 108, 324, 648, 1296].filter((count) => count < all).concat(all)) {
    await rest();
    if (cancelled.has(id)) break;
    answer = read(engine.answer('rollout', JSON.stringify({ ...fields, trials })));
    const best = answer.plays ? answer.plays[0] : answer;
    tell({ trials, best: best.play ?? null, equity: best.cubeful_equity ?? best.equity, equity_se: best.cubeful_equity_se ?? best.equity_se });
  }
  if (!answer) throw { kind: 'cancelled', message: 'cancelled' };
  return answer;
}

const methods = {
  ask: (engine, _, [operation, fields]) => read(engine.answer(operation, JSON.stringify(fields))),
  newMatch: (engine, _, [setup]) => ({ id: key(), ...read(engine.new_match(JSON.stringify(setup), seed())) }),
  match: (engine, _, [id, saved]) => ({ id, ...read(engine.match_state(saved)) }),
  act: (engine, _, [id, saved, action]) => ({ id, ...read(engine.act(saved, JSON.stringify(action))) }),
  hint: (engine, _, [saved]) => read(engine.hint(saved)),
  mistake: (engine, _, [saved, action]) => read(engine.mistake(saved, JSON.stringify(action))),
  newTables: (engine, _, [setup]) => ({ id: key(), ...read(engine.new_tables(JSON.stringify(setup), seed())) }),
  tables: (engine, _, [id, saved]) => ({ id, ...read(engine.tables_state(saved)) }),
  actTables: (engine, _, [id, saved, action]) => ({ id, ...read(engine.act_tables(saved, JSON.stringify(action))) }),
  hintTables: (engine, _, [saved]) => read(engine.hint_tables(saved)),
  record: (engine, _, [saved]) => read(engine.record(saved)).text,
  job: (engine, id, [fields], tell) => fields.op === 'rollout'
    ? rollout(engine, id, fields, tell) : read(engine.answer(fields.op, JSON.stringify(fields))),
  analyse: (engine, _, [bytes, ply], tell) => {
    globalThis.tavolaProgress = (done, total) => tell({ done, total });
    return read(engine.analyse(bytes, ply));
  },
};

try {
  await init();
  const engine = new Engine();
  onmessage = async ({ data }) => {
    if (data.cancel) { cancelled.add(data.cancel); return; }
    const { id, method, args } = data;
    try {
      const answer = await methods[method](engine, id, args, (progress) => postMessage({ id, progress }));
      postMessage({ id, answer });
    } catch (error) {
      postMessage({ id, error: error.kind ? error : { kind: 'internal', message: String(error.message ?? error) } });
    }
  };
  postMessage({ ready: JSON.parse(engine.info()) });
} catch (error) {
  postMessage({ error: { kind: 'internal', message: `the engine does not start: ${error.message ?? error}` } });
}
