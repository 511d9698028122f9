import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { App } from '../addEndpoint.ts'
import { isCompressible } from '../compression/encodings.ts'
import { createStaticFile, type StaticFile } from '../compression/staticFile.ts'

const TYPES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

/**
 * Serves `/docs`, swagger-ui for the OpenAPI document, from local files only.
 *
 * @returns the files worth compressing in advance
 */
export function serveDocs(app: App): StaticFile[] {
  app.get('/docs', (c) => {
    c.set('route', '/docs')
    // The page's links are relative to the path without a slash.
    if (new URL(c.req.url).pathname.endsWith('/')) return c.redirect('../docs', 308)
    const headers = {
      'content-security-policy': DOCS_POLICY,
      'cache-control': 'public, max-age=300',
    }
    return c.html(DOCS_PAGE, 200, headers)
  })
  app.get('/docs/start.js', (c) => {
    c.set('route', '/docs')
    return c.body(DOCS_SCRIPT, 200, { 'content-type': 'text/javascript; charset=utf-8' })
  })
  const files: StaticFile[] = []
  for (const [name, type] of Object.entries(TYPES)) {
    const headers = { 'content-type': type, 'cache-control': 'public, max-age=86400' }
    const file = createStaticFile(headers, () => readFile(assetPath(name)))
    app.get(`/docs/${name}`, (c) => {
      c.set('route', '/docs')
      return file.answer(c.req.raw)
    })
    if (isCompressible(type)) files.push(file)
  }
  return files
}

function assetPath(name: string): string {
  return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
}

/** The page around swagger-ui. It loads everything from this server. */
const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cairn REST API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="docs/favicon-32x32.png">
</head>
<body>
<div id="docs"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`

/** Starts swagger-ui without its validator badge, which would call a third-party server. */
const DOCS_SCRIPT = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
})
`

/** swagger-ui styles its elements inline and draws with data URLs. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
