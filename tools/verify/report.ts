import { isValidDelivery } from '../../core/intent/winnersDelivery.ts'
import { type Certainty, establishedFields } from '../../core/proof/establishedFields.ts'
import type { ProvenEvent } from '../../core/proof/verifyEventProof.ts'
import type { ProvenIntent } from '../../core/proof/verifyIntentProof.ts'
import { argsToJson } from '../../src/event/eventArgs.ts'
import { isKnown } from '../../src/intent/facts.ts'
import type { ChainAnswer } from './compareWithChain.ts'

/** What the program found, as `--json` prints it. Integers beyond 2^53 are decimal strings. */
export type Report = ReturnType<typeof reportOf>

/** What was asked of chains and given by the reader, beside the proof itself. */
type Checked = { answers: readonly ChainAnswer[]; trustedBridges: ReadonlySet<number> }

/** Puts together what is proven and what is left to the reader. */
export function reportOf(proven: ProvenIntent, { answers, trustedBridges }: Checked) {
  const asked = new Map(answers.map((answer) => [answer.chainId, answer]))
  const all = proven.deployment === null ? proven.events : [proven.deployment, ...proven.events]
  const headers = headersOf(all, asked)
  const conditions = headers
    .filter(({ canonicalBy }) => canonicalBy === null)
    .map(({ chainId, blockNumber, blockHash }) => ({ chainId, blockNumber, blockHash }))
  return {
    /** Whether nothing is left to compare. Anyone can make up headers: unconfirmed ones prove nothing. */
    proven: conditions.length === 0,
    /** Blocks that must be on their chains for all of this to hold, and that no server has confirmed. */
    conditions,
    intentId: String(proven.intentId),
    sourceChainId: proven.sourceChainId,
    bridges: proven.bridges.map((bridge) => ({
      ...bridge,
      trusted: trustedBridges.has(bridge.chainId),
    })),
    events: byTime(proven.events).map((one) => eventOf(one, asked)),
    record: establishedFields(proven).map(({ field, value, certainty }) => ({
      field,
      value: typeof value === 'bigint' ? String(value) : value,
      certainty: askedInstead(certainty, asked.has(proven.sourceChainId)),
    })),
    deliveries: deliveriesOf(proven),
    isWhole: proven.isWhole,
    headers,
  }
}

/** All chains' events in one list. Each chain's own order stays: its time never goes back. */
function byTime(events: readonly ProvenEvent[]): ProvenEvent[] {
  return events.toSorted((a, b) => a.event.point.blockTimestamp - b.event.point.blockTimestamp)
}

/** A claim that a server of the reader's own choice confirmed. */
function askedInstead(certainty: Certainty, isAsked: boolean): Certainty | 'asked' {
  return certainty === 'claimed' && isAsked ? 'asked' : certainty
}

function eventOf(one: ProvenEvent, asked: ReadonlyMap<number, ChainAnswer>) {
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
    /** A receipt doesn't hold its transaction's hash: only a server can tell. */
    transactionHashIs: asked.has(chainId) ? 'asked' : 'claimed',
    args: argsToJson(event.type, event.args as never),
  }
}

function deliveriesOf({ facts }: ProvenIntent) {
  return facts.deliveries.map((delivery) => ({
    destChainId: delivery.destChainId,
    chain2IntentId: String(delivery.chain2IntentId),
    solver: delivery.solver,
    tokenB: delivery.tokenB,
    amountB: String(delivery.amountB),
    solvedAt: delivery.solvedAt,
    /** By the winner, in full, in tokenB and in time; null if the deposit is not among the events. */
    counts:
      isKnown(facts) && facts.source.solver !== null
        ? isValidDelivery(facts.source, delivery)
        : null,
  }))
}

function headersOf(events: readonly ProvenEvent[], asked: ReadonlyMap<number, ChainAnswer>) {
  const headers = new Map(
    byTime(events).map(({ event: { point } }) => {
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
