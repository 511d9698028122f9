import { headerIn, headerRequest } from '../../../chain/history/headerRequest.ts'
import type { Header } from '../../../chain/history/rpcSchemas.ts'
import type { Block, TransferContext } from './transferContext.ts'

/** Blocks by number or name, all as one and the same node has them; null where it has none. */
export async function askBlocks(
  { pool, settings: { patienceMs } }: Pick<TransferContext, 'pool' | 'settings'>,
  blocks: readonly (number | 'latest')[],
): Promise<(Block | null)[]> {
  const { answers } = await pool.send(blocks.map(headerRequest), { patienceMs })
  return blocks.map((_, position) => {
    const header = headerIn(answers[position])
    return header && blockOf(header)
  })
}

export function blockOf({ number, hash, timestamp }: Header): Block {
  return { number, hash, time: timestamp }
}
