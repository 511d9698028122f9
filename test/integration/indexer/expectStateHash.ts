import { expect } from 'vitest'
import { computeStateHash } from '../../../core/rows/stateHash.ts'
import {
  type ChainStateHash,
  readStateHashes,
} from '../../../services/store/chains/readStateHashes.ts'
import { openDatabase } from '../../../services/store/database/database.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { TABLE_NAMES } from '../../../src/table/tableShapes.ts'
import { until } from '../../rig/until.ts'
import { foldRows } from '../../unit/projection/model/foldRows.ts'

/** The hash that the database keeps of a chain's rows is the one of the chain's events, folded. */
export async function expectStateHash(
  databaseUrl: string,
  chainId: number,
  events: ChainEvent[],
): Promise<void> {
  const store = foldRows(events)
  const rows = Object.fromEntries(TABLE_NAMES.map((table) => [table, store.rows(table)]))
  expect((await readKeptState(databaseUrl, chainId)).stateHash).toBe(computeStateHash(rows))
}

/** What the database keeps of a chain, once it has counted. */
export async function readKeptState(databaseUrl: string, chainId: number): Promise<ChainStateHash> {
  const { db, close } = openDatabase({ databaseUrl, connections: 1 })
  try {
    let kept: ChainStateHash | undefined
    await until(async () => {
      kept = (await readStateHashes(db)).find((chain) => chain.chainId === chainId)
      return kept !== undefined && kept.stateHash !== null
    }, `the state hash of chain ${chainId}`)
    return kept as ChainStateHash
  } finally {
    await close()
  }
}
