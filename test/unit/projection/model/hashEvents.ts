import { computeStateHash } from '../../../../core/rows/stateHash.ts'
import type { ChainEvent } from '../../../../src/event/chainEvent.ts'
import { TABLE_NAMES } from '../../../../src/table/tableShapes.ts'
import { foldRows } from './foldRows.ts'

/** State hash of the rows that a chain's events fold to. */
export function hashEvents(events: ChainEvent[]): `0x${string}` {
  const store = foldRows(events)
  return computeStateHash(
    Object.fromEntries(TABLE_NAMES.map((table) => [table, store.rows(table)])),
  )
}
