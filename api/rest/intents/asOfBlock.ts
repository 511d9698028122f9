import { z } from '@hono/zod-openapi'
import { findChainId } from '../../../core/chain/chainNames.ts'
import { findCandidatesAsOf } from '../../../services/store/asOf/loadIntentsAsOf.ts'
import type { AsOf, BlockRef } from '../../../services/store/asOf/resolveAsOf.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { chooseIntent } from '../../../services/store/intents/intentLookup.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { BadRequestError, NotFoundError } from '../../http/apiError.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import { chainId, count, LISTED, moment } from '../../http/valueSchemas.ts'
import type { ReadContext } from '../readContext.ts'
import { requireIntent } from '../requireIntent.ts'

/** Chains that one request may name. */
const MAX_CHAINS = 20

/** The requested blocks. One without a chain is of the request's own chain. */
export type AsOfInput = { chainId: number | null; blockNumber: number }[]

/** `asOfBlock`: `123`, or `base_sepolia:123,horizen_testnet:456`. */
export const asOfInput = z
  .string()
  .max(512)
  .transform((text, context): AsOfInput => {
    const parts = text.split(',').map(readPart)
    const read = parts.filter((part) => part !== null)
    if (read.length === parts.length && read.length <= MAX_CHAINS) return read
    const message = `expected a block number, or chain:block, several comma-separated; a chain is an id or a name, ${LISTED}`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
  .openapi({
    type: 'string',
    example: 'base_sepolia:1234567,horizen_testnet:7654321',
    description:
      'The state at the end of a block: one or more `chain:block`, comma-separated. A number alone is a block of the source chain. Other chains are read up to the time of the latest named block.',
  })

function readPart(text: string): AsOfInput[number] | null {
  const [, chain, block] = /^(?:([A-Za-z0-9_]{1,32}):)?([0-9]{1,15})$/.exec(text) ?? []
  if (block === undefined) return null
  if (chain === undefined) return { chainId: null, blockNumber: Number(block) }
  const id = /^[0-9]{1,15}$/.test(chain) ? Number(chain) : findChainId(chain)
  return id === null ? null : { chainId: id, blockNumber: Number(block) }
}

/** The requested blocks with their chains. @param defaultChain for a block without one */
export function requestedBlocks(input: AsOfInput, defaultChain: number | undefined): BlockRef[] {
  return input.map(({ chainId: id, blockNumber }) => {
    const chain = id ?? defaultChain
    if (chain !== undefined) return { chainId: chain, blockNumber }
    throw new BadRequestError(
      'invalid query: asOfBlock: name the chain, as chain:block, or give sourceChainId',
    )
  })
}

/**
 * The intent as of then. INTENT_NOT_FOUND for one that was created later has the block of its creation in its
 * details.
 */
export async function requireIntentAsOf(
  reads: ReadContext,
  now: ChainsNow,
  { intentId, sourceChainId }: { intentId: bigint; sourceChainId?: number | undefined },
  asOf: AsOf,
): Promise<StoredIntent> {
  const found = await findCandidatesAsOf(reads.db, intentId, asOf)
  const stored = chooseIntent(found, sourceChainId)
  if (stored) return stored
  const { source } = await requireIntent(reads, now, { intentId, sourceChainId })
  throw new NotFoundError('the intent did not exist yet', 'INTENT_NOT_FOUND', {
    createdBlock: source.createdBlock,
  })
}

/** How an answer describes the point in time that it is of. */
export const asOfSchema = z
  .array(
    z.object({
      chainId,
      blockNumber: count
        .nullable()
        .describe('The last block that was read. Null: everything up to the time.'),
      timestamp: moment.describe('The chain’s time at that point.'),
    }),
  )
  .openapi('AsOf', { description: 'How far each chain’s history was read.' })

export function renderAsOf({ cutoffs }: AsOf): z.infer<typeof asOfSchema> {
  return [...cutoffs]
    .sort(([a], [b]) => a - b)
    .map(([id, { blockNumber, timestamp }]) => {
      return { chainId: String(id), blockNumber, timestamp: toIsoTime(timestamp) }
    })
}
