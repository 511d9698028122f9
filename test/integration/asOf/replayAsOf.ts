import { type BridgeOf, renderIntent } from '../../../api/rest/intents/renderIntent.ts'
import { computeCutoffs } from '../../../core/intent/asOfCutoff.ts'
import { isByWinner } from '../../../core/intent/findWinnersDelivery.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { createComparedNodes } from '../../../services/indexer/history/comparedNodes.ts'
import type { ChainHead } from '../../../services/store/chains/readChainStates.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import { chooseLastBlocks } from '../../../tools/replay/chooseLastBlocks.ts'
import { type Replay, replayChain } from '../../../tools/replay/replayChain.ts'
import type { PastChain } from './asOfRig.ts'

/** Blocks by chain name, as `--as-of` takes them. */
export type Moment = ReadonlyMap<string, number>

/** Every intent and every order as a replay up to a moment has it, and what they are judged by. */
export type ReplayedPast = {
  intents: StoredIntent[]
  orders: OrderFacts[]
  heads: Map<number, ChainHead>
}

/**
 * Replays all chains from their nodes' logs up to a moment, as `npm run replay -- --as-of` does.
 *
 * @param marks each chain's present marks of finality
 */
export async function replayPast(
  chains: readonly PastChain[],
  moment: Moment,
  marks: ReadonlyMap<number, ChainHead>,
): Promise<ReplayedPast> {
  const asked = chains.map(({ config }) => {
    const chain = { ...config, bridge: config.bridge as Hex }
    return { chain, nodes: createComparedNodes(createRpcPool(chain)) }
  })
  const blocks = await chooseLastBlocks(asked, { asOf: null, asOfChain: moment })
  const replays = await Promise.all(
    asked.map(({ chain, nodes }) =>
      replayChain(chain, nodes, blocks.get(chain.name) ?? null, {
        show: () => {},
        end: () => {},
      }),
    ),
  )
  const named = replays.filter(({ chain }) => moment.has(chain.name))
  const cutoffs = computeCutoffs(
    named.map(({ chain: { chainId }, block }) => {
      return { chainId, blockNumber: block.number, timestamp: block.timestamp }
    }),
    new Map(chains.map(({ config, head }) => [config.chainId, head])),
  )
  const heads = new Map<number, ChainHead>()
  for (const [chainId, { blockNumber, timestamp }] of cutoffs) {
    // Clocks are read by time, so an unknown block number doesn't matter.
    heads.set(chainId, { ...marks.get(chainId)!, timestamp, blockNumber: blockNumber ?? 0 })
  }
  const orders = replays.flatMap(({ store }) => store.rows('scheduledOrder'))
  return { intents: replays.flatMap((replay) => intentsOf(replay, replays)), orders, heads }
}

function intentsOf({ store }: Replay, replays: readonly Replay[]): StoredIntent[] {
  const deliveries = replays.flatMap((replay) => replay.store.rows('delivery'))
  const events = replays.flatMap((replay) => replay.store.rows('event'))
  return store.rows('intent').map((source) => ({
    source,
    deliveries: deliveries.filter((delivery) => isByWinner(source, delivery)),
    sequence: 0n,
    events: events.filter(
      (event) => event.sourceChainId === source.sourceChainId && event.intentId === source.intentId,
    ),
  }))
}

/** The record that REST must answer, but for its sequence. */
export function recordOf(
  stored: StoredIntent,
  { heads }: ReplayedPast,
  bridges: ReadonlyMap<number, BridgeOf>,
) {
  const { sequence, ...record } = renderIntent(
    stored,
    heads,
    bridges.get(stored.source.sourceChainId)!,
  )
  return record
}
