import { erc20Abi } from 'viem'
import { imbalanceOf } from '../../core/order/amountsOf.ts'
import { ledgerOf, owedOf, type TokenLedger } from '../../core/order/vaultLedger.ts'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../src/order/facts.ts'
import { upperMedian } from '../chain/transactions/medians.ts'
import type { Followed } from './follow/followVault.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'

/** Orders whose record in the vault is compared with ours at each look. */
const COMPARED = 25

/** The ledger of a chain's vault. */
export type LedgerReport = {
  /** Block at which everything was read. */
  blockNumber: number
  tokens: TokenLedger[]
  /** Orders of which the vault has stored something else than its events say, or whose sums don't add up. */
  contradicted: Hex[]
}

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
): Promise<LedgerReport> {
  const blockNumber = BigInt(head.number)
  const orders = [...book.all()]
  const facts = orders.map((order) => order.facts)
  const owed = owedOf(facts, book.credits())
  const balances = new Map<Hex, bigint>()
  for (const token of owed.keys()) {
    const call = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
    const said = await chain.nodes.askAll(
      (client) => client.readContract({ ...call, args: [chain.vault], blockNumber }),
      String,
    )
    // Of two that differ the higher: a shortfall that is invented would stop every tranche.
    balances.set(token, upperMedian(said))
  }
  const tokens = ledgerOf(owed, balances)
  for (const ledger of tokens) halt(context, chain, ledger)
  const some = facts.slice(from, from + COMPARED)
  const records = await Promise.all(
    some.map(({ orderId }) =>
      chain.client.readContract({
        ...{ address: chain.vault, abi: orderVaultAbi, functionName: 'getOrder' },
        ...{ args: [orderId], blockNumber },
      }),
    ),
  )
  const contradicted = some
    .filter((one, at) => !isStoredSo(one, records[at]) || imbalanceOf(one) !== 0n)
    .map(({ orderId }) => orderId)
  return { blockNumber: head.number, tokens, contradicted }
}

type StoredOrder = { left: bigint; fired: bigint; closed: boolean }

/** Whether the vault has stored what its events say. */
function isStoredSo(facts: OrderFacts, stored: StoredOrder | undefined): boolean {
  return (
    stored?.left === facts.remaining &&
    Number(stored.fired) === facts.tranchesFired &&
    stored.closed === (facts.closeReason !== null)
  )
}

function halt(context: OrdersContext, chain: ServedChain, ledger: TokenLedger): void {
  const { token, difference } = ledger
  if (difference < 0n) {
    chain.halted.add(token)
    context.events.shortfall(chain.name, ledger)
  } else if (chain.halted.delete(token)) context.events.made(chain.name, token)
}
