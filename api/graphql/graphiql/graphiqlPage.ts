import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import { createStaticFile, type StaticFile } from '../../http/compression/staticFile.ts'
import { EXAMPLE_QUERIES } from './exampleQueries.ts'

/** The page is one file, so it may load nothing, and connect only to this server. */
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

/** Whether the request is a browser's, for a page. */
export function wantsPage({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept')?.includes('text/html') ?? false)
}

/** GraphiQL with our examples: 9 MB, a fifth of that compressed. Rendered at its first use. */
export function createGraphiqlPage(): StaticFile {
  return createStaticFile(
    {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-cache',
      vary: 'accept, accept-encoding',
    },
    render,
  )
}

/**
 * GraphiQL shifts a tab under the pressed button, as if it were being dragged, so that the click misses it. A tab can
 * still be dragged, but moves only at the end.
 */
const TABS_STAY = '<style>.graphiql-tab { transform: none !important }</style>'

function render(): Buffer<ArrayBuffer> {
  const html = renderGraphiQL({
    title: 'Cairn · GraphQL',
    endpoint: '/graphql',
    defaultTabs: EXAMPLE_QUERIES.map((query) => ({ query })),
    subscriptionsProtocol: 'GRAPHQL_SSE',
    schemaDescription: true,
    shouldPersistHeaders: false,
  })
  return Buffer.from(html.replace('</head>', `${TABS_STAY}</head>`))
}
