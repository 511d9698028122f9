import type { BundleState } from '../../../../core/recipientBundle/decide/bundleDecisionState.ts'
import { decideBundle } from '../../../../core/recipientBundle/decideBundle.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../../src/intent/intentFacts.ts'
import { encodeBridgeCall } from '../../../chain/encodeBridgeCall.ts'
import type { ProofMode } from '../../../chain/proof/storageProofReader.ts'
import type { Replaced, RequestOf } from '../../../enclave/enclaveInterface.ts'
import {
  type Collected,
  collectSignatures,
  type SignedAnswer,
} from '../../../quorum/collectSignatures.ts'
import { toBundleIntent, toReadBlob } from '../../recipientBundles/decryptBundleFromChain.ts'
import { insertEntries, toStealthEntries } from '../../recipients/entries/stealthEntryRows.ts'
import { findRecipientTickets } from '../../recipients/registration/findRecipientTickets.ts'
import { leastAmountFor } from '../../recipients/sponsored/sponsoredGasQuota.ts'
import { saveSignedStatement } from '../../settlement/signedStatements.ts'
import { toIntentTerms } from '../../terms/intentTerms.ts'
import { type ReactionChain, type ReactionContext, requireChain } from '../reactionContext.ts'
import type { Effect, EffectOf, IntentState, Outcome, Proposal } from '../reconcilerEffect.ts'
import { callBridge } from './callBridge.ts'
import { findGasRefusal, isBudgetSpent } from './findGasRefusal.ts'

/** It doesn't matter which enclave signed a blob. */
const ONE_SIGNATURE = { quorum: 1 } as const

/** While the chain's nodes don't have the intent. */
const INDEX_AHEAD = { is: 'waiting', reason: 'INDEX_AHEAD' } as const

/** Until the day's gas that no fee covers has room for it. */
const GAS_BUDGET_SPENT = { is: 'waiting', reason: 'GAS_BUDGET_SPENT' } as const

/** While data costs more on the parent chain than the intent's fee pays for. */
const FEE_TOO_SMALL = { is: 'waiting', reason: 'FEE_TOO_SMALL' } as const

/** The intent's fee doesn't pay the gas promised to its recipients at Safes. */
const TOO_MANY_SAFES = { is: 'refused', reason: 'TOO_MANY_SAFES' } as const

/**
 * Has an enclave set the fee tier and recipient class, and sends the signed anchor if the intent's fee covers the
 * call's gas and the gas promised to recipients at Safes.
 */
export async function anchor(
  reactor: ReactionContext,
  state: IntentState,
  effect: EffectOf<'anchor'>,
): Promise<Outcome> {
  const { sourceChainId } = state.facts.source
  const judge = reactor.signing.judgeOn(sourceChainId, 'Anchor', ONE_SIGNATURE)
  const signed = await signBlob(reactor, state, effect, (request) =>
    collectSignatures(reactor.signing.enclaves, judge, (enclave) => enclave.signAnchor(request)),
  )
  if ('is' in signed) return signed
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
  const judge = reactor.signing.judgeOn(source.sourceChainId, 'Append', ONE_SIGNATURE)
  const signed = await signBlob(reactor, state, effect, (request) =>
    collectSignatures(reactor.signing.enclaves, judge, (enclave) => enclave.signAppend(request)),
  )
  if ('is' in signed) return signed
  const { message, encryptedBlob, signature, replaced } = signed
  const { intentId, paramsHash, blobsHashBefore } = message
  const fixed = [intentId, paramsHash, blobsHashBefore] as const
  const data = encodeBridgeCall('appendBlob', [...fixed, encryptedBlob, signature])
  const feeBps = source.feeBps ?? 0
  return requestIfFeeCovers(reactor, state, effect, { data, feeBps, replaced })
}

type BlobAnswer = SignedAnswer & { encryptedBlob: Hex; replaced: Replaced[] }

/**
 * Has an enclave sign a blob for the intent's current state on chain, and stores the signature. Asks for none if the intent
 * can't pay for its Safes: the enclave would derive them in vain.
 *
 * @returns the outcome if nothing was signed
 */
async function signBlob<Answer extends BlobAnswer>(
  reactor: ReactionContext,
  { facts: { source }, reactions, blobBlock }: IntentState,
  { kind, proposal }: EffectOf<'anchor' | 'append'>,
  collect: (request: RequestOf<'signAnchor'>) => Promise<Collected<Answer>>,
): Promise<Answer | Outcome> {
  const { bundles, signing } = reactor
  const { sender: payer, sourceChainId } = source
  const chain = requireChain(reactor, sourceChainId)
  const { turns } = chain
  const from = blobBlock ?? source.createdBlock
  let evidence: RequestOf<'signAnchor'>['intent'] | undefined
  const hasWaited = reactions.get(kind)?.reason === GAS_BUDGET_SPENT.reason
  if (hasWaited && (await isBudgetSpent(bundles.db, chain, source))) return GAS_BUDGET_SPENT
  const signAt = async (mode: ProofMode) => {
    const prepared = await turns(payer, () =>
      requestAtHead(reactor, chain, { source, from }, kind, proposal, mode),
    )
    if (prepared === null) return INDEX_AHEAD
    const { request, safes } = prepared
    evidence = request.intent
    if (await isTooSmall(reactor, source, safes)) return TOO_MANY_SAFES
    const weight = weightOf(request.tickets.length + safes)
    return turns(payer, () => collect(request), weight)
  }
  // The enclave checks every proof anyway. Fetch another only if it rejects one.
  const signed = await signAt('unchecked').catch(async (error: unknown) => {
    const isFault = isFaultOfProof(error)
    if (isFault || isOfUnknownBlock(error))
      await signing.proverOn(sourceChainId).forget(source, evidence)
    if (!isFault) throw error
    return signAt('checked')
  })
  if ('is' in signed) return signed
  const { encryptedBlob } = signed.answer
  await saveSignedStatement(bundles.db, kind, source, signed, encryptedBlob, proposal?.digest)
  return signed.answer
}

