import { isValidDelivery } from '../../core/intent/findWinnersDelivery.ts'
import { type Certainty, listFieldCertainties } from '../../core/proof/listFieldCertainties.ts'
import type { ProvenEvent } from '../../core/proof/verifyEventProof.ts'
import type { ProvenIntent } from '../../core/proof/verifyIntentProof.ts'
import { argsToJson } from '../../src/event/eventArgsJson.ts'
import { isKnown } from '../../src/intent/intentFacts.ts'
import type { ChainAnswer } from './compareHeadersWithChain.ts'

/** The result, as `--json` prints it. Integers beyond 2^53 are decimal strings. */
export type Report = ReturnType<typeof buildVerificationReport>

/** What nodes confirmed, and the bridges the user trusts. */
type Checked = { answers: readonly ChainAnswer[]; trustedBridges: ReadonlySet<number> }

/** Composes what is proven, and what is left for the user to check. */
export function buildVerificationReport(
  proven: ProvenIntent,
  { answers, trustedBridges }: Checked,
) {
  const asked = new Map(answers.map((answer) => [answer.chainId, answer]))
  const all = proven.deployment === null ? proven.events : [proven.deployment, ...proven.events]
  const headers = toHeaderReports(all, asked)
  const conditions = headers
    .filter(({ canonicalBy }) => canonicalBy === null)
    .map(({ chainId, blockNumber, blockHash }) => ({ chainId, blockNumber, blockHash }))
  const bridges = proven.bridges.map((bridge) => ({
    ...bridge,
    trusted: trustedBridges.has(bridge.chainId),
  }))
  return {
    /**
     * Whether nodes confirmed all headers and the user named all bridges: anyone can make up headers, or emit
     * the same events from their own contract.
     */
    proven: conditions.length === 0 && bridges.every(({ trusted }) => trusted),
    /** Blocks no node has confirmed: the result holds only if they are on their chains. */
    conditions,
    intentId: String(proven.intentId),
    sourceChainId: proven.sourceChainId,
    bridges,
    events: sortByTime(proven.events).map((one) => toEventReport(one, asked)),
    record: listFieldCertainties(proven).map(({ field, value, certainty }) => ({
      field,
      value: typeof value === 'bigint' ? String(value) : value,
      certainty: upgradeClaim(certainty, asked.has(proven.sourceChainId)),
    })),
    deliveries: toDeliveryReports(proven),
    isWhole: proven.isWhole,
    headers,
  }
}

/** All chains' events by time, which keeps each chain's order. */
function sortByTime(events: readonly ProvenEvent[]): ProvenEvent[] {
  return events.toSorted((a, b) => a.event.point.blockTimestamp - b.event.point.blockTimestamp)
}

/** A claim that the user's node confirmed is `asked`. */
function upgradeClaim(certainty: Certainty, isAsked: boolean): Certainty | 'asked' {
  return certainty === 'claimed' && isAsked ? 'asked' : certainty
}

function toEventReport(one: ProvenEvent, asked: ReadonlyMap<number, ChainAnswer>) {
  const { event, transactionIndex, logPosition, receiptType } = one
  const { chainId, blockNumber, blockTimestamp, transactionHash } = event.point
  return {
    type: event.type,
    chainId,
    blockNumber,
    blockTimestamp,
    transactionIndex,
    logPosition,
    receiptType,
    transactionHash,
    /** A receipt doesn't contain its transaction's hash: only a node can confirm it. */
    transactionHashIs: asked.has(chainId) ? 'asked' : 'claimed',
    args: argsToJson(event.type, event.args as never),
  }
}

function toDeliveryReports({ facts }: ProvenIntent) {
  return facts.deliveries.map((delivery) => ({
    destChainId: delivery.destChainId,
    chain2IntentId: String(delivery.chain2IntentId),
    solver: delivery.solver,
    tokenB: delivery.tokenB,
    amountB: String(delivery.amountB),
    solvedAt: delivery.solvedAt,
    /** By the winner, in full, in tokenB and in time; null if the deposit isn't among the events. */
    counts:
      isKnown(facts) && facts.source.solver !== null
        ? isValidDelivery(facts.source, delivery)
        : null,
  }))
}

function toHeaderReports(events: readonly ProvenEvent[], asked: ReadonlyMap<number, ChainAnswer>) {
  const headers = new Map(
    sortByTime(events).map(({ event: { point } }) => {
      const answer = asked.get(point.chainId)
      const { chainId, blockNumber, blockHash } = point
      return [
        `${chainId}:${blockHash}`,
        {
          chainId,
          blockNumber,
          blockHash,
          canonicalBy: answer?.host ?? null,
          finalized:
            answer === undefined || answer.finalizedBlock === null
              ? null
              : blockNumber <= answer.finalizedBlock,
        },
      ] as const
    }),
  )
  return [...headers.values()]
}
