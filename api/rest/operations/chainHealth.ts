import { z } from '@hono/zod-openapi'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { count } from '../../http/valueSchemas.ts'
import type { RpcHead, RpcHeads } from './rpcHeads.ts'

/** Seconds behind its chain above which an index counts as lagging. */
const LAGGING_AFTER = 30

const CHAIN_STATUSES = [
  'ok',
  'lagging',
  'stalled',
  'resuming',
  'backfilling',
  'rpc_unreachable',
  'unknown',
] as const

export const chainHealthSchema = z
  .object({
    name: z.string(),
    chainId: z.string(),
    head: count.nullable().describe("Head block, according to the chain's nodes."),
    indexed: count.nullable().describe('Last block in the index.'),
    lagSeconds: count
      .nullable()
      .describe('Block time of the head minus that of the last indexed block.'),
    status: z.enum(CHAIN_STATUSES),
    progress: z.number().optional().describe('Share of the first backfill that is done.'),
  })
  .openapi('ChainHealth')

type ChainHealth = z.infer<typeof chainHealthSchema>

/** Each configured chain's health. @param now null if the database can't be read */
export function chainsHealth(
  configured: readonly ChainConfig[],
  now: ChainsNow | null,
  rpc: RpcHeads,
): ChainHealth[] {
  return configured.map((chain) => chainHealth(chain, now, rpc.of(chain.chainId)))
}

function chainHealth({ name, chainId }: ChainConfig, now: ChainsNow | null, rpc: RpcHead) {
  const state = now?.ready.find((chain) => chain.chainId === chainId)
  const backfill = now?.backfilling.find((chain) => chain.chainId === chainId)
  const lagSeconds =
    state && rpc.timestamp !== null ? Math.max(0, rpc.timestamp - state.head.timestamp) : null
  const health: ChainHealth = {
    name,
    chainId: String(chainId),
    head: rpc.blockNumber,
    indexed: state?.head.blockNumber ?? null,
    lagSeconds,
    status: statusOf(state?.state ?? null, now !== null, rpc, lagSeconds),
  }
  return backfill ? { ...health, progress: backfill.progress } : health
}

function statusOf(
  state: 'live' | 'resuming' | null,
  databaseAnswers: boolean,
  rpc: RpcHead,
  lagSeconds: number | null,
): ChainHealth['status'] {
  if (!databaseAnswers) return 'unknown'
  if (!rpc.reachable) return 'rpc_unreachable'
  if (state === null) return 'backfilling'
  if (state === 'resuming') return 'resuming'
  if (lagSeconds !== null && lagSeconds > LAGGING_AFTER) return 'lagging'
  return rpc.stalled ? 'stalled' : 'ok'
}