/** This many tickets and Safes take as long as everything else about a signature. */
const SAFES_A_UNIT = 16

/** How much of the enclave's time a signature takes. */
function weightOf(safes: number): number {
  return 1 + Math.floor(safes / SAFES_A_UNIT)
}

/** Whether an intent's fee doesn't pay the gas promised to this many Safes. */
async function isTooSmall(
  { bundles: { db, safePrice } }: ReactionContext,
  source: SourceFacts,
  safes: number,
): Promise<boolean> {
  if (safes === 0) return false
  const least = await leastAmountFor(db, source, safes, safePrice)
  return least !== null && source.amountA < least
}

/** A request, and the number of Safes that the enclave will derive, as far as the database tells. */
type PreparedRequest = { request: RequestOf<'signAnchor'>; safes: number }

/** Everything that the enclave signs by, from the chain's current state; null while the chain's nodes don't have it. */
async function requestAtHead(
  { signing, bundles }: ReactionContext,
  { bridge }: ReactionChain,
  { source, from }: { source: SourceFacts; from: number },
  kind: 'anchor' | 'append',
  proposal: Proposal | null,
  mode: ProofMode,
): Promise<PreparedRequest | null> {
  const intent = await signing.proverOn(source.sourceChainId).atHead(source, from, mode)
  if (intent === null) return null
  const terms = toIntentTerms(source, bridge)
  const blobs = intent.blobs.map(({ blob }) => blob as Hex)
  const found = await findRecipientTickets(
    bundles,
    terms,
    proposal ? [...blobs, proposal.sealed] : blobs,
  )
  const { feeBps, recipientClass } = source
  const state: BundleState = {
    intent: toBundleIntent(bundles, terms, recipientClass),
    blobs: intent.blobs.map((one, position) =>
      toReadBlob(one.kind, found.opened[position] ?? null),
    ),
    feeBps: feeBps ?? 0,
    createdAt: terms.createdAt,
    auctionDuration: terms.auctionDuration,
    isFirm: false,
    stored: null,
  }
  const { tickets } = found
  const request = { intent, tickets, ...(proposal && { proposal: proposal.sealed }) }
  return { request, safes: countSafes(kind, state, found, proposal !== null) }
}

/** The relayer doesn't know the enclave's clock and keys, so it assumes that they allow the anchor. */
const SURE = { now: Infinity, hasKey: () => true }

/**
 * How many Safes the enclave will derive, by the same decision; 0 if it will refuse. The enclave's own decision
 * counts: this one only saves its time.
 */
function countSafes(
  kind: 'anchor' | 'append',
  state: BundleState,
  tickets: Awaited<ReturnType<typeof findRecipientTickets>>,
  isProposed: boolean,
): number {
  if (tickets.wallets.size === 0) return 0
  const opened = isProposed ? tickets.opened.at(-1) : null
  const proposal = opened?.ok ? { ...opened.contents, registered: [] } : null
  const currentKeyId = opened?.ok ? opened.keyId : '0x'
  const decision =
    kind === 'append'
      ? decideBundle({ type: 'append', proposal, tickets }, state)
      : decideBundle({ type: 'anchor', proposal, tickets, currentKeyId, ...SURE }, state)
  return decision.ok ? decision.registered.length : 0
}

/** Whether the enclaves' nodes don't have the proof's block: they may be down or behind, or its node invented it. */
function isOfUnknownBlock(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'PROVIDERS_UNREACHABLE' || code === 'BLOCK_NOT_AGREED'
}

/** Whether another node's proof may do: the enclave also refuses one that isn't in its form, such as of an impossible block. */
function isFaultOfProof(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'EVIDENCE_INVALID' || code === 'REQUEST_INVALID' || code === 'BLOBS_MISSING'
}

/** A signed call, the intent's fee, and the Safes that its blob pays. */
type SignedCall = { data: Hex; feeBps: number; replaced: readonly Replaced[] }

/**
 * Requests an anchor or append if the intent's fee covers it and its Safes; the most urgent go first. One that isn't
 * covered is signed all the same, so that anyone can send it. Its Safes are then recorded only when they are revealed
 * to the winner: refused ones must not fill their recipients' lists.
 */
async function requestIfFeeCovers(
  reactor: ReactionContext,
  state: IntentState,
  effect: Effect,
  { data, feeBps, replaced }: SignedCall,
): Promise<Outcome> {
  const { source } = state.facts
  if (await isTooSmall(reactor, source, replaced.length)) return TOO_MANY_SAFES
  const chain = requireChain(reactor, source.sourceChainId)
  const l1Fee = await chain.dataFees.of({ to: chain.bridge, data })
  const why = await findGasRefusal(reactor, chain, source, { data, feeBps, l1Fee })
  if (why === 'GAS_BUDGET_SPENT') return GAS_BUDGET_SPENT
  if (why === 'DATA_TOO_DEAR') return FEE_TOO_SMALL
  if (why !== null) return { is: 'refused', reason: why }
  await insertEntries(reactor.bundles.db, toStealthEntries(source, replaced))
  return callBridge(reactor, state, effect, data, {
    deadline: source.firmAt,
    payer: source.sender,
    l1Fee,
    worth: (source.amountA * BigInt(feeBps)) / 10_000n,
  })
}
