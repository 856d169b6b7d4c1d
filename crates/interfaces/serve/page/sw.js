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

// A file that another program shares: it is laid where the page finds it.
async function receive(request) {
  const form = await request.formData(), file = form.get('file'), text = form.get('text') ?? form.get('url');
  const inbox = await caches.open('tavola-shared');
  if (file?.size) await inbox.put('shared', new Response(file, { headers: { 'x-name': encodeURIComponent(file.name) } }));
  else if (text) await inbox.put('shared', new Response(text));
  return Response.redirect('./', 303);
}

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'POST' && new URL(request.url).pathname.endsWith('/share')) { event.respondWith(receive(request)); return; }
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
