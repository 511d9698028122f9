import type pg from 'pg'
import { type Logger, pino } from 'pino'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import type { ChainStatus } from '../../../services/indexer/chainSupervision.ts'
import { type Indexer, startIndexer } from '../../../services/indexer/startIndexer.ts'
import { startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'
import type { BridgeChain } from './bridgePair.ts'

export type TestDatabase = { url: string; client: pg.Client; stop(): Promise<void> }

/** An empty database on its own server. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const server = await startPostgresUnderTest()
  const client = await server.connect()
  return {
    url: server.databaseUrl,
    client,
    stop: async () => {
      await server.stop()
    },
  }
}

/** The indexer as the `indexer` role runs it; by default its log goes to the terminal with LOG_LEVEL set. */
export function startTestIndexer(
  databaseUrl: string,
  chains: ChainConfig[],
  log: Logger = pino({ level: process.env.LOG_LEVEL ?? 'silent' }),
): Promise<Indexer> {
  return startIndexer({ chains, databaseUrl, log })
}

/** Resolves when a chain's status satisfies the condition. */
export function awaitStatus(
  indexer: Indexer,
  chainId: number,
  condition: (status: ChainStatus) => boolean,
): Promise<ChainStatus> {
  return new Promise((resolve) => {
    const check = (status: ChainStatus) => {
      if (status.chainId !== chainId || !condition(status)) return
      stopListening()
      resolve(status)
    }
    const stopListening = indexer.onStatus(check)
    indexer.statuses().forEach(check)
  })
}

/**
 * Resolves when a chain's index follows its head. Mines until then: a node announces new blocks
 * only, and these nodes have no clock of their own.
 */
export async function awaitLive(indexer: Indexer, chain: BridgeChain): Promise<void> {
  let isLive = false
  const live = awaitStatus(indexer, chain.chainId, ({ state }) => state === 'live').then(() => {
    isLive = true
  })
  while (!isLive) {
    await chain.client.mine({ blocks: 1 })
    await Promise.race([live, new Promise((resolve) => setTimeout(resolve, 250))])
  }
}

/** Resolves when readers see the chain's head, after mining one that is higher than any they saw. */
export async function awaitCaughtUp(client: pg.Client, chain: BridgeChain): Promise<void> {
  const clock = 'select block_number from cairn.chain_clock where chain_id = $1'
  const seen = await client.query(clock, [chain.chainId])
  const head = await chain.client.getBlockNumber()
  const behind = Number(seen.rows[0]?.block_number ?? 0) - Number(head)
  await chain.client.mine({ blocks: Math.max(behind, 0) + 1 })
  const requested = Number(await chain.client.getBlockNumber())
  await until(async () => {
    const { rows } = await client.query(clock, [chain.chainId])
    return Number(rows[0]?.block_number) === requested
  }, `${chain.name} indexed up to block ${requested}`)
}
