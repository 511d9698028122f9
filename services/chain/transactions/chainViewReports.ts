import type { Address, PublicClient } from 'viem'
import { findLowerMedian, findUpperMedian } from './medianAndMajority.ts'
import type { PriorityFees } from './priorityFees.ts'
import { readBaseFee } from './readBaseFee.ts'
import type { ChainView } from './senderContext.ts'

/** One provider's view of the latest block and of an account. */
export type ViewReport = {
  head: number
  blockGas: bigint
  baseFeePerGas: bigint
  /** Number of the account's mined transactions, and of those including pending ones. */
  next: number
  pending: number
  balance: bigint
}

/**
 * Combines the providers' reports. A minority of three or more decides nothing. If two differ, it takes the value that
 * does less harm if it is false: a nonce too high leaves a gap, a balance too low stops everything.
 *
 * @param confirmedCount known number of confirmed transactions: providers that report fewer are ignored, unless most do
 * @param providers how many are configured
 */
export function combineViewReports(
  reports: readonly ViewReport[],
  priorityFees: PriorityFees,
  confirmedCount = 0,
  providers = reports.length,
): ChainView {
  const all = <Key extends keyof ViewReport>(key: Key) => reports.map((report) => report[key])
  const recent = reports.filter(({ next }) => next >= confirmedCount)
  // If most report fewer, the known number is false: a node invented it while it was the only one.
  const counted = 2 * recent.length >= reports.length ? recent : reports
  return {
    head: findLowerMedian(all('head')),
    newestHead: findUpperMedian(all('head')),
    next: findLowerMedian(counted.map(({ next }) => next)),
    highestNext: findUpperMedian(all('next')),
    pending: findLowerMedian(counted.map(({ pending }) => pending)),
    isByOne: counted.length === 1 && providers > 1,
    balance: findUpperMedian(all('balance')),
    blockGas: findUpperMedian(all('blockGas')),
    market: {
      baseFeePerGas: findLowerMedian(all('baseFeePerGas')),
      highestBaseFee: findUpperMedian(all('baseFeePerGas')),
      priorityFees,
    },
  }
}

/** Reads one provider's view. @throws its error, or TypeError if a number isn't one */
export async function readViewReport(
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
    throw new TypeError('a node’s block number or nonce is not a number')
  const { gasLimit: blockGas } = block
  // A missing limit can't be sorted among the others', so it would make their median useless.
  if (typeof blockGas !== 'bigint') throw new TypeError('a node’s block has no gas limit')
  return { head, blockGas, baseFeePerGas: readBaseFee(block), next, pending, balance }
}

/** Equal for honest providers at the same block. */
export function createViewKey({ next, pending, balance }: ViewReport): string {
  return `${next} ${pending} ${balance}`
}
