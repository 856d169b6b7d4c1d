#!/usr/bin/env node
// How long clients wait for a 0-ply decision while others ask too.
//   scripts/load-test.mjs URL [CLIENTS] [SECONDS] [PAUSE]     default: 200 clients, 10 s, 500 ms
// Each client asks, waits for the answer, pauses, asks again; exit code 1 if one is refused.

import { Agent, request } from 'node:http';

const [url, clients = '200', seconds = '10', pause = '500'] = process.argv.slice(2);
if (!url) {
  console.error('expected the address of a server, such as http://127.0.0.1:8080/');
  process.exit(2);
}
const target = new URL('api/v1/best', url);
const agent = new Agent({ keepAlive: true, maxSockets: Number(clients) });
const body = JSON.stringify({ position: 'start', dice: [3, 1], ply: 0, top: 1 });
const times = [];
let refused = 0;

const ask = () => new Promise((done) => {
  const began = performance.now();
  const asked = request(target, { method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': body.length } }, (answer) => {
    answer.resume();
    answer.on('end', () => {
      if (answer.statusCode === 200) times.push(performance.now() - began);
      else refused += 1;
      done();
    });
  });
  asked.on('error', () => { refused += 1; done(); });
  asked.end(body);
});

const end = performance.now() + 1000 * Number(seconds);
const rest = (time) => new Promise((done) => { setTimeout(done, time); });
async function client() {
  await rest(Math.random() * Number(pause));
  while (performance.now() < end) {
    await ask();
    await rest(Number(pause));
  }
}

await Promise.all(Array.from({ length: Number(clients) }, client));
agent.destroy();
times.sort((one, two) => one - two);
const at = (part) => times[Math.floor(part * (times.length - 1))]?.toFixed(1);
console.log(`${clients} clients, ${times.length} answers, ${refused} refused; ms: median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)}`);
process.exit(refused > 0 ? 1 : 0);
