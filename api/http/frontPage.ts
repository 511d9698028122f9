import type { ApiContext } from './apiEnv.ts'

/** Links to the endpoints. */
const PLACES = {
  '/docs': 'REST, browsable',
  '/openapi.json': 'REST, as OpenAPI 3.1',
  '/graphql': 'GraphQL playground',
  '/health': 'which chains are indexed, and how far',
  '/chains': 'the chains, and where to look at them',
  '/tokens': 'symbols, decimals and limits of tokens',
  '/intents': 'the newest intents',
  '/batches': 'open auctions',
  '/metrics': 'for Prometheus',
}

/** The answer to `GET /` for programs. People get the explorer. */
export function frontPage(c: ApiContext): Response {
  c.set('route', '/')
  return c.json({ success: true, service: 'cairn', places: PLACES })
}
