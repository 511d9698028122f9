import type { Address } from 'viem'
import { apiOrderId, orderIdRange } from '../../core/order/apiOrderId.ts'
import { timeOfNextCheck } from '../../core/order/decideOrder.ts'
import type { OrderState } from '../../core/order/orderState.ts'
import { orderStatus } from '../../core/order/orderStatus.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Mode } from '../enclave/chains.ts'
import { cancelOrder } from './act/cancelOrder.ts'
import { decideGas } from './act/decideGas.ts'
import { refuseAsEnclave } from './act/enclaveProblem.ts'
import { fundOrder } from './act/fundOrder.ts'
import { NO_GAS } from './act/gasAccount.ts'
import { gasOfCalls } from './act/gasMinimum.ts'
import { gasUsedOnChain } from './act/gasUsedOnChain.ts'
import { isDue } from './act/takeStep.ts'
import { unpaidTrancheCall } from './act/unpaidTrancheCall.ts'
import { describeOrder } from './describeOrder.ts'
import { OrderError } from './orderError.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'
import type { ChainReport, OrdersService, StuckOrder, UnpaidGas } from './ordersService.ts'
import type { ChainWork } from './startOrders.ts'

/** Bytes that are submitted for an order of one recipient. */
const USUAL_BYTES = 1_000

/** Seconds by which a step may be late before it counts as stuck. */
const PATIENCE = 60

type Found = { chain: ServedChain; order: OrderState }

/** Answers the API from the folded orders. */
export function serveOrders(
  context: OrdersContext,
  works: readonly ChainWork[],
  { mode, vault }: { mode: Mode; vault: Address },
): OrdersService {
  const find = (id: string): Found | null => findOrder(context, id)
  const describe = ({ chain, order }: Found) => describeOrder(chain, order, timeOf(context, chain))
  const service: OrdersService = {
    eciesPublicKey: async () => (await context.enclaves[0].orderKeys()).eciesPublicKey as Hex,
    ...{ vault, account: context.account },
    place: async (submitted) => describe(await fundOrder(context, submitted)),
    async cancel(id, word) {
      const found = find(id)
      if (found === null) return null
      const order = await cancelOrder(context, found.chain, found.order, word)
      return describe({ ...found, order })
    },
    find(id) {
      const found = find(id)
      return found && describe(found)
    },
    async readSecrets(id, word) {
      const found = find(id)
      if (found === null) throw new OrderError('ORDER_NOT_FOUND', 'there is no such order')
      const { encrypted, facts } = found.order
      const request = { sourceChainId: facts.chainId, encrypted, ...word }
      const read = await context.enclaves[0].readOrder(request).catch(refuseAsEnclave)
      return { recipients: read.recipients as Hex[], amounts: read.amounts }
    },
    async waitingTranche(id) {
      const found = find(id)
      return found && unpaidTrancheCall(context, found.chain, found.order)
    },
    list(user, { limit, cursor }) {
      const all = ordersOf(context, user)
      const from = cursor === null ? 0 : all.findIndex(({ order }) => keyOf(order) < cursor)
      const page = from < 0 ? [] : all.slice(from, from + limit)
      const last = page.at(-1)
      const isMore = from >= 0 && from + limit < all.length
      return {
        orders: page.map(describe),
        total: all.length,
        nextCursor: isMore && last ? keyOf(last.order) : null,
      }
    },
    isStrict: (chainId) => (context.chains.get(chainId)?.config.mode ?? mode) === 'strict',
    isReady: () => works.every(({ chain }) => chain.follower.latest() !== null),
    report: () => Promise.all(works.map((work) => reportOf(context, work))),
    stuck: () => works.flatMap((work) => stuckOf(work.chain)),
    networks: works.map(({ chain: { name, chainId } }) => ({ name, chainId })),
  }
  return service
}

function timeOf(context: OrdersContext, chain: ServedChain): number {
  return chain.follower.latest()?.head.timestamp ?? context.settings.now()
}

