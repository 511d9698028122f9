import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiEnv } from '../apiEnv.ts'
import { DOCS_PAGE, DOCS_POLICY, DOCS_SCRIPT } from './page.ts'

const TYPES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

/** `/docs`: the OpenAPI document as a page, from files of this installation only. */
export function serveDocs(app: OpenAPIHono<ApiEnv>): void {
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
  for (const [name, type] of Object.entries(TYPES)) {
    const content = once(() => readFile(assetPath(name)))
    app.get(`/docs/${name}`, async (c) => {
      c.set('route', '/docs')
      const bytes = new Uint8Array(await content())
      return c.body(bytes, 200, { 'content-type': type, 'cache-control': 'public, max-age=86400' })
    })
  }
}

function assetPath(name: string): string {
  return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
}

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | null = null
  return () => {
    loading ??= load().catch((error) => {
      loading = null
      throw error
    })
    return loading
  }
}
