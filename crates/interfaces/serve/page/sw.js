// Keeps the files of the page on the device, so that it opens without a network; what the network has
// comes first. The engine of a server is never answered from here.

const CACHE = 'tavola';

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

const ours = (url) => url.origin === location.origin && !/\/(api|metrics|healthz|openapi\.json)/.test(url.pathname);

// What the page has loaded before this was there.
addEventListener('message', ({ data }) => {
  const files = data.keep.map((name) => new URL(name, location)).filter(ours);
  caches.open(CACHE).then(async (cache) => {
    for (const file of files) if (!await cache.match(file)) await cache.add(file).catch(() => {});
  });
});

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !ours(new URL(request.url))) return;
  event.respondWith(fetch(request).then((answer) => {
    const copy = answer.ok ? answer.clone() : null;
    if (copy) event.waitUntil(caches.open(CACHE).then((cache) => cache.put(request, copy)));
    return answer;
  }, async (error) => {
    const kept = await caches.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }));
});
