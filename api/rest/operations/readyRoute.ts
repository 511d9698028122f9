import { z } from '@hono/zod-openapi'
import { readChainStates } from '../../../services/store/chains/readChainStates.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { UnavailableError } from '../../http/apiError.ts'
import type { ReadContext } from '../readContext.ts'

const answer = success({
  ready: z.literal(true),
  chains: z.record(z.string(), z.enum(['ready', 'backfilling'])),
})

/** `GET /ready`: 503 until the database can be reached and a chain is indexed. */
export function addReadyRoute(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/ready',
    tag: 'Service',
    summary: 'Whether the service can answer requests',
    answer,
    failures: [503],
    handler: async () => {
      const states = await readChainStates(reads.db)
      const ready = new Set(states.ready.map(({ chainId }) => chainId))
      if (ready.size === 0) {
        throw new UnavailableError('no chain is indexed yet', 'INDEX_NOT_READY', 5)
      }
      const chains = reads.configured.map(({ name, chainId }) => [
        name,
        ready.has(chainId) ? 'ready' : 'backfilling',
      ])
      return { ready: true, chains: Object.fromEntries(chains) }
    },
  })
}
