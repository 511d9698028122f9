import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { createStaticFile, type StaticFile } from '../http/compression/staticFile.ts'
import type { ApiEnv } from '../http/honoEnvironment.ts'

const TYPES = {
  'explorer.css': 'text/css; charset=utf-8',
  'explorer.js': 'text/javascript; charset=utf-8',
  'theme.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'bundled/proof.js': 'text/javascript; charset=utf-8',
  'bundled/wallet.js': 'text/javascript; charset=utf-8',
} as const

/** Serves the explorer's files from the repository; `npm run bundle:explorer` makes the `bundled` ones. */
export function serveExplorerAssets(app: OpenAPIHono<ApiEnv>): {
  files: StaticFile[]
  /** A file's path. It changes with the file's content, so browsers can cache it forever. */
  path: (name: string) => string
} {
  const paths = new Map<string, string>()
  const files = Object.entries(TYPES).map(([name, type]) => {
    const bytes = readFileSync(new URL(`assets/${name}`, import.meta.url))
    const version = createHash('sha256').update(bytes).digest('hex').slice(0, 10)
    const path = `/explorer/assets/${version}/${basename(name)}`
    paths.set(basename(name), path)
    const headers = {
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
    }
    const file = createStaticFile(headers, () => new Uint8Array(bytes))
    app.get(path, (c) => {
      c.set('route', '/explorer/assets')
      return file.answer(c.req.raw)
    })
    return file
  })
  return { files, path: (name) => paths.get(name) ?? '' }
}
