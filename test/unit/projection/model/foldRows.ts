import { InMemoryRowStore } from '../../../../core/rows/inMemoryRowStore.ts'
import type { ChainEvent } from '../../../../src/event/chainEvent.ts'

/** Rows that a history folds to. Every row is deep-frozen, so that a reducer that changed one would throw. */
export function foldRows(events: Iterable<ChainEvent>): InMemoryRowStore {
  const store = new InMemoryRowStore()
  for (const event of events) {
    for (const change of store.fold(event)) Object.freeze(change.row)
  }
  return store
}
