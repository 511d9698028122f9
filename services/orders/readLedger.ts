import { erc20Abi } from 'viem'
import { imbalanceOf } from '../../core/order/amountsOf.ts'
import { owedOf, type TokenLedger, vaultLedger } from '../../core/order/vaultLedger.ts'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../src/order/facts.ts'
import { upperMedian } from '../chain/transactions/agreement.ts'
import type { OrderChain } from './chain/orderChain.ts'
import type { Followed } from './follow/followVault.ts'
import type { OrderBook } from './follow/orderBook.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'

/** Orders whose record in the vault is compared with ours at each look. */
const COMPARED = 25

/** The ledger of a chain's vault. */
export type LedgerReport = Awaited<ReturnType<typeof readLedger>>

/**
 * Compares what a chain's events say of its orders with what its vault holds, at one block. A token with too
 * little is halted until there is enough again; too much means that somebody sent tokens, and does no harm.
 *
 * @param from where among the orders to go on comparing records
 */
export async function readLedger(
  context: OrdersContext,
  chain: ServedChain,
  { book, head }: Followed,
  from: number,
) {
  const blockNumber = BigInt(head.number)
  const facts = [...book.all()].map((order) => order.facts)
  const tokens = await tokenLedgers(chain, book, blockNumber)
  for (const ledger of tokens) halt(context, chain, ledger)
  const some = facts.slice(from, from + COMPARED)
  const answers = await Promise.all(some.map((one) => isStoredSo(chain, one, blockNumber)))
  const contradicted = some.filter((_, at) => !answers[at]).map(({ orderId }) => orderId)
  return {
    /** Block at which everything was read. */
    blockNumber: head.number,
    tokens,
    /** Orders of which the vault has stored something else than its events say, or whose sums don't add up. */
    contradicted,
  }
}

/** What a vault owes of each token, by its events, and holds of it, at a block. */
export async function tokenLedgers(
  { nodes, vault }: OrderChain,
  book: OrderBook,
  blockNumber: bigint,
): Promise<TokenLedger[]> {
  const facts = [...book.all()].map((order) => order.facts)
  const owed = owedOf(facts, book.credits())
  const balances = new Map<Hex, bigint>()
  for (const token of owed.keys()) {
    const call = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
    const said = await nodes.queryAll(
      (client) => client.readContract({ ...call, args: [vault], blockNumber }),
      String,
    )
    // Of two that differ the higher: a shortfall that is invented would stop every tranche.
    balances.set(token, upperMedian(said))
  }
  return vaultLedger(owed, balances)
}

/** Whether the vault has stored of an order what its events say, and its sums add up. */
export async function isStoredSo(
  { client, vault }: OrderChain,
  facts: OrderFacts,
  blockNumber: bigint,
): Promise<boolean> {
  const stored = await client.readContract({
    ...{ address: vault, abi: orderVaultAbi, functionName: 'getOrder', args: [facts.orderId] },
    blockNumber,
  })
  return (
    stored.left === facts.remaining &&
    Number(stored.fired) === facts.tranchesFired &&
    stored.closed === (facts.closeReason !== null) &&
    imbalanceOf(facts) === 0n
  )
}

function halt(context: OrdersContext, chain: ServedChain, ledger: TokenLedger): void {
  const { token, difference } = ledger
  if (difference < 0n) {
    chain.halted.add(token)
    context.events.shortfall(chain.name, ledger)
  } else if (chain.halted.delete(token)) context.events.made(chain.name, token)
}
