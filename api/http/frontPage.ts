import type { ApiContext } from './honoEnvironment.ts'

/** Paths worth knowing, and what is there. */
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

/** `GET /` for programs. Browsers get the explorer. */
export function answerFrontPage(c: ApiContext): Response {
  c.set('route', '/')
  return c.json({ success: true, service: 'cairn', places: PLACES })
}
