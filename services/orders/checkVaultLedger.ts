import { isHex, keccak256 } from 'viem'
import { buildVaultLedger, sumOwed, type TokenLedger } from '../../core/order/buildVaultLedger.ts'
import { calculateImbalance } from '../../core/order/calculateOrderAmounts.ts'
import { countFailuresInARow, FAILURES_IN_A_ROW } from '../../core/order/findTrancheFiringTime.ts'
import type { OrderState } from '../../core/order/orderState.ts'
import { PHASES } from '../../core/proof/storage/intentRecord.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../src/order/orderFacts.ts'
import { readTokenBalance } from '../chain/tokens/readTokenBalance.ts'
import { findMajority, findUpperMedian } from '../chain/transactions/medianAndMajority.ts'
import type { Db } from '../store/database/openDatabase.ts'
import type { VaultChain } from './chain/vaultChain.ts'
import type { FoldedOrders } from './follow/foldedOrders.ts'
import type { VaultSnapshot } from './follow/followVault.ts'
import { findCiphertext } from './follow/readCiphertext.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'
import { matchesRecord } from './vaultRecord.ts'

/** Orders compared with the vault's storage per check. */
export const COMPARED_ORDERS = 25

/** The ledger of a chain's vault. */
export type LedgerReport = Awaited<ReturnType<typeof checkVaultLedger>>

/**
 * Compares the orders folded from events with the vault's storage and balances at one block. A token with a shortfall is
 * halted until the vault holds enough again. A surplus halts nothing: anyone can send tokens.
 *
 * @param from index of the first order to compare with the vault's storage
 */
export async function checkVaultLedger(
  context: OrdersContext,
  chain: ServedChain,
  snapshot: VaultSnapshot,
  from: number,
) {
  const { head, compared, tokens } = await readConfirmedLedgers(chain, snapshot, from)
  const blockNumber = BigInt(head.number)
  for (const ledger of tokens) haltOnShortfall(context, chain, ledger)
  const matches = await Promise.all(
    compared.map(
      async (order) =>
        (await isCiphertextOwn(context.db, order)) &&
        (await matchesStorage(chain, order.facts, blockNumber)) &&
        hasFailedTranches(chain, order, blockNumber),
    ),
  )
  const contradicted = compared.filter((_, at) => !matches[at]).map(({ facts }) => facts.orderId)
  return {
    /** Block at which everything was read. */
    blockNumber: head.number,
    tokens,
    /** Orders whose stored record or failed tranches differ from their events, or whose amounts don't add up. */
    contradicted,
  }
}

/**
 * The ledgers, and the orders to compare. A shortfall counts if the latest snapshot shows it too: a reorg may have replaced the
 * block in between, and nodes that are about to add one have shown its balances as the latest's.
 */
async function readConfirmedLedgers(chain: ServedChain, snapshot: VaultSnapshot, from: number) {
  const read = async ({ book, head }: VaultSnapshot) => {
    // Before anything is awaited: as blocks become final, the book below changes.
    const compared = book.page(from, COMPARED_ORDERS)
    return { head, compared, tokens: await readTokenLedgers(chain, book, BigInt(head.number)) }
  }
  const first = await read(snapshot)
  const isShort = first.tokens.some(({ difference }) => difference < 0n)
  return isShort ? read(await chain.follower.refresh()) : first
}

/** Enclaves sign a ciphertext's tranches only for the order that is named by its hash. */
async function isCiphertextOwn(db: Db, order: OrderState): Promise<boolean> {
  const encrypted = await findCiphertext(db, order)
  return encrypted === null || (isHex(encrypted) && keccak256(encrypted) === order.facts.orderId)
}

/**
 * What a vault owes of each token by its events, and what it holds, at a block. Configured tokens that it holds are listed
 * even if no order of them was read.
 */
async function readTokenLedgers(
  { nodes, vault, config }: VaultChain,
  book: FoldedOrders,
  blockNumber: bigint,
): Promise<TokenLedger[]> {
  const owed = sumOwed(book.left(), book.credits())
  const balances = new Map<Hex, bigint>()
  const configured = Object.values(config.tokens ?? {}).map(
    (one) => one.address.toLowerCase() as Hex,
  )
  for (const token of new Set([...owed.keys(), ...configured])) {
    const answers = await nodes.queryAll(
      (client) => readTokenBalance(client, token, vault, blockNumber),
      String,
    )
    // In a tie the higher counts: a lying node could halt every tranche by inventing a shortfall.
    const balance = findUpperMedian(answers)
    if (balance > 0n || owed.has(token)) balances.set(token, balance)
  }
  return buildVaultLedger(owed, balances)
}

/**
 * Whether an order's stored record matches its events by most nodes, and its amounts add up. In a tie it does: a lying
 * node could have the history read again and again.
 */
async function matchesStorage(
  { nodes, vault }: VaultChain,
  facts: OrderFacts,
  blockNumber: bigint,
): Promise<boolean> {
  const answers = await nodes.queryAll(async (client) => {
    const stored = await client.readContract({
      address: vault,
      abi: orderVaultAbi,
      functionName: 'getOrder',
      args: [facts.orderId],
      blockNumber,
    })
    return matchesRecord(facts, stored)
  }, String)
  return (findMajority(answers, String) ?? true) && calculateImbalance(facts) === 0n
}

/** Failures in a row that are checked: after so many, the next tranche waits the longest. */
const CHECKED_FAILURES = 8

/** Whether the bridge has refunded the tranches for which an open order’s next one waits. In a tie it has. */
async function hasFailedTranches(
  { nodes, bridge }: VaultChain,
  order: OrderState,
  blockNumber: bigint,
): Promise<boolean> {
  const failures = countFailuresInARow(order)
  if (order.facts.closeReason !== null || failures < FAILURES_IN_A_ROW) return true
  const ended = order.tranches.filter(({ outcome }) => outcome !== 'open')
  const latest = ended.slice(-Math.min(failures, CHECKED_FAILURES))
  const answers = await nodes.queryAll(async (client) => {
    const at = { address: bridge, abi: bridgeIntentV2Abi, functionName: 'getIntent' } as const
    const intents = await Promise.all(
      latest.map(({ intentId }) => client.readContract({ ...at, args: [intentId], blockNumber })),
    )
    return intents.every(({ phase }) => PHASES[phase] === 'refunded')
  }, String)
  return findMajority(answers, String) ?? true
}

function haltOnShortfall(context: OrdersContext, chain: ServedChain, ledger: TokenLedger): void {
  const { token, difference } = ledger
  if (difference < 0n) {
    chain.halted.add(token)
    context.events.shortfall(chain.name, ledger)
  } else if (chain.halted.delete(token)) context.events.shortfallResolved(chain.name, token)
}
