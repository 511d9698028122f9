import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import { EXAMPLES } from './examples.ts'

/** The page is all in one: it may load nothing, and talk to nobody but us. */
const POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  'worker-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Whether a browser is asking for a page rather than a program for data. */
export function wantsPage({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept')?.includes('text/html') ?? false)
}

/** GraphiQL with our examples, made at its first use: 9 MB, about a quarter of it compressed. */
export function createGraphiqlPage(): (request: Request) => Response {
  let page: { plain: Buffer<ArrayBuffer>; compressed: Buffer<ArrayBuffer>; etag: string } | null =
    null
  return ({ headers }) => {
    page ??= render()
    const common = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-cache',
      vary: 'accept, accept-encoding',
      etag: page.etag,
    }
    if (headers.get('if-none-match') === page.etag) {
      return new Response(null, { status: 304, headers: common })
    }
    if (!headers.get('accept-encoding')?.includes('gzip')) {
      return new Response(page.plain, { headers: common })
    }
    return new Response(page.compressed, { headers: { ...common, 'content-encoding': 'gzip' } })
  }
}

function render() {
  const html = renderGraphiQL({
    title: 'Cairn · GraphQL',
    endpoint: '/graphql',
    defaultTabs: EXAMPLES.map(({ query }) => ({ query })),
    subscriptionsProtocol: 'GRAPHQL_SSE',
    schemaDescription: true,
    shouldPersistHeaders: false,
  })
  const plain = Buffer.from(html)
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return { plain, compressed: gzipSync(plain), etag: `W/"${digest}"` }
}
