import type { StoredIntent } from '../../../services/store/storedIntent.ts'
import { chainNameOf } from '../../../src/chain/names.ts'
import type { Delivery } from '../../../src/intent/facts.ts'
import { finality } from '../../../src/intent/finality.ts'
import { isValidDelivery, validDeliveryOf } from '../../../src/intent/isValidDelivery.ts'
import { refund } from '../../../src/intent/refund.ts'
import { type TimelineEntry, timeline } from '../../../src/intent/timeline.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import type { GraphqlContext } from '../context.ts'
import { intentId } from '../nodeId.ts'
import { bidsOf, eventsOf } from './intentLists.ts'
import { bridgeOf, type IntentNode } from './intentNode.ts'

/** Fields of `Intent` that aren't columns of its row. */
export const intentFields = {
  id: (node: IntentNode) => intentId(node, node.past?.moment),
  sourceChain: ({ sourceChainId }: IntentNode) => chainNameOf(sourceChainId),
  destChain: ({ destChainId }: IntentNode) => chainNameOf(destChainId),
  status: (node: IntentNode) => node.standing().status,
  substatus: (node: IntentNode) => node.standing().substatus,
  isTerminal: (node: IntentNode) => node.standing().isTerminal,
  finality: ({ stored, chains }: IntentNode) => finality(stored, chains.heads),
  sequence: ({ stored }: IntentNode) => stored.sequence,
  timestamp: ({ createdAt }: IntentNode) => createdAt,
  solverAddress: ({ solver }: IntentNode) => solver,
  solver: ({ solver }: IntentNode, _: unknown, { loaders }: GraphqlContext) =>
    solver && loaders.solver.load(solver),
  delivery: ({ stored }: IntentNode) => deliveryNode(stored),
  solveTxHash: ({ stored }: IntentNode) =>
    stored.source.settledSolveTxHash ?? validDeliveryOf(stored)?.solveTxHash ?? null,
  chain2IntentId: ({ stored }: IntentNode) =>
    stored.source.chain2IntentId ?? validDeliveryOf(stored)?.chain2IntentId ?? null,
  refund: refundOf,
  timeline: storyOf,
  bids: bidsOf,
  events: eventsOf,
}

/** Fields of `TimelineEntry` that aren't in the domain's. */
export const timelineFields = {
  chain: ({ chainId }: TimelineEntry) => chainNameOf(chainId),
}

/** Fields of `Delivery` that aren't columns of its row. */
export const deliveryFields = {
  destChain: ({ destChainId }: Delivery) => chainNameOf(destChainId),
  solverAddress: ({ solver }: Delivery) => solver,
}

/** The contract lets a solver deliver once for an intent, so the winner's is at most one. */
function deliveryNode({ source, deliveries }: StoredIntent) {
  const [delivery] = deliveries
  return delivery ? { ...delivery, isValid: isValidDelivery(source, delivery) } : null
}

function refundOf(node: IntentNode) {
  const terms = bridgeOf(node)?.terms
  return terms ? refund(node.stored, node.chains.heads, terms) : null
}

async function storyOf(
  node: IntentNode,
  _: unknown,
  { loaders }: GraphqlContext,
): Promise<TimelineEntry[]> {
  const bridge = bridgeOf(node)
  const stored = node.stored.events ? node.stored : await loaders.story.load(node)
  if (!bridge || !stored?.events) return []
  const events = stored.events.map((row) => fromEventRow(row, bridge.address))
  return timeline(events, node.chains.heads, bridge.terms)
}
