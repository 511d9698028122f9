import { expect } from 'vitest'
import {
  type ChainStateHash,
  readStateHashes,
} from '../../../services/store/chains/readStateHashes.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { until } from '../../rig/until.ts'
import { hashEvents } from '../../unit/projection/model/hashEvents.ts'

/** The hash that the database keeps of a chain's rows is the one of the chain's events, folded. */
export async function expectStateHash(
  databaseUrl: string,
  chainId: number,
  events: ChainEvent[],
): Promise<void> {
  expect((await readKeptState(databaseUrl, chainId)).stateHash).toBe(hashEvents(events))
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