/** By the API's id or the vault's own. */
function findOrder(context: OrdersContext, id: string): Found | null {
  const range = orderIdRange(id)
  if (range === null) return null
  for (const chain of context.chains.values()) {
    const book = chain.follower.latest()?.book
    if (book === undefined) continue
    const order = range.from === range.to ? book.find(range.from) : book.findLike(range.from)
    if (order !== null) return { chain, order }
  }
  return null
}

/** Newest first. */
function ordersOf(context: OrdersContext, owner: Hex): Found[] {
  const found = [...context.chains.values()].flatMap((chain) => {
    const book = chain.follower.latest()?.book
    const ids = book?.ofOwner(owner) ?? []
    return ids.flatMap((id) => {
      const order = book?.find(id)
      return order ? [{ chain, order }] : []
    })
  })
  return found.sort((one, other) => (keyOf(one.order) < keyOf(other.order) ? 1 : -1))
}

function keyOf({ facts }: OrderState): string {
  return `${String(facts.fundedAt).padStart(12, '0')}${facts.orderId.slice(2, 34)}`
}

function stuckOf(chain: ServedChain): StuckOrder[] {
  const followed = chain.follower.latest()
  if (followed === null) return []
  const { timestamp } = followed.head
  return [...followed.book.all()].flatMap((order) => {
    const at = timeOfNextCheck(order)
    if (at === null || timestamp - lateFrom(order, at) < PATIENCE) return []
    const { orderId, chainId } = order.facts
    const step = chain.steps.get(orderId)
    const late = timestamp - lateFrom(order, at)
    const name = step?.name ?? 'unknown'
    return [{ id: apiOrderId(orderId), chainId, step: name, late, problem: step?.problem ?? null }]
  })
}

/** Since when a step is due: for an order that must be closed at once, since its last tranche. */
function lateFrom({ facts }: OrderState, at: number): number {
  return at === 0 ? (facts.lastFiredAt ?? facts.fundedAt) : at
}

async function reportOf(
  context: OrdersContext,
  { chain, ledger, sender, bundles, problem }: ChainWork,
): Promise<ChainReport> {
  const followed = chain.follower.latest()
  const orders = [...(followed?.book.all() ?? [])]
  const now = timeOf(context, chain)
  const due = orders.filter((order) => isDue(chain, order, now))
  const lateness = due.map((order) => now - lateFrom(order, timeOfNextCheck(order) ?? now))
  const gas = await chain.client.getBalance({ address: context.account }).catch(() => null)
  const sum = (of: (order: OrderState) => number) =>
    orders.reduce((total, order) => total + of(order), 0)
  return {
    ...{ name: chain.name, chainId: chain.chainId, vault: chain.vault },
    blockNumber: followed?.head.number ?? null,
    orders: {
      total: orders.length,
      active: orders.filter(({ facts }) => orderStatus(facts, now).status === 'active').length,
      due: due.length,
    },
    tranches: {
      fired: sum(({ facts }) => facts.tranchesFired),
      settled: sum(({ facts }) => facts.tranchesCompleted),
      refunded: sum(({ facts }) => facts.tranchesRefunded),
      failed: sum(({ tranches }) => tranches.filter(({ outcome }) => outcome === 'failed').length),
    },
    bundlesAccepted: bundles.accepted(chain.chainId),
    lateness: Math.max(0, ...lateness),
    unpaidGas: unpaidGasOf(context, chain),
    ...{ ledger, gas, problem: problem ?? (gas === 0n ? 'OUT_OF_GAS' : sender.report().problem) },
  }
}

function unpaidGasOf(context: OrdersContext, chain: ServedChain): UnpaidGas {
  const { settings } = context
  const followed = chain.follower.latest()
  const taken = followed === null ? 0 : gasUsedOnChain(context, followed).uncovered
  const { fund, close } = gasOfCalls({ bytes: USUAL_BYTES, quorum: 1 })
  const funding = { kind: 'fundOrder', gas: fund, close } as const
  return {
    limit: settings.unpaidGasOfAll,
    taken: BigInt(taken),
    paysFundings: decideGas(funding, NO_GAS, taken, settings) === null,
    waiting: [...chain.waiting.values()].filter((why) => why === 'GAS_BUDGET_SPENT').length,
  }
}
