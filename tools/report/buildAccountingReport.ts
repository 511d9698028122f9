import { createRpcPool } from '../../services/chain/rpcPool/rpcPool.ts'
import { createComparedNodes } from '../../services/indexer/history/comparedNodes.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ReplayChain } from '../replay/readTargets.ts'
import { type ReplayOutput, retryWhileChanging } from '../replay/retryWhileChanging.ts'
import { choosePeriod, type Period } from './choosePeriod.ts'
import { composeIntentRecords, type IntentRecord } from './composeIntentRecords.ts'
import { findBalanceMismatches, findUncheckedChains } from './findBalanceMismatches.ts'
import { findIntentChanges, type IntentChange } from './findIntentChanges.ts'
import type { ReportOptions } from './parseOptions.ts'
import { readTokenNames, type TokenNames } from './readTokenNames.ts'
import { type Book, replayPeriod } from './replayPeriod.ts'

/** The report of a period: composed from the chains' history and balances alone. */
export type Report = {
  books: readonly Book[]
  records: readonly IntentRecord[]
  changes: readonly IntentChange[]
  names: TokenNames
  faults: string[]
  unchecked: string[]
}

/** Reads the chains, one after another. */
export async function buildAccountingReport(
  chains: readonly ReplayChain[],
  options: Pick<ReportOptions, 'from' | 'to'>,
  output: ReplayOutput,
): Promise<Report> {
  const asked = chains.map((chain) => ({ chain, nodes: createComparedNodes(createRpcPool(chain)) }))
  const periods = await choosePeriod(asked, options)
  const books: Book[] = []
  for (const one of asked) {
    const period = periods.get(one.chain.name) as Period
    books.push(
      await retryWhileChanging(one.chain.name, output, () =>
        replayPeriod(one, period, output.progress),
      ),
    )
  }
  const records = composeIntentRecords(books)
  return {
    books,
    records,
    changes: findIntentChanges(records),
    names: await readTokenNames(asked, collectTokens(books, records)),
    faults: [...books.flatMap(({ omissions }) => omissions), ...findBalanceMismatches(books)],
    unchecked: findUncheckedChains(books),
  }
}

/** The report's tokens, by chain. */
function collectTokens(
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
