// The engine in WebAssembly, on a thread of its own. The page sends calls; answers are JSON.

import init, { Engine } from './tavola.js';

const canceled = new Set();

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
    if (canceled.has(id)) break;
    answer = read(engine.answer('rollout', JSON.stringify({ ...fields, trials })));
    const best = answer.plays ? answer.plays[0] : answer;
    tell({ ...best, trials, best: best.play ?? null, equity: best.cubeful_equity ?? best.equity, equity_se: best.cubeful_equity_se ?? best.equity_se });
  }
  if (!answer) throw { kind: 'canceled', message: 'canceled' };
  return answer;
}

// The network of a game is a file of its own, fetched when the game is first played. What is loaded
// is told, as far as the length is known.
const networks = new Map();
function network(engine, game, tell) {
  if (!networks.has(game)) {
    networks.set(game, load(engine, game, tell).catch((error) => {
      networks.delete(game);
      throw error;
    }));
  }
  return networks.get(game);
}

// The network of a game, a file of the site; what was loaded once is kept, and looked after for the next time.
async function bytesOf(game, tell) {
  const file = `games/${game}.safetensors`;
  const url = new URL(file, import.meta.url).href;
  const missing = (why) => ({ kind: 'model', message: `the network of ${game} can't be loaded: ${file}: ${why}` });
  const cache = await globalThis.caches?.open('tavola').catch(() => null);
  const kept = await cache?.match(url);
  const same = (one, two) => ['etag', 'last-modified', 'content-length'].every((name) => one.headers.get(name) === two.headers.get(name));
  if (kept) fetch(url, { method: 'HEAD' }).then((now) => { if (now.ok && !same(now, kept)) return cache.delete(url); }, () => {});
  const answer = kept ?? await fetch(url).catch((error) => { throw missing(error.message); });
  if (!answer.ok) throw missing(`${answer.status} ${answer.statusText}`.trim());
  // A compressed file is longer than it says.
  const total = answer.headers.has('content-encoding') ? 0 : Number(answer.headers.get('content-length') ?? 0);
  const parts = [];
  let done = 0;
  const { headers } = answer, reader = answer.body.getReader();
  for (;;) {
    const { value, done: ended } = await reader.read().catch((error) => { throw missing(error.message); });
    if (ended) break;
    parts.push(value);
    done += value.length;
    tell({ done, total });
  }
  const whole = new Blob(parts), bytes = new Uint8Array(await whole.arrayBuffer());
  // Once it is known to be good.
  const keep = () => kept ? null : cache?.put(url, new Response(whole, { headers })).catch(() => {});
  tell({ done, total, ended: true });
  return { bytes, keep, missing };
}

async function load(engine, game, tell) {
  const { bytes, keep, missing } = await bytesOf(game, (loading) => tell({ game, ...loading }));
  try { read(engine.provide(bytes)); } catch (error) { throw missing(error.message); }
  keep();
}

// The network of the program, which answers from then on; what the engine is now.
async function strengthen(engine, tell) {
  const { bytes, keep, missing } = await bytesOf('backgammon', tell);
  let info;
  try { info = read(engine.strengthen(bytes)); } catch (error) { throw missing(error.message); }
  keep();
  return info;
}

const methods = {
  strengthen: (engine, _, __, tell) => strengthen(engine, tell),
  ask: (engine, _, [operation, fields]) => read(engine.answer(operation, JSON.stringify(fields))),
  begin: (engine, _, [setup]) => ({ id: key(), ...read(engine.begin(JSON.stringify(setup), seed())) }),
  state: (engine, _, [id, saved]) => ({ id, ...read(engine.state(saved)) }),
  act: (engine, _, [id, saved, action]) => ({ id, ...read(engine.act(saved, JSON.stringify(action))) }),
  hint: (engine, _, [saved]) => read(engine.hint(saved)),
  mistake: (engine, _, [saved, action]) => read(engine.mistake(saved, JSON.stringify(action))),
  record: (engine, _, [saved]) => read(engine.record(saved)).text,
  job: (engine, id, [fields], tell) => fields.op === 'rollout'
    ? rollout(engine, id, fields, tell) : read(engine.answer(fields.op, JSON.stringify(fields))),
  analyze: (engine, _, [bytes, ply], tell) => {
    globalThis.tavolaProgress = (done, total) => tell({ done, total });
    return read(engine.analyze(bytes, ply));
  },
  verify: (engine, _, [report, bytes], tell) => {
    globalThis.tavolaProgress = (done, total) => tell({ done, total });
    return read(engine.verify(report, bytes));
  },
};

try {
  await init();
  const engine = new Engine();
  const info = JSON.parse(engine.info());
  // The name of a game may have options behind it.
  const trained = (game) => info.trained.find((name) => name === String(game ?? '').split(':')[0]);
  onmessage = async ({ data }) => {
    if (data.cancel) { canceled.add(data.cancel); return; }
    const { id, method, args } = data;
    try {
      const game = trained(data.game);
      if (game) await network(engine, game, (loading) => postMessage({ id, loading }));
      const answer = await methods[method](engine, id, args ?? [], (progress) => postMessage({ id, progress }));
      postMessage({ id, answer });
    } catch (error) {
      postMessage({ id, error: error.kind ? error : { kind: 'internal', message: String(error.message ?? error) } });
    }
  };
  postMessage({ ready: info });
} catch (error) {
  postMessage({ error: { kind: 'internal', message: `the engine does not start: ${error.message ?? error}` } });
}
