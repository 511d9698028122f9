import type { ApiContext } from './apiEnv.ts'

/** Where to go from here: for people a page, for programs the same as JSON. */
const PLACES = [
  ['docs', 'REST, browsable'],
  ['openapi.json', 'REST, as OpenAPI 3.1'],
  ['graphql', 'GraphQL playground'],
  ['health', 'which chains are indexed, and how far'],
  ['intents', 'the newest intents'],
  ['batches', 'open auctions'],
  ['metrics', 'for Prometheus'],
] as const

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** The answer to `GET /`. */
export function frontPage(c: ApiContext): Response {
  c.set('route', '/')
  if (!c.req.header('accept')?.includes('text/html')) {
    const places = Object.fromEntries(PLACES.map(([path, what]) => [`/${path}`, what]))
    return c.json({ success: true, service: 'cairn', places })
  }
  return c.html(PAGE, 200, { 'content-security-policy': POLICY })
}

const ROWS = PLACES.map(([path, what]) => `<li><a href="${path}">/${path}</a> ${what}</li>`)

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
a { font-family: ui-monospace, monospace; display: inline-block; min-width: 9rem }
ul { list-style: none; padding: 0 }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd } a { color: #8cf } }
</style>
</head>
<body>
<h1>Cairn</h1>
<p>The state of confidential cross-chain intents, folded from chain history.</p>
<ul>
${ROWS.join('\n')}
</ul>
</body>
</html>
`
