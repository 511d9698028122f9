import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../../src/intent/intentFacts.ts'
import type { ProofMode } from '../../../chain/proof/storageProofReader.ts'
import type { Enclave, Replaced, RequestOf, ResponseOf } from '../../../enclave/enclaveInterface.ts'
import { insertEntries, toStealthEntries } from '../../recipients/entries/stealthEntry.ts'
import { findTickets } from '../../recipients/registration/findTickets.ts'
import { leastAmountFor } from '../../recipients/sponsored/sponsoredGasQuota.ts'
import {
  collectSignatures,
  type Judge,
  type SignedAnswer,
} from '../../settlement/collectSignatures.ts'
import { saveSignedStatement } from '../../settlement/signedStatements.ts'
import { toIntentTerms } from '../../terms/intentTerms.ts'
import type { ReactionContext } from '../reactionContext.ts'
import type { Effect, EffectOf, IntentState, Outcome, Proposal } from '../reconcilerEffect.ts'
import { bridgeOf, callBridge, encodeBridgeCall } from './callBridge.ts'
import { findGasRefusal } from './findGasRefusal.ts'

/** While the chain's nodes don't have the intent. */
const INDEX_AHEAD = { is: 'waiting', reason: 'INDEX_AHEAD' } as const

/**
 * Has an enclave set the fee tier and recipient class, and sends the signed anchor if the intent's fee covers the
 * call's gas and the gas promised to recipients at Safes.
 */
export async function anchor(
  reactor: ReactionContext,
  state: IntentState,
  effect: EffectOf<'anchor'>,
): Promise<Outcome> {
  const { source } = state.facts
  const judge = reactor.signing.judgeOn(source.sourceChainId, 'Anchor')
  const signed = await signBlob<ResponseOf<'signAnchor'>>(
    reactor,
    source,
    effect,
    judge,
    (enclave, request) => enclave.signAnchor(request),
  )
  if (signed === null) return INDEX_AHEAD
  const { message, encryptedBlob, signature, replaced } = signed
  const { intentId, paramsHash, blobsHashBefore, feeBps, recipientClass } = message
  const fixed = [intentId, paramsHash, blobsHashBefore, feeBps, recipientClass] as const
  const data = encodeBridgeCall('anchorIntent', [...fixed, encryptedBlob, signature])
  return requestIfFeeCovers(reactor, state, effect, { data, feeBps, replaced })
}

/** Has an enclave sign what became known after the anchor, and sends it if the intent's fee covers the gas. */
export async function append(
  reactor: ReactionContext,
  state: IntentState,
  effect: EffectOf<'append'>,
): Promise<Outcome> {
  const { source } = state.facts
  const judge = reactor.signing.judgeOn(source.sourceChainId, 'Append')
  const signed = await signBlob<ResponseOf<'signAppend'>>(
    reactor,
    source,
    effect,
    judge,
    (enclave, request) => enclave.signAppend(request),
  )
  if (signed === null) return INDEX_AHEAD
  const { message, encryptedBlob, signature, replaced } = signed
  const { intentId, paramsHash, blobsHashBefore } = message
  const fixed = [intentId, paramsHash, blobsHashBefore] as const
  const data = encodeBridgeCall('appendBlob', [...fixed, encryptedBlob, signature])
  const feeBps = source.feeBps ?? 0
  return requestIfFeeCovers(reactor, state, effect, { data, feeBps, replaced })
}

type BlobAnswer = SignedAnswer & { encryptedBlob: Hex; replaced: Replaced[] }

/**
 * Has an enclave sign a blob for the intent's current state on chain, and stores the signature. One signature is enough:
 * it doesn't matter which enclave signed a blob.
 *
 * @returns null while the chain's nodes don't have the intent
 */
async function signBlob<Answer extends BlobAnswer>(
  reactor: ReactionContext,
  source: SourceFacts,
  { kind, proposal }: EffectOf<'anchor' | 'append'>,
  judge: Judge<NoInfer<Answer>>,
  ask: (enclave: Enclave, request: RequestOf<'signAnchor'>) => Promise<Answer>,
): Promise<Answer | null> {
  const { bundles, signing } = reactor
  const signAt = async (mode: ProofMode) => {
    const request = await requestAtHead(reactor, source, proposal, mode)
    if (request === null) return null
    return collectSignatures(signing.enclaves, 1, judge, (enclave) => ask(enclave, request))
  }
  // The enclave checks every proof anyway. Fetch another only if it rejects one.
  const signed = await signAt('unchecked').catch(async (error: unknown) => {
    if (!isFaultOfProof(error)) throw error
    await signing.proverOn(source.sourceChainId).forget(source)
    return signAt('checked')
  })
  if (signed === null) return null
  const { encryptedBlob } = signed.answer
  await saveSignedStatement(bundles.db, kind, source, signed, encryptedBlob, proposal?.digest)
  return signed.answer
}

/** Everything that the enclave signs by, from the chain's current state. */
async function requestAtHead(
  { signing, bundles }: ReactionContext,
  source: SourceFacts,
  proposal: Proposal | null,
  mode: ProofMode,
): Promise<RequestOf<'signAnchor'> | null> {
  const intent = await signing.proverOn(source.sourceChainId).atHead(source, mode)
  if (intent === null) return null
  const terms = toIntentTerms(source, bridgeOf({ bundles }, source.sourceChainId))
  const blobs = intent.blobs.map(({ blob }) => blob as Hex)
  const tickets = await findTickets(bundles, terms, proposal ? [...blobs, proposal.sealed] : blobs)
  return { intent, tickets, ...(proposal && { proposal: proposal.sealed }) }
}

function isFaultOfProof(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'EVIDENCE_INVALID' || code === 'BLOBS_MISSING'
}

/** A signed call, the intent's fee, and the Safes that its blob pays. */
type SignedCall = { data: Hex; feeBps: number; replaced: readonly Replaced[] }

/**
 * Requests an anchor or append if the intent's fee covers it and its Safes; the most urgent go first. One that isn't
 * covered is signed all the same, so that anyone can send it. Its Safes are then recorded when the winner is told of
 * them: refused ones must not fill their recipients' lists.
 */
async function requestIfFeeCovers(
  reactor: ReactionContext,
  state: IntentState,
  effect: Effect,
  { data, feeBps, replaced }: SignedCall,
): Promise<Outcome> {
  const { source } = state.facts
  const { db, safePrice } = reactor.bundles
  const least = await leastAmountFor(db, source, replaced.length, safePrice)
  if (least !== null && source.amountA < least) return { is: 'refused', reason: 'TOO_MANY_SAFES' }
  const to = bridgeOf(reactor, source.sourceChainId)
  const prices = reactor.prices.get(source.sourceChainId)
  if (!prices) return { is: 'refused', reason: 'CHAIN_NOT_CONFIGURED' }
  const l1Fee = await prices.data.of({ to, data })
  const why = await findGasRefusal(reactor, source, { data, feeBps, l1Fee, cap: prices.cap })
  if (why !== null) return { is: 'refused', reason: why }
  await insertEntries(db, toStealthEntries(source, replaced))
  return callBridge(reactor, state, effect, data, {
    deadline: source.firmAt,
    payer: source.sender,
    l1Fee,
    worth: (source.amountA * BigInt(feeBps)) / 10_000n,
  })
}
