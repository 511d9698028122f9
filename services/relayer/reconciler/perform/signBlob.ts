import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../../src/intent/facts.ts'
import type { Enclave, Replaced, RequestOf } from '../../../enclave/port.ts'
import type { IntentEvidence } from '../../evidence/intentEvidence.ts'
import { insertEntries } from '../../recipients/entries/insertEntries.ts'
import { entriesOf } from '../../recipients/entries/replacedEntries.ts'
import { ticketsFor } from '../../recipients/registration/ticketsFor.ts'
import {
  type Collected,
  collectSignatures,
  type Judge,
  type SignedAnswer,
} from '../../settlement/collectSignatures.ts'
import { fieldsOf, type SignedKind, saveSigned } from '../../settlement/signedStore.ts'
import { termsOf } from '../../terms/termsOf.ts'
import type { Proposal } from '../intentState.ts'
import type { Reactor } from '../reactor.ts'
import { bridgeOf } from './bridgeOf.ts'

type BlobAnswer = SignedAnswer & { encryptedBlob: Hex; replaced: Replaced[] }

/** What is to be signed, and how it is asked for. */
type BlobToSign<Answer> = {
  kind: Extract<SignedKind, 'anchor' | 'append'>
  judge: Judge<NoInfer<Answer>>
  ask: (enclave: Enclave, request: RequestOf<'signAnchor'>) => Promise<Answer>
}

/**
 * Has an enclave sign for a blob, by the intent as the chain has it at this moment, and keeps what it
 * signed. One signature is enough: no blob counts because of who signed for it.
 *
 * @returns null while the chain's nodes have no such intent
 */
export async function signBlob<Answer extends BlobAnswer>(
  reactor: Reactor,
  source: SourceFacts,
  proposal: Proposal | null,
  { kind, judge, ask }: BlobToSign<Answer>,
): Promise<Collected<Answer> | null> {
  const { signing, vault } = reactor
  const { sourceChainId, intentId, paramsHash } = source
  const intent: IntentEvidence | null = await signing.proverOn(sourceChainId).atHead(source)
  if (intent === null) return null
  const terms = termsOf(source, bridgeOf(reactor, sourceChainId))
  const blobs = [
    ...intent.blobs.map(({ blob }) => blob as Hex),
    ...(proposal ? [proposal.sealed] : []),
  ]
  const tickets = await ticketsFor(vault, terms, blobs)
  const request = { intent, tickets, ...(proposal && { proposal: proposal.sealed }) }
  const signed = await collectSignatures(signing.enclaves, 1, judge, (enclave) =>
    ask(enclave, request),
  )
  const { message, encryptedBlob, replaced } = signed.answer
  await insertEntries(vault.db, entriesOf(source, replaced))
  await saveSigned(vault.db, {
    ...{ kind, sourceChainId, intentId, paramsHash, bytes: encryptedBlob },
    proposalDigest: proposal?.digest ?? null,
    ...{ message: fieldsOf(message), signatures: signed.signatures, signers: signed.signers },
  })
  return signed
}
