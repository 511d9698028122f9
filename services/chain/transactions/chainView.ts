import type { Address, PublicClient } from 'viem'
import { lowerMedian, upperMedian } from './medians.ts'
import type { PriorityFees } from './priorityFees.ts'
import type { ChainView } from './senderContext.ts'

/** What one provider says about its chain's latest block and about an account. */
export type ViewReport = {
  head: number
  blockGas: bigint
  baseFeePerGas: bigint
  /** Transactions of the account in blocks, and with those that wait for one. */
  next: number
  pending: number
  balance: bigint
}

/**
 * The chain by what its providers report. A minority of three or more decides nothing. Of two that differ, each value
 * is the one that costs less if it is the lie: a nonce too high leaves a gap, a balance too low stops everything.
 *
 * @param spent a number of transactions that the account has certainly sent: a provider that knows of fewer doesn't
 *   count while another knows of them
 */
export function chainView(
  reports: readonly ViewReport[],
  priorityFees: PriorityFees,
  spent = 0,
): ChainView {
  const each = <Key extends keyof ViewReport>(key: Key) => reports.map((report) => report[key])
  const recent = reports.filter(({ next }) => next >= spent)
  const counted = recent.length > 0 ? recent : reports
  return {
    head: lowerMedian(each('head')),
    newestHead: upperMedian(each('head')),
    next: lowerMedian(counted.map(({ next }) => next)),
    mostNext: upperMedian(each('next')),
    pending: lowerMedian(counted.map(({ pending }) => pending)),
    balance: upperMedian(each('balance')),
    blockGas: upperMedian(each('blockGas')),
    market: {
      baseFeePerGas: lowerMedian(each('baseFeePerGas')),
      baseFeeAtMost: upperMedian(each('baseFeePerGas')),
      priorityFees,
    },
  }
}

/** Asks one provider. @throws what keeps it from answering, TypeError at counts that are none */
export async function reportOf(
  client: Pick<PublicClient, 'getBlock' | 'getTransactionCount' | 'getBalance'>,
  address: Address,
): Promise<ViewReport> {
  const [block, next, pending, balance] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.getTransactionCount({ address, blockTag: 'latest' }),
    client.getTransactionCount({ address, blockTag: 'pending' }),
    client.getBalance({ address, blockTag: 'latest' }),
  ])
  const head = Number(block.number)
  if (![head, next, pending].every((count) => Number.isSafeInteger(count) && count >= 0))
    throw new TypeError('a node names a block or a nonce that is no number')
  const { gasLimit: blockGas, baseFeePerGas } = block
  return { head, blockGas, baseFeePerGas: baseFeePerGas ?? 0n, next, pending, balance }
}

/** What providers at the same block say alike, as long as none lies. */
export function wordOfView({ next, pending, balance }: ViewReport): string {
  return `${next} ${pending} ${balance}`
}
