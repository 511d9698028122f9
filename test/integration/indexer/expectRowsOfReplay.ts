import { expect } from 'vitest'
import { type BridgeChain, readBridgeEvents } from './bridgePair.ts'
import { expectStateHash } from './expectStateHash.ts'
import { awaitCaughtUp, type TestDatabase } from './indexerUnderTest.ts'
import { readRows, replayRows } from './projectedRows.ts'

/** Waits until readers see a chain's head, and compares all its rows and its state hash with a replay's. */
export async function expectRowsOfReplay(
  database: TestDatabase,
  chain: BridgeChain,
): Promise<void> {
  await awaitCaughtUp(database.client, chain)
  const rows = await readRows(database.client, [chain.chainId])
  const events = await readBridgeEvents(chain)
  expect(rows).toEqual(replayRows(events))
  await expectStateHash(database.url, chain.chainId, events)
}
