import type { Pool } from 'pg'
import { chainsOrNone } from '../../../services/store/chains/chainStateCache.ts'
import type { ChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import { type Reading, readingsPer } from '../../http/metrics.ts'
import type { ReadContext } from '../readContext.ts'
import { chainsHealth } from './chainHealth.ts'
import type { RpcHeads } from './rpcHeads.ts'

/** Metrics of the index, its caches and its database. */
export function createIndexMetrics(
  reads: ReadContext,
  rpc: RpcHeads,
  pool: Pool,
  feed: ChangeFeed,
): Reading[] {
  const chains = async () =>
    chainsHealth(reads.configured, await chainsOrNone(reads.chains).catch(() => null), rpc)
  const ofChain = readingsPer(chains, { chain: ({ name }) => name })
  const ofNode = readingsPer(() => rpc.nodes(), {
    chain: ({ chain }) => chain,
    node: ({ node }) => node,
  })
  const single = readingsPer(() => [reads.cache.statistics()], {})
  return [
    ofChain('cairn_chain_head_block', "Head block, according to the chain's nodes.", 'head'),
    ofNode('cairn_node_head_block', 'Head block of one node; 0 while it doesn’t answer.', 'head'),
    ofChain('cairn_chain_indexed_block', 'Last block in the index.', 'indexed'),
    ofChain('cairn_chain_lag_seconds', 'How far the index is behind its chain.', 'lagSeconds'),
    single('cairn_cache_hits_total', 'Records answered from the cache.', 'hits'),
    single('cairn_cache_misses_total', 'Records read from the database.', 'misses'),
    single('cairn_cache_intents', 'Records in memory.', 'size'),
    single('cairn_change_feed_connected', '1 while the change feed is connected.', () =>
      Number(feed.isConnected()),
    ),
    single('cairn_database_connections', 'Open connections of the pool.', () => pool.totalCount),
    single(
      'cairn_database_connections_idle',
      'Idle connections of the pool.',
      () => pool.idleCount,
    ),
    single('cairn_database_waiting', 'Queries waiting for a connection.', () => pool.waitingCount),
  ]
}
