import type { ChainEvent } from '../event/chainEvent.ts'
import { reduceEvent } from './reduceEvent.ts'
import type { ReadAsync } from './rowReader.ts'
import type { Change } from './rowWrite.ts'

/** `project` for rows that have to be waited for. */
export async function projectAsync(event: ChainEvent, read: ReadAsync): Promise<Change[]> {
  const asking = reduceEvent(event)
  let step = asking.next()
  while (!step.done) step = asking.next(await read(step.value.table, step.value.key))
  return step.value
}
