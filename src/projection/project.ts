import type { ChainEvent } from '../event/chainEvent.ts'
import { reduceEvent } from './reduceEvent.ts'
import type { Read } from './rowReader.ts'
import type { Change } from './rowWrite.ts'

/**
 * The rows that one event writes, given the rows there are: the one reducer of indexer, replay and
 * tests (this form for rows in memory, `projectAsync` for rows in a database).
 *
 * A chain's events must come in the chain's order; each reads and writes rows of its own chain only.
 * What `read` returns is never changed. Changes are in the order in which they must be written, no
 * row twice. Throws a ProjectionError when the history has a hole.
 */
export function project(event: ChainEvent, read: Read): Change[] {
  return reduceEvent(read, event)
}
