import { ProofError } from '../../../core/proof/proofError.ts'
import { type ProvenEvent, verifyEventProof } from '../../../core/proof/verifyEventProof.ts'
import type { BridgeEventOf, EventType, Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { CheckedRequest } from '../messages.ts'
import { chainIn, type Room } from '../room.ts'

type GivenProof = CheckedRequest<'attestSettlement'>['events'][number]

/** A proven event, and the proof that it was read from. */
export type Proven<Type extends EventType = EventType> = Omit<ProvenEvent, 'event'> & {
  event: BridgeEventOf<Type>
  given: GivenProof
}

/** What is needed of an intent's history to attest its settlement. */
export type SettlementHistory = {
  created: Proven<'IntentCreated'>
  anchored: Proven<'IntentAnchored'>
  deposited: Proven<'SolverDeposited'>
  solved: Proven<'IntentSolved'>
  appended: Proven<'BlobAppended'>[]
}

/**
 * Verifies the proofs against the bridges that the enclave itself knows, each event on the chain
 * where it belongs. Their blocks are not yet known to be canonical.
 * Throws an EnclaveError `EVIDENCE_INVALID` or `CHAIN_NOT_CONFIGURED`.
 */
export async function proveHistory(
  room: Room,
  { sourceChainId, intentId, events }: CheckedRequest<'attestSettlement'>,
): Promise<SettlementHistory> {
  const proven = await Promise.all(events.map((given) => prove(given, bridgeOf(room, given))))
  const all = <Type extends EventType>(type: Type): Proven<Type>[] =>
    proven.filter((one): one is Proven<Type> => one.event.type === type)
  const only = <Type extends EventType>(type: Type): Proven<Type> => {
    const [first, ...others] = all(type)
    if (first === undefined || others.length > 0) throw new EnclaveError('EVIDENCE_INVALID', type)
    return first
  }
  const history: SettlementHistory = {
    created: only('IntentCreated'),
    anchored: only('IntentAnchored'),
    deposited: only('SolverDeposited'),
    solved: only('IntentSolved'),
    appended: all('BlobAppended'),
  }
  for (const { event } of [
    history.created,
    history.anchored,
    history.deposited,
    ...history.appended,
  ])
    if (event.point.chainId !== sourceChainId || event.args.intentId !== intentId)
      throw new EnclaveError('EVIDENCE_INVALID', event.type)
  const { args } = history.solved.event
  if (args.intentId !== intentId || args.sourceChainId !== BigInt(sourceChainId))
    throw new EnclaveError('EVIDENCE_INVALID', 'IntentSolved')
  return history
}

function bridgeOf(room: Room, { chainId }: GivenProof): Hex {
  return chainIn(room, chainId).bridge
}

async function prove(given: GivenProof, bridge: Hex): Promise<Proven> {
  try {
    return { ...(await verifyEventProof(given, bridge)), given }
  } catch (error) {
    throw new EnclaveError('EVIDENCE_INVALID', error instanceof ProofError ? error.code : undefined)
  }
}
