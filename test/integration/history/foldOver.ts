import { expect } from 'vitest'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { RpcPoolEvent } from '../../../services/chain/rpcPool/rpcPoolEvent.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import type { FoldOptions } from '../../../services/indexer/fold/foldHistory.ts'
import type { PostgresUnderTest } from '../../postgresUnderTest.ts'
import { foldInto } from '../fold/foldInto.ts'
import { readProjections } from '../fold/ponderRun.ts'
import { registerSchema } from '../fold/registerSchema.ts'

const SCHEMA = 'cairn_84532_folded'

/**
 * Makes databases for `foldOver`. They are copies of one, since creating the tables takes most of a short fold's time.
 */
export function createDatabasesToFoldInto(postgres: PostgresUnderTest, chain: ChainConfig) {
  let databases = 0
  const original = postgres.createDatabase('original').then(async (databaseUrl) => {
    await registerSchema(databaseUrl, { schema: SCHEMA, chain })
  })
  return async () => {
    await original
    return postgres.createDatabase(`folded_${++databases}`, 'original')
  }
}

/** Folds a chain into one of these databases. @returns also which providers were quarantined, and all rows */
export async function foldOver(
  chain: ChainConfig,
  databaseUrl: string,
  options: Partial<FoldOptions> = {},
) {
  const events: RpcPoolEvent[] = []
  const rpc = createRpcPool({ ...chain, observe: (event) => events.push(event) })
  const target = { chain, databaseUrl, schema: SCHEMA }
  const result = await foldInto(target, { rpc, ...options })
  const quarantined = events.filter((event) => event.type === 'provider-quarantined')
  return { ...target, result, quarantined, rows: await readProjections(databaseUrl, target.schema) }
}

/** The expected report if only the provider at this position is quarantined. */
export const convicted = (place: number, why: string) => [
  { provider: expect.stringMatching(`#${place}$`), reason: expect.stringContaining(why) },
]
