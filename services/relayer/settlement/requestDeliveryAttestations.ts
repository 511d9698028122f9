import { zeroHash } from 'viem'
import { findDeliverySlot } from '../../../core/proof/storage/storageSlots.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Enclave, RequestOf, ResponseOf } from '../../enclave/enclaveInterface.ts'
import {
  type Collected,
  collectSignatures,
  type SignatureJudge,
} from '../../quorum/collectSignatures.ts'
import { dropEvidence } from '../evidence/evidenceRows.ts'
import {
  dropBadEvidence,
  findConfirmedStorageEvidence,
} from '../evidence/findConfirmedStorageEvidence.ts'
import type { DepositAt } from './revealRecipients.ts'
import { saveSignedStatement } from './signedStatements.ts'
import type { Signing } from './signingContext.ts'

/** The destination chain's head, and the required depth of evidence. */
type Depth = { head: number; depth: number }

/** The block, or the time in unix seconds, from which the chain shows it. */
type ShownAt = Depth & { from: number; since?: number }

type Evidence = RequestOf<'attestSettlement'>

type Result<Answer> = { is: 'attested'; by: Collected<Answer> } | { is: 'early' }

/** Has enclaves attest that the winner paid the recipients revealed to it, and stores that. @throws as `revealRecipients` */
export function attestSettlement(
  signing: Signing,
  source: SourceFacts,
  deposit: DepositAt,
  delivery: ShownAt,
): Promise<Result<ResponseOf<'attestSettlement'>>> {
  const judge = signing.judgeOn(source.sourceChainId, 'Settlement', source)
  return attest('settle', signing, source, deposit, delivery, judge, (enclave, evidence) =>
    enclave.attestSettlement(evidence),
  )
}

/** Has enclaves attest that nothing was delivered in time, and stores that. @throws as `revealRecipients` */
export function attestNotDelivered(
  signing: Signing,
  source: SourceFacts,
  deposit: DepositAt,
  absence: Depth & { since: number },
): Promise<Result<ResponseOf<'attestNotDelivered'>>> {
  const judge = signing.judgeOn(source.sourceChainId, 'NotDelivered', source)
  const shown = { from: 0, ...absence }
  return attest('undelivered', signing, source, deposit, shown, judge, (enclave, evidence) =>
    enclave.attestNotDelivered(evidence),
  )
}

async function attest<Answer extends ResponseOf<'attestSettlement' | 'attestNotDelivered'>>(
  kind: 'settle' | 'undelivered',
  signing: Signing,
  source: SourceFacts,
  deposit: DepositAt,
  shown: ShownAt,
  judge: SignatureJudge<NoInfer<Answer>>,
  ask: (enclave: Enclave, evidence: Evidence) => Promise<Answer>,
): Promise<Result<Answer>> {
  const prover = signing.proverOn(source.sourceChainId)
  const intent = await prover.deep(source, deposit)
  if (intent.is === 'early') return { is: 'early' }
  const forget = () => prover.forget(source, intent.evidence)
  const key = await dropBadEvidence(forget, () =>
    deliveryKeyOf(signing, source, intent.evidence).catch(whereNobodyIsNamed),
  )
  const { since } = shown
  const subject = since === undefined ? `delivery:${key}` : `absence:${key}:${since}`
  const kept = { chainId: source.destChainId, subject }
  const reader = signing.readerOn(source.destChainId)
  const slots = [findDeliverySlot(key)]
  const delivery = await findConfirmedStorageEvidence(signing.db, reader, {
    ...kept,
    ...shown,
    slots,
  })
  if (delivery.is === 'early') return { is: 'early' }
  const { destChainId } = source
  const evidence = { intent: intent.evidence, destChainId, delivery: delivery.evidence }
  const forgetAll = async () => {
    await forget()
    reader.doubt(delivery.evidence)
    await dropEvidence(signing.db, kept)
  }
  const by = await dropBadEvidence(forgetAll, () =>
    collectSignatures(signing.enclaves, judge, (enclave) => ask(enclave, evidence)),
  ).catch(async (error: unknown) => {
    if (error instanceof EnclaveError && DECIDED.has(error.code))
      await dropEvidence(signing.db, kept)
    throw error
  })
  await saveSignedStatement(signing.db, kind, source, by)
  // The evidence names the delivery's key, by which anyone who reads the row could check guesses at recipients who were never paid.
  await dropEvidence(signing.db, kept)
  return { is: 'attested', by }
}

/** Refusals after which the same evidence isn't asked for again. */
const DECIDED: ReadonlySet<string> = new Set(['NOT_DELIVERED', 'DELIVERED'])

/** If nothing can be revealed, there is no delivery, and the enclave checks only the destination's time. */
function whereNobodyIsNamed(error: unknown): Hex {
  if (error instanceof EnclaveError && error.code === 'RECIPIENTS_UNKNOWN') return zeroHash
  throw error
}

/**
 * The slot of a delivery to exactly the named recipients. No signature covers it, so as many enclaves must name it as must
 * attest: one alone could name a wrong slot again and again, until the winner has lost its deposit and delivery.
 */
async function deliveryKeyOf(
  { enclaves, judgeOn }: Signing,
  source: SourceFacts,
  intent: Evidence['intent'],
): Promise<Hex> {
  const judge = judgeOn(source.sourceChainId, 'Reveal', source)
  const { answer } = await collectSignatures(enclaves, judge, (enclave) =>
    enclave.revealToWinner({ intent }),
  )
  return answer.deliveryKey
}
