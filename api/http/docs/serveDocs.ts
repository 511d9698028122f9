import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { App } from '../addEndpoint.ts'
import { isCompressible } from '../compression/encodings.ts'
import { type StaticFile, staticFile } from '../compression/staticFile.ts'
import { DOCS_PAGE, DOCS_POLICY, DOCS_SCRIPT } from './page.ts'

const TYPES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

/**
 * `/docs`: the OpenAPI document as a page, from files of this installation only.
 *
 * @returns those worth packing ahead
 */
export function serveDocs(app: App): StaticFile[] {
  app.get('/docs', (c) => {
    c.set('route', '/docs')
    // What the page loads, it names relative to the path without a slash.
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
    const file = staticFile(headers, () => readFile(assetPath(name)))
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
