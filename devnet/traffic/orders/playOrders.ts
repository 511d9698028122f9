import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { unpackIntentId } from '../../../core/intent/intentId.ts'
import { createOrdersClient, type OrdersClient } from '../../../sdk/orders/ordersClient.ts'
import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import {
  type AccountSender,
  createAccountSender,
  findReason,
} from '../../../services/chain/accountSender.ts'
import { repeat } from '../../../services/process/repeat.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { DevnetAccount } from '../../accounts.ts'
import type { Traffic } from '../playTraffic.ts'
import { OPENING } from '../scenario.ts'
import { drawFor } from '../seededRandom.ts'
import type { TrafficChain } from '../trafficChainClient.ts'
import { findOrderKind, ORDER_KINDS } from './orderKinds.ts'
import { placeOrder } from './placeOrder.ts'
import { takeOrderOwnerStep } from './takeOrderOwnerStep.ts'

/** Milliseconds between polls of the owner's orders, and between new orders once each kind has been placed. */
const POLL_MS = 2_000
const ORDER_EVERY = 180_000

/** Number of orders to poll at. */
const LATEST = 50

type OrderTrafficOptions = {
  /** Orders on the first go to the second, and vice versa. */
  chains: readonly [NamedChain, NamedChain]
  /** Base URL of the order service. */
  url: string
  relayer: RelayerClient
  /** The owner, whose tokens are spent. */
  owner: DevnetAccount
  seed: number
  log: Logger
}

type NamedChain = TrafficChain & { name: string }

type Player = OrderTrafficOptions & {
  orders: OrdersClient
  senders: Map<number, AccountSender>
  /** When the latest order was placed, by `performance.now()`. */
  placedAt: number
}

/**
 * Simulates an owner of scheduled orders until stopped: on a fresh devnet one order per outcome at once, then one every
 * three minutes. Stateless: what is due follows from the orders the service lists.
 */
export function playOrders(options: OrderTrafficOptions): Traffic {
  const stopping = new AbortController()
  const { signal } = stopping
  const player: Player = {
    ...options,
    orders: createOrdersClient({ baseUrl: options.url }),
    senders: new Map(
      options.chains.map(({ chainId, client }) => [
        chainId,
        createAccountSender(client, options.owner),
      ]),
    ),
    placedAt: performance.now(),
  }
  const onProblem = (error: unknown) =>
    options.log.debug({ reason: findReason(error) }, 'an order could not be processed')
  const playing = repeat(POLL_MS, onProblem, () => poll(player), { signal }).ended
  return {
    stop: async () => {
      stopping.abort()
      await Promise.race([playing, pause(1_500, undefined, { ref: false })])
    },
  }
}

async function poll(player: Player): Promise<void> {
  const { orders, owner, chains } = player
  // Intents are numbered in mining order: a tranche among the first ones would shift the rest.
  if (!(await openingIsOver(chains))) return
  const { orders: known, total } = await orders.listOrders(owner.address, { limit: LATEST })
  const missing =
    total > LATEST
      ? []
      : ORDER_KINDS.filter((kind) => !known.some((one) => findOrderKind(one) === kind))
  for (const kind of missing) await place(player, kind, 0)
  if (missing.length === 0 && performance.now() - player.placedAt > ORDER_EVERY) {
    const draw = drawFor(player.seed, 'order', total)
    await place(player, draw.pick(ORDER_KINDS), draw.pick([0, 1] as const))
  }
  for (const order of known) {
    const source = chains.find(({ chainId }) => chainId === order.sourceChainId)
    if (source)
      await takeOrderOwnerStep(order, { ...player, source, sender: senderOn(player, source) })
  }
}

async function place(player: Player, kind: (typeof ORDER_KINDS)[number], from: 0 | 1) {
  const source = player.chains[from]
  const destination = player.chains[from === 0 ? 1 : 0]
  const route = { source, destination, sender: senderOn(player, source) }
  await placeOrder(player.orders, player.owner, route, kind)
  player.placedAt = performance.now()
}

function senderOn({ senders }: Player, { chainId }: TrafficChain): AccountSender {
  return senders.get(chainId) as AccountSender
}

async function openingIsOver(chains: readonly TrafficChain[]): Promise<boolean> {
  const latest = await Promise.all(
    chains.map(({ client, contracts }) =>
      client.readContract({
        address: contracts.bridge,
        abi: bridgeIntentV2Abi,
        functionName: 'getLatestIntentId',
      }),
    ),
  )
  return latest.every((id) => id !== 0n && unpackIntentId(id).sequence >= OPENING.length)
}
