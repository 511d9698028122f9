import type { Address } from 'viem'
import { nextLookAt } from '../../core/order/decideOrder.ts'
import type { OrderStory } from '../../core/order/orderStory.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { apiOrderId, orderIdRange } from '../../src/order/apiOrderId.ts'
import { orderStatus } from '../../src/order/orderStatus.ts'
import type { Mode } from '../enclave/chains.ts'
import { cancelOrder } from './act/cancelOrder.ts'
import { enclaveProblem } from './act/enclaveProblem.ts'
import { fundOrder } from './act/fundOrder.ts'
import { isDue } from './act/takeStep.ts'
import { describeOrder } from './describeOrder.ts'
import type { Desk, ServedChain } from './desk.ts'
import { OrderError } from './orderError.ts'
import type { ChainReport, OrdersService, StuckOrder } from './ordersService.ts'
import type { ChainWork } from './startOrders.ts'

/** Seconds by which a step may be late before it counts as stuck. */
const PATIENCE = 60

type Found = { chain: ServedChain; story: OrderStory }

/** What the API asks, answered from what was folded. */
export function serveOrders(
  desk: Desk,
  works: readonly ChainWork[],
  { mode, vault }: { mode: Mode; vault: Address },
): OrdersService {
  const find = (id: string): Found | null => findStory(desk, id)
  const describe = ({ chain, story }: Found) => describeOrder(chain, story, timeOf(desk, chain))
  const service: OrdersService = {
    eciesPublicKey: async () => (await desk.enclaves[0].orderKeys()).eciesPublicKey as Hex,
    ...{ vault, account: desk.account },
    place: async (submitted) => describe(await fundOrder(desk, submitted)),
    async cancel(id, word) {
      const found = find(id)
      if (found === null) return null
      const story = await cancelOrder(desk, found.chain, found.story, word)
      return describe({ ...found, story })
    },
    find(id) {
      const found = find(id)
      return found && describe(found)
    },
    async readSecrets(id, word) {
      const found = find(id)
      if (found === null) throw new OrderError('ORDER_NOT_FOUND', 'there is no such order')
      const { encrypted, facts } = found.story
      const request = { sourceChainId: facts.chainId, encrypted, ...word }
      const read = await desk.enclaves[0].readOrder(request).catch((error: unknown) => {
        throw enclaveProblem(error)
      })
      return { recipients: read.recipients as Hex[], amounts: read.amounts }
    },
    list(user, { limit, cursor }) {
      const all = storiesOf(desk, user)
      const from = cursor === null ? 0 : all.findIndex(({ story }) => keyOf(story) < cursor)
      const page = from < 0 ? [] : all.slice(from, from + limit)
      const last = page.at(-1)
      const isMore = from >= 0 && from + limit < all.length
      return {
        orders: page.map(describe),
        total: all.length,
        nextCursor: isMore && last ? keyOf(last.story) : null,
      }
    },
    isStrict: (chainId) => (desk.chains.get(chainId)?.config.mode ?? mode) === 'strict',
    isReady: () => works.every(({ chain }) => chain.follower.latest() !== null),
    report: () => Promise.all(works.map((work) => reportOf(desk, work))),
    stuck: () => works.flatMap((work) => stuckOf(work.chain)),
    networks: works.map(({ chain: { name, chainId } }) => ({ name, chainId })),
  }
  return service
}

function timeOf(desk: Desk, chain: ServedChain): number {
  return chain.follower.latest()?.head.timestamp ?? desk.settings.now()
}

/** By the API's id or the vault's own. */
function findStory(desk: Desk, id: string): Found | null {
  const range = orderIdRange(id)
  if (range === null) return null
  for (const chain of desk.chains.values()) {
    const book = chain.follower.latest()?.book
    if (book === undefined) continue
    const story = range.from === range.to ? book.find(range.from) : book.findLike(range.from)
    if (story !== null) return { chain, story }
  }
  return null
}

/** Newest first. */
function storiesOf(desk: Desk, owner: Hex): Found[] {
  const found = [...desk.chains.values()].flatMap((chain) => {
    const book = chain.follower.latest()?.book
    const ids = book?.ofOwner(owner) ?? []
    return ids.flatMap((id) => {
      const story = book?.find(id)
      return story ? [{ chain, story }] : []
    })
  })
  return found.sort((one, other) => (keyOf(one.story) < keyOf(other.story) ? 1 : -1))
}

function keyOf({ facts }: OrderStory): string {
  return `${String(facts.fundedAt).padStart(12, '0')}${facts.orderId.slice(2, 34)}`
}

function stuckOf(chain: ServedChain): StuckOrder[] {
  const followed = chain.follower.latest()
  if (followed === null) return []
  const { timestamp } = followed.head
  return [...followed.book.all()].flatMap((story) => {
    const at = nextLookAt(story)
    if (at === null || timestamp - lateFrom(story, at) < PATIENCE) return []
    const { orderId, chainId } = story.facts
    const step = chain.steps.get(orderId)
    const late = timestamp - lateFrom(story, at)
    const name = step?.name ?? 'unknown'
    return [{ id: apiOrderId(orderId), chainId, step: name, late, problem: step?.problem ?? null }]
  })
}

/** Since when a step is due: what must be closed at once is so since its last tranche. */
function lateFrom({ facts }: OrderStory, at: number): number {
  return at === 0 ? (facts.lastFiredAt ?? facts.fundedAt) : at
}

async function reportOf(
  desk: Desk,
  { chain, ledger, sender, problem }: ChainWork,
): Promise<ChainReport> {
  const followed = chain.follower.latest()
  const stories = [...(followed?.book.all() ?? [])]
  const now = timeOf(desk, chain)
  const due = stories.filter((story) => isDue(chain, story, now))
  const lateness = due.map((story) => now - lateFrom(story, nextLookAt(story) ?? now))
  const gas = await chain.client.getBalance({ address: desk.account }).catch(() => null)
  const sum = (of: (story: OrderStory) => number) =>
    stories.reduce((total, story) => total + of(story), 0)
  return {
    ...{ name: chain.name, chainId: chain.chainId, vault: chain.vault },
    blockNumber: followed?.head.number ?? null,
    orders: {
      total: stories.length,
      active: stories.filter(({ facts }) => orderStatus(facts, now).status === 'active').length,
      due: due.length,
    },
    tranches: {
      fired: sum(({ facts }) => facts.tranchesFired),
      settled: sum(({ facts }) => facts.tranchesCompleted),
      refunded: sum(({ facts }) => facts.tranchesRefunded),
    },
    lateness: Math.max(0, ...lateness),
    ...{ ledger, gas, problem: problem ?? (gas === 0n ? 'OUT_OF_GAS' : sender.report().problem) },
  }
}
