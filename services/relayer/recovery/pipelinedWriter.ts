import type pg from 'pg'
import type { FoundDelivery } from '../recipients/recovery/writeDeliveries.ts'
import type { RecoveredRows } from './recoveredRows.ts'
import { writeRows } from './writeRows.ts'

/** Writes a chain's parts one after the other, each while the next is being opened. */
export type PipelinedWriter = {
  /**
   * Begins to write a part once the one before is written. Progress is noted with it: see `writeRows`.
   *
   * @throws what kept the part before from being written
   */
  begin(rows: RecoveredRows, nextBlock: number, deliveries: readonly FoundDelivery[]): Promise<void>
  /** Waits for the last part. @throws what kept it from being written */
  finish(): Promise<void>
}

export function createPipelinedWriter(client: pg.ClientBase, chainId: number): PipelinedWriter {
  let last: Promise<void> = Promise.resolve()
  return {
    async begin(rows, nextBlock, deliveries) {
      await last
      last = writeRows(client, chainId, rows, nextBlock, deliveries)
      // The next wait throws it; until then it must not count as unhandled.
      last.catch(() => {})
    },
    finish: () => last,
  }
}
