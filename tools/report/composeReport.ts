import { createRpcPool } from '../../services/chain/rpcPool/rpcPool.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ReplayChain } from '../replay/readTargets.ts'
import { type ReplayOutput, retryWhileChanging } from '../replay/retryWhileChanging.ts'
import { choosePeriod, type Period } from './choosePeriod.ts'
import { changesOf, type IntentChange } from './intentChanges.ts'
import { type IntentRecord, intentRecords } from './intentRecords.ts'
import { type Book, keepBook } from './keepBook.ts'
import type { ReportOptions } from './parseOptions.ts'
import { faultsOf, uncheckedChains } from './statementFaults.ts'
import { type TokenNames, tokenNames } from './tokenNames.ts'

/** A period of some chains, from their history and their nodes' balances alone. */
export type Report = {
  books: readonly Book[]
  records: readonly IntentRecord[]
  changes: readonly IntentChange[]
  names: TokenNames
  faults: string[]
  unchecked: string[]
}

/** Reads the chains, one after another. */
export async function composeReport(
  chains: readonly ReplayChain[],
  options: Pick<ReportOptions, 'from' | 'to'>,
  output: ReplayOutput,
): Promise<Report> {
  const asked = chains.map((chain) => ({ chain, pool: createRpcPool(chain) }))
  const periods = await choosePeriod(asked, options)
  const books: Book[] = []
  for (const one of asked) {
    const period = periods.get(one.chain.name) as Period
    books.push(
      await retryWhileChanging(one.chain.name, output, () =>
        keepBook(one, period, output.progress),
      ),
    )
  }
  const records = intentRecords(books)
  return {
    ...{ books, records, changes: changesOf(records) },
    names: await tokenNames(asked, tokensOf(books, records)),
    ...{ faults: faultsOf(books), unchecked: uncheckedChains(books) },
  }
}

/** Every token that the report names, by chain. */
function tokensOf(
  books: readonly Book[],
  records: readonly IntentRecord[],
): Map<number, ReadonlySet<Hex>> {
  const tokens = new Map(books.map(({ chain }) => [chain.chainId, new Set<Hex>()]))
  for (const { chain, statements } of books)
    for (const { token } of statements) tokens.get(chain.chainId)?.add(token)
  for (const { after, delivery } of records) {
    tokens.get(after.sourceChainId)?.add(after.tokenA)
    if (delivery) tokens.get(delivery.destChainId)?.add(delivery.tokenB)
  }
  return tokens
}
