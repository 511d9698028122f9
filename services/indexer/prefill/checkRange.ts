import { type BloomBits, bloomAdmits, bloomBits, isUnset } from './bloom.ts'
import type { RawBlock, RawLog, RawTransaction } from './ponderInternals.ts'

/** What one provider said doesn't hold together. */
export class InconsistentRangeError extends Error {
  override readonly name = 'InconsistentRangeError'
}

/**
 * Checks that logs, blocks and transactions agree: the same block hashes, each log's transaction at
 * its place, and each log's address and event admitted by its block's bloom.
 *
 * @throws InconsistentRangeError
 */
export function checkRange({
  logs,
  blocks,
  transactions,
}: {
  logs: readonly RawLog[]
  blocks: readonly RawBlock[]
  transactions: readonly RawTransaction[]
}): void {
  const blockOf = new Map(blocks.map((block) => [Number(block.number), block]))
  const transactionOf = new Map(transactions.map((transaction) => [transaction.hash, transaction]))
  const bits = new Map<string, BloomBits>()
  const bitsOf = (value: string) => {
    const known = bits.get(value) ?? bloomBits(value)
    bits.set(value, known)
    return known
  }
  for (const log of logs) {
    const where = `log ${Number(log.logIndex)} of block ${Number(log.blockNumber)}`
    const block = blockOf.get(Number(log.blockNumber))
    if (!block) throw new InconsistentRangeError(`${where}: no such block`)
    if (block.hash !== log.blockHash) {
      throw new InconsistentRangeError(
        `${where} names block ${log.blockHash}, its header is ${block.hash}`,
      )
    }
    const transaction = transactionOf.get(log.transactionHash)
    if (
      !transaction ||
      transaction.blockHash !== block.hash ||
      Number(transaction.transactionIndex) !== Number(log.transactionIndex)
    ) {
      throw new InconsistentRangeError(
        `${where}: its transaction ${log.transactionHash} is not in the block`,
      )
    }
    for (const value of [log.address, log.topics[0] ?? log.address]) {
      if (!isUnset(block.logsBloom) && !bloomAdmits(block.logsBloom, bitsOf(value))) {
        throw new InconsistentRangeError(`${where} is not in the block's bloom`)
      }
    }
  }
}
