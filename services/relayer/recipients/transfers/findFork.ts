import type pg from 'pg'
import { askBlocks } from './askBlocks.ts'
import { readCheckpoints } from './readingPosition.ts'
import type { TransferContext } from './transferContext.ts'

/** Checkpoints that are compared in one exchange. */
const AT_ONCE = 50

/**
 * The highest checkpoint that is still on the chain; null when none is. Checkpoints above the head say
 * nothing and are passed over.
 */
export async function findFork(context: ForkContext): Promise<number | null> {
  const { chain, db } = context
  const checkpoints = await readCheckpoints(db, chain.chainId)
  for (let at = 0; at < checkpoints.length; at += AT_ONCE) {
    const some = checkpoints.slice(at, at + AT_ONCE)
    const blocks = await askBlocks(
      context,
      some.map(({ number }) => number),
    )
    const common = some.find(({ hash }, position) => blocks[position]?.hash === hash)
    if (common !== undefined) return common.number
  }
  return null
}

type ForkContext = Pick<TransferContext, 'pool' | 'chain' | 'settings'> & { db: pg.ClientBase }
