import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../../src/intent/facts.ts'
import type { ProofMode } from '../../../chain/proof/storageReader.ts'
import type { Enclave, Replaced, RequestOf } from '../../../enclave/enclaveInterface.ts'
import type { IntentEvidence } from '../../evidence/intentEvidence.ts'
import { insertEntries } from '../../recipients/entries/insertEntries.ts'
import { toStealthEntries } from '../../recipients/entries/toStealthEntries.ts'
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

/** What to sign, and how to request it. */
type BlobToSign<Answer> = {
  kind: Extract<SignedKind, 'anchor' | 'append'>
  judge: Judge<NoInfer<Answer>>
  ask: (enclave: Enclave, request: RequestOf<'signAnchor'>) => Promise<Answer>
}

/**
 * Has an enclave sign for a blob, by the intent's state on chain now, and stores what it signed. One
 * signature is enough, because which enclave signed doesn't make a blob count.
 *
 * @returns null while the chain's nodes have no such intent
 */
export async function signBlob<Answer extends BlobAnswer>(
  reactor: Reactor,
  source: SourceFacts,
  proposal: Proposal | null,
  { kind, judge, ask }: BlobToSign<Answer>,
): Promise<Collected<Answer> | null> {
  const { vault, signing } = reactor
  const { sourceChainId, intentId, paramsHash } = source
  const signAt = async (mode: ProofMode) => {
    const request = await requestAtHead(reactor, source, proposal, mode)
    if (request === null) return null
    return collectSignatures(signing.enclaves, 1, judge, (enclave) => ask(enclave, request))
  }
  // The enclave checks every proof anyway; only if it finds one invalid is another fetched.
  const signed = await signAt('unchecked').catch((error: unknown) => {
    if (!isFaultOfProof(error)) throw error
    signing.readerOn(sourceChainId).doubt()
    return signAt('checked')
  })
  if (signed === null) return null
  const { message, encryptedBlob, replaced } = signed.answer
  await insertEntries(vault.db, toStealthEntries(source, replaced))
  await saveSigned(vault.db, {
    ...{ kind, sourceChainId, intentId, paramsHash, bytes: encryptedBlob },
    proposalDigest: proposal?.digest ?? null,
    ...{ message: fieldsOf(message), signatures: signed.signatures, signers: signed.signers },
  })
  return signed
}

/** All that an enclave's signature is based on, from the chain's present state. */
async function requestAtHead(
  { signing, vault, configured }: Reactor,
  source: SourceFacts,
  proposal: Proposal | null,
  mode: ProofMode,
): Promise<RequestOf<'signAnchor'> | null> {
  const { sourceChainId } = source
  const intent: IntentEvidence | null = await signing.proverOn(sourceChainId).atHead(source, mode)
  if (intent === null) return null
  const terms = termsOf(source, bridgeOf({ configured }, sourceChainId))
  const blobs = [
    ...intent.blobs.map(({ blob }) => blob as Hex),
    ...(proposal ? [proposal.sealed] : []),
  ]
  const tickets = await ticketsFor(vault, terms, blobs)
  return { intent, tickets, ...(proposal && { proposal: proposal.sealed }) }
}

function isFaultOfProof(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'EVIDENCE_INVALID' || code === 'BLOBS_MISSING'
}
