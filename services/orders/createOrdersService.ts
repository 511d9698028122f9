import type { Address } from 'viem'
import { parseOrderId } from '../../core/order/apiOrderId.ts'
import type { OrderState } from '../../core/order/orderState.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { cachedFor } from '../store/cache/staleWhileRevalidate.ts'
import { readClockProblem } from '../store/database/readClockProblem.ts'
import { describeOrder } from './describeOrder.ts'
import { cancelOrder } from './execution/cancelOrder.ts'
import { fundOrder } from './execution/fundOrder.ts'
import { signUnsponsoredTranche } from './execution/signUnsponsoredTranche.ts'
import { throwEnclaveProblem } from './execution/throwEnclaveProblem.ts'
import type { FoldedOrders } from './follow/foldedOrders.ts'
import { readCiphertext } from './follow/readCiphertext.ts'
import { OrderError } from './orderError.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'
import type { OrdersService } from './ordersServiceTypes.ts'
import { findStuckOrders, reportChain, timeOf } from './reportChain.ts'
import type { ChainWork } from './startOrders.ts'

const WRONG_CLOCK_HARM =
  'the order service refuses orders (CLOCKS_DIFFER) if its clock is minutes off'

/** Anyone can ask for the health and metrics as often as he likes, and each report asks the chains' nodes. */
const REPORT_LIFE_MS = 1_000

type Found = { chain: ServedChain; order: OrderState }

/** Serves the API from the folded orders. */
export function createOrdersService(
  context: OrdersContext,
  works: readonly ChainWork[],
  vault: Address,
): Omit<OrdersService, 'unserved'> {
  const find = (id: string): Found | null => findOrder(context, id)
  const describe = ({ chain, order }: Found) => describeOrder(chain, order, timeOf(context, chain))
  const report = cachedFor(REPORT_LIFE_MS, () =>
    Promise.all(works.map((work) => reportChain(context, work))),
  )
  return {
    publicKey: async () => {
      const { eciesPublicKey, signer, signature } = await context.enclaves[0].orderKeys()
      return {
        publicKey: eciesPublicKey as Hex,
        signer: signer as Hex,
        signature: signature as Hex,
      }
    },
    vault,
    account: context.account,
    timeoutMs: context.settings.timeoutMs,
    place: async (submitted) => describe(await fundOrder(context, submitted)),
    async cancel(id, claim) {
      const found = find(id)
      if (found === null) return null
      const order = await cancelOrder(context, found.chain, found.order, claim)
      return describe({ ...found, order })
    },
    find(id) {
      const found = find(id)
      return found && describe(found)
    },
    async readSecrets(id, claim) {
      const found = find(id)
      if (found === null) throw new OrderError('ORDER_NOT_FOUND', 'there is no such order')
      const encrypted = await readCiphertext(context.db, found.order)
      const request = { sourceChainId: found.chain.chainId, encrypted, ...claim }
      const read = await context.enclaves[0].readOrder(request).catch(throwEnclaveProblem)
      return { recipients: read.recipients as Hex[], amounts: read.amounts }
    },
    async waitingTranche(id) {
      const found = find(id)
      return found && signUnsponsoredTranche(context, found.chain, found.order)
    },
    list(user, { limit, cursor }) {
      const owned = [...context.chains.values()].flatMap((chain) => {
        const book = chain.follower.latest()?.book
        return book === undefined ? [] : [{ chain, book, ids: book.ofOwner(user) }]
      })
      const found = owned.flatMap((one) => findNewest(one, limit + 1, cursor)).sort(byAge)
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return {
        orders: page.map(describe),
        total: owned.reduce((sum, { ids }) => sum + ids.length, 0),
        nextCursor: found.length > limit && last ? keyOf(last.order) : null,
      }
    },
    isReady: () => works.every(({ chain }) => chain.follower.latest() !== null),
    clockProblem: () =>
      readClockProblem(context.db, 'the order service’s', WRONG_CLOCK_HARM).catch(() => null),
    report,
    stuck: () => works.flatMap((work) => findStuckOrders(work.chain)),
    networks: works.map(({ chain: { name, chainId } }) => ({ name, chainId })),
  }
}

/** Finds an order by the API's id or the vault's. */
function findOrder(context: OrdersContext, id: string): Found | null {
  const range = parseOrderId(id)
  if (range === null) return null
  for (const chain of context.chains.values()) {
    const book = chain.follower.latest()?.book
    if (book === undefined) continue
    const order = range.from === range.to ? book.find(range.from) : book.findByPrefix(range.from)
    if (order !== null) return { chain, order }
  }
  return null
}

type Owned = { chain: ServedChain; book: FoldedOrders; ids: readonly Hex[] }

/**
 * At least so many of an owner's newest orders on a chain, all below a cursor. Ids are in the order of their funding, so that
 * the rest isn't looked at: an owner may have ten thousands, and anyone may ask for them.
 */
function findNewest({ chain, book, ids }: Owned, count: number, cursor: string | null): Found[] {
  const orderAt = (at: number) => book.find(ids[at] as Hex) as OrderState
  const latest = cursor === null ? Number.POSITIVE_INFINITY : Number(cursor.slice(0, 12))
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (orderAt(middle).facts.fundedAt <= latest) from = middle + 1
    else to = middle
  }
  const found: Found[] = []
  for (let at = from - 1; at >= 0; at--) {
    const order = orderAt(at)
    const last = found.at(-1)?.order.facts.fundedAt
    // Of those funded in one block, any may be the next.
    if (found.length >= count && order.facts.fundedAt !== last) break
    if (cursor === null || keyOf(order) < cursor) found.push({ chain, order })
  }
  return found
}

/** The newest first. */
function byAge(one: Found, other: Found): number {
  return keyOf(one.order) < keyOf(other.order) ? 1 : -1
}

function keyOf({ facts }: OrderState): string {
  return `${String(facts.fundedAt).padStart(12, '0')}${facts.orderId.slice(2, 34)}`
}
