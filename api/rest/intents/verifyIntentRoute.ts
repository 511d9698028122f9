import { z } from '@hono/zod-openapi'
import { findChainId, findChainName } from '../../../core/chain/chainNames.ts'
import { findValidDelivery } from '../../../core/intent/findWinnersDelivery.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { chainIdInput, intentIdInput } from '../../http/valueSchemas.ts'
import { chainsToRead, type ReadContext, requireReady } from '../readContext.ts'
import { requireIntent } from '../requireIntent.ts'

const body = z
  .strictObject({
    intentId: intentIdInput,
    network: z
      .string()
      .min(1)
      .max(64)
      .openapi({ description: 'ChainId name.', example: 'base_sepolia' }),
    sourceChainId: chainIdInput.optional().openapi({
      type: 'string',
      example: '84532',
      description: 'Needed only if two chains have the same id.',
    }),
  })
  .openapi('VerifyRequest')

const answer = success({
  intentId: z.string(),
  network: z.string(),
  solved: z.boolean(),
}).openapi('VerifyAnswer')

/** `POST /verify`: whether an intent was delivered or settled on a chain. */
export function addVerifyIntentRoute(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'post',
    path: '/verify',
    tag: 'Intents',
    summary: 'Whether an intent was delivered or settled on a chain',
    description:
      'On the destination chain: whether the winner has delivered enough in time. On the source chain: whether the settlement has paid the winner. On any other chain: false. UNSUPPORTED_CHAIN if the destination chain isn’t configured here.',
    body,
    answer,
    failures: [404, 503],
    handler: async ({ intentId, network, sourceChainId }) => {
      const chainId = networkId(reads, network)
      const now = await chainsToRead(reads)
      const stored = await requireIntent(reads, now, { intentId, sourceChainId })
      requireReady(reads, now, chainId)
      requireFollowed(reads, stored, chainId)
      const name = reads.configured.find((chain) => chain.chainId === chainId)?.name
      return {
        intentId: String(intentId),
        network: name ?? findChainName(chainId) ?? network,
        solved: isSolvedOn(stored, chainId),
      }
    },
  })
}

function networkId({ configured }: ReadContext, network: string): number {
  const id = configured.find(({ name }) => name === network)?.chainId ?? findChainId(network)
  if (id === null)
    throw new BadRequestError(
      'no chain has this name: GET /chains lists those that are followed',
      'UNSUPPORTED_CHAIN',
    )
  return id
}

/** Whether there is a delivery on a chain that isn't indexed is unknown. */
function requireFollowed(reads: ReadContext, { source }: StoredIntent, chainId: number): void {
  if (chainId !== source.destChainId) return
  if (reads.configured.some((chain) => chain.chainId === chainId)) return
  throw new BadRequestError('the destination chain is not followed here', 'UNSUPPORTED_CHAIN')
}

function isSolvedOn(stored: StoredIntent, chainId: number): boolean {
  const { source } = stored
  if (chainId === source.destChainId) return findValidDelivery(stored) !== null
  return chainId === source.sourceChainId && source.phase === 'completed'
}
