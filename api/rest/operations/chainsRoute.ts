import { z } from '@hono/zod-openapi'
import { chainsOrNone } from '../../../services/store/chains/chainStateCache.ts'
import { readStateHashes } from '../../../services/store/chains/readStateHashes.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import { address, count } from '../../http/valueSchemas.ts'
import type { ReadContext } from '../readContext.ts'
import { chainHealthSchema, chainsHealth } from './chainHealth.ts'
import type { RpcHeads } from './rpcHeads.ts'

const block = count.nullable()
const template = z.string().nullable()

const chainSchema = chainHealthSchema
  .extend({
    indexedAt: z.string().nullable().describe('Time of the newest indexed block.'),
    confirmations: count.describe('Blocks on top of a block after which its records are `safe`.'),
    safeBlock: block,
    finalizedBlock: block,
    stateHash: z.string().nullable().describe('A hash over all its rows.'),
    stateHashBlock: block,
    bridge: address,
    blockExplorer: z
      .object({ transaction: template, address: template, block: template })
      .nullable()
      .describe('URL templates with the placeholders {hash}, {address} and {number}.'),
  })
  .openapi('ChainRecord')

const answer = success({ chains: z.array(chainSchema) })

/** A chain in the answer of `GET /chains`. */
export type ChainRecord = z.infer<typeof chainSchema>

/** `GET /chains`: the state of each chain's index, and links to block explorers. */
export function addChainsRoute(app: App, reads: ReadContext, rpc: RpcHeads): void {
  addEndpoint(app, {
    method: 'get',
    path: '/chains',
    tag: 'Service',
    summary: 'Each chain’s head, lag, finality, state hash and block explorer',
    answer,
    failures: [503],
    handler: async () => ({ chains: await readChains(reads, rpc) }),
  })
}

/** The configured chains' current state. */
export async function readChains(reads: ReadContext, rpc: RpcHeads): Promise<ChainRecord[]> {
  const now = await chainsOrNone(reads.chains)
  const hashes = now.ready.length === 0 ? [] : await readStateHashes(reads.db)
  const healths = chainsHealth(reads.configured, now, rpc)
  return reads.configured.map((chain, index) => {
    const head = now.heads.get(chain.chainId)
    const hash = hashes.find(({ chainId }) => chainId === chain.chainId)
    const { transaction, address: account, block: page } = chain.blockExplorer ?? {}
    return {
      ...(healths[index] as (typeof healths)[number]),
      indexedAt: head ? toIsoTime(head.timestamp) : null,
      confirmations: chain.confirmations,
      safeBlock: head?.safeBlock ?? null,
      finalizedBlock: head?.finalizedBlock ?? null,
      stateHash: hash?.stateHash ?? null,
      stateHashBlock: hash?.stateHash ? hash.block.number : null,
      bridge: toChecksumAddress(chain.bridge.toLowerCase() as `0x${string}`),
      blockExplorer: chain.blockExplorer
        ? { transaction: transaction ?? null, address: account ?? null, block: page ?? null }
        : null,
    }
  })
}
