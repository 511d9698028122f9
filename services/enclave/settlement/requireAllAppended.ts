import { toEventSelector } from 'viem'
import type { EventType, Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import type { ChainLog } from '../../chain/history/rawAnswers.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { Room } from '../room.ts'
import type { SettlementHistory } from './proveHistory.ts'
import { MOST_APPENDED } from './recipientsNamed.ts'

const [CREATED, APPENDED, DEPOSITED] = (
  ['IntentCreated', 'BlobAppended', 'SolverDeposited'] as const
).map(selectorOf) as [Hex, Hex, Hex]

/**
 * Requires the evidence to hold every blob that was appended before the deposit, the last ones if there are
 * more than count. Proofs show what is there; what was left out only the witnesses can tell, and one that
 * names it is enough.
 * Throws an EnclaveError `EVIDENCE_INVALID` or `WITNESS_UNREACHABLE`.
 */
export async function requireAllAppended(
  room: Room,
  { created, deposited, appended }: SettlementHistory,
): Promise<void> {
  const { point, address, args } = created.event
  const { point: end } = deposited.event
  const wanted = {
    ...{ address, from: point.blockNumber, to: end.blockNumber, toHash: end.blockHash },
    topics: [[CREATED, APPENDED, DEPOSITED], topicOf(args.intentId)],
  }
  const told = await room.witnesses.logs(point.chainId, wanted, isWhole)
  const proven = countByTransaction(
    new Map(
      appended.map((one) => [
        `${one.event.point.transactionHash} ${one.logPosition}`,
        one.event.point,
      ]),
    ).values(),
  )
  for (const logs of told) {
    for (const [transaction, count] of countByTransaction(countingAppends(logs))) {
      if ((proven.get(transaction) ?? 0) < count) {
        throw new EnclaveError('EVIDENCE_INVALID', 'BlobAppended')
      }
    }
  }
}

/** Whether a node knows the whole of it: it may lag, or have thrown away what is old. */
function isWhole(logs: readonly ChainLog[]): boolean {
  return logs[0]?.topics[0] === CREATED && logs.some(({ topics }) => topics[0] === DEPOSITED)
}

/** Those of before the deposit that count. */
function countingAppends(logs: readonly ChainLog[]): ChainLog[] {
  const deposit = logs.findIndex(({ topics }) => topics[0] === DEPOSITED)
  const earlier = logs.slice(0, deposit).filter(({ topics }) => topics[0] === APPENDED)
  return earlier.slice(-MOST_APPENDED)
}

function countByTransaction(logs: Iterable<{ transactionHash: Hex }>): ReadonlyMap<Hex, number> {
  const counts = new Map<Hex, number>()
  for (const { transactionHash } of logs) {
    counts.set(transactionHash, (counts.get(transactionHash) ?? 0) + 1)
  }
  return counts
}

function selectorOf(type: EventType): Hex {
  return toEventSelector(EVENT_ABI.find(({ name }) => name === type)!)
}

function topicOf(intentId: bigint): Hex {
  return `0x${intentId.toString(16).padStart(64, '0')}`
}
