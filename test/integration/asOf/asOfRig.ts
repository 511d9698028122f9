import fc from 'fast-check'
import type pg from 'pg'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { createViews } from '../../../services/indexer/tables/createViews.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { TABLE_NAMES, TABLES } from '../../../src/table/tableShapes.ts'
import { createChainTables, setChainClock } from '../../../tools/seed/createChainTables.ts'
import { startPostgresUnderTest } from '../../postgresUnderTest.ts'
import type { ModelChain } from '../../unit/projection/model/chainModel.ts'
import { foldRows } from '../../unit/projection/model/foldRows.ts'
import { anyWorld, CHAIN_A, CHAIN_B } from '../../unit/projection/model/randomHistory.ts'
import { startModelNode } from '../../unit/replay/modelNode.ts'

/** Blocks on top of the last step of the history. */
const BEYOND = 500

export type PastChain = { config: ChainConfig; head: { number: number; timestamp: number } }

/** A random history of two bridges: nodes that serve it, a database that holds it, and the API over that. */
export type PastRig = {
  chains: [PastChain, PastChain]
  databaseUrl: string
  api: RunningApi
  /** What the operator would be told of. */
  problems: unknown[]
  stop(): Promise<void>
}

export async function startPastRig(options: { steps: number; seed: number }): Promise<PastRig> {
  const { steps, seed } = options
  const world = fc.sample(anyWorld(steps), { seed, numRuns: 1 })[0]!
  const postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await migrate(databaseUrl)
  const client = await postgres.connect()
  const first = await addChain(client, world.a, 'base_sepolia')
  const second = await addChain(client, world.b, 'horizen_testnet')
  await createViews(client, [
    { chainId: CHAIN_A, schema: schemaOf(CHAIN_A) },
    { chainId: CHAIN_B, schema: schemaOf(CHAIN_B) },
  ])
  await client.query('analyze')
  const problems: unknown[] = []
  const api = await startApi({
    databaseUrl,
    chains: [first.config, second.config],
    host: '127.0.0.1',
    port: 0,
    routes: [createGraphqlRoutes({ onProblem: (problem) => problems.push(problem) })],
    limits: {
      reads: { perSecond: 100_000, burst: 100_000 },
      writes: { perSecond: 1, burst: 1 },
    },
    asOfLimits: { perSecond: 100_000, burst: 100_000 },
    onFailure: (failure) => problems.push(failure),
  })
  return {
    chains: [first, second],
    databaseUrl,
    api,
    problems,
    stop: async () => {
      await api.stop()
      await Promise.all([first.stop(), second.stop(), postgres.stop()])
    },
  }
}

function schemaOf(chainId: number): string {
  return `cairn_${chainId}_past`
}

async function addChain(client: pg.Client, chain: ModelChain, name: string) {
  const { chainId, events, bridge, vault } = chain
  const last = events.at(-1)!.point
  const head = {
    number: last.blockNumber + BEYOND,
    timestamp: last.blockTimestamp + BEYOND,
  }
  const node = await startModelNode(chainId, events, head.number)
  const config: ChainConfig = {
    name,
    chainId,
    rpcUrls: [node.url],
    bridge,
    vault,
    startBlock: events[0]!.point.blockNumber,
    confirmations: 5,
  }
  const schema = schemaOf(chainId)
  await createChainTables(client, { chainId, chainName: name, schema })
  const store = foldRows(events)
  for (const table of TABLE_NAMES) {
    const rows = store.rows(table).map((row) => toJson(row as object))
    await client.query(
      `insert into "${schema}"."${TABLES[table].sqlName}"
       select * from json_populate_recordset(null::"${schema}"."${TABLES[table].sqlName}", $1)`,
      [JSON.stringify(rows)],
    )
  }
  await setChainClock(client, schema, {
    chainId,
    chainName: name,
    blockNumber: head.number,
    timestamp: head.timestamp,
    finalizedBlock: last.blockNumber - 50,
  })
  return { config, head, stop: () => node.stop() }
}

function toJson(row: object): Record<string, unknown> {
  const columns = Object.entries(row).map(([name, value]) => {
    return [toColumnName(name), typeof value === 'bigint' ? value.toString() : value]
  })
  return Object.fromEntries(columns)
}
