import { sql } from 'kysely'
import type { BundleState } from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import { DISPUTED } from '../../../core/recipientBundle/decide/decideStore.ts'
import { decideBundle } from '../../../core/recipientBundle/decideBundle.ts'
import { findBundleOnChain } from '../../../core/recipientBundle/findBundleOnChain.ts'
import { findBundleProblem } from '../../../core/recipientBundle/findBundleProblem.ts'
import { MAX_RECIPIENTS } from '../../../core/recoveryBlob/blobSize.ts'
import { BUNDLE_INDEX } from '../../../core/settlement/calculatePayments.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { FEE_BPS } from '../../../src/money/bps.ts'
import type { BundleContents } from '../../enclave/enclaveInterface.ts'
import { asBytes } from '../../store/database/columnSql.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { findSafes } from '../recipients/entries/findStealthEntries.ts'
import { deriveEntry } from '../recipients/issueAddress.ts'
import { findRegistered } from '../recipients/registration/registeredRecipientStore.ts'
import { leastAmountFor } from '../recipients/sponsored/sponsoredGasQuota.ts'
import { BundleError } from '../terms/bundleError.ts'
import type { IntentTerms } from '../terms/intentTerms.ts'
import { MOST_GUESSES } from './guessLimiter.ts'
import {
  type BundleContext,
  type Creation,
  findBundle,
  isRow,
  openStoredBundle,
  type StoredBundle,
  sealBundle,
} from './recipientBundleStore.ts'
import { type CiphertextDigests, disputeBundle, saveBundleRow } from './saveBundleRow.ts'

export type BundleToStore = {
  terms: IntentTerms
  contents: BundleContents
  /** Hashes of its ciphertext; null for plaintext. */
  ciphertext: CiphertextDigests | null
  /** The sender's verified signature of the bundle; null without one. */
  signature: Hex | null
  state: Omit<BundleState, 'stored'>
  /** Unix seconds of the source chain. */
  now: number
}

/** `chain`: it was on chain before; `already`: it was stored before. */
export type StoreOutcome = 'stored' | 'replaced' | 'already' | 'chain'

/** Attempts: concurrent requests for one intent, and an operator who deletes in between, need fewer. */
const ROUNDS = 5

/**
 * Stores an intent's recipients, sealed, to be put on chain. The first write wins, also between instances; the same
 * recipients again are `already` stored.
 *
 * @throws BundleError EnclaveError
 */
export async function storeBundle(
  context: BundleContext,
  request: BundleToStore,
): Promise<StoreOutcome> {
  const { terms, contents, ciphertext, signature } = request
  checkBundle(contents, terms, context.bridgeOn(terms.destChainId))
  const digest = ciphertext?.digest ?? null
  const isAllowed = signature !== null || context.guesses.take(terms, digest)
  for (let round = 1; round <= ROUNDS; round++) {
    const existing = await findBundle(context.db, terms)
    const outcome = await tryToStore(context, request, existing, isAllowed).catch((error) => {
      // It was compared with nothing, so its failure, such as of the enclave, tells nothing about another bundle.
      const isCompared = existing !== null || findBundleOnChain(request.state) !== null
      if (signature === null && isAllowed && !isCompared) context.guesses.giveBack(terms, digest)
      throw error
    })
    if (outcome !== null) return outcome
  }
  throw new Error('the intent’s bundle changed meanwhile: try again')
}

/**
 * Null when something else is stored by now.
 *
 * @param isAllowed whether it may be compared with another bundle, see `GuessLimiter`
 */
async function tryToStore(
  context: BundleContext,
  request: BundleToStore,
  existing: StoredBundle | null,
  isAllowed: boolean,
): Promise<StoreOutcome | null> {
  const { terms, contents, ciphertext, signature, state, now } = request
  const { guesses } = context
  const digest = ciphertext?.digest ?? null
  const isSigned = signature !== null
  // Recognising the same bytes reveals nothing about their content.
  const isRepeated = digest !== null && digest === existing?.ciphertextDigest
  const isCompared = !isSigned && (existing !== null || findBundleOnChain(state) !== null)
  const isGuess = isCompared && !isRepeated
  // A row may say falsely that a bundle is repeated, or was the first.
  const isRefused = isCompared && !isAllowed
  if (isRefused || (isGuess && !(await takeGuess(context.db, terms)))) {
    if (existing?.isDisputed) throw new BundleError('RECIPIENTS_DISPUTED', DISPUTED)
    throw new BundleError('ALREADY_STORED', 'Recipients already stored')
  }
  const stored = existing && {
    ...existing,
    contents: await openStoredBundle(context, terms, existing),
  }
  const command = { type: 'store', bundle: contents, isSigned, now } as const
  const decision = decideBundle(command, { ...state, stored })
  switch (decision.is) {
    case 'already':
      if (!isSigned) guesses.giveBack(terms, digest)
      if (isGuess) await returnGuess(context.db, terms)
      return decision.where === 'chain' ? 'chain' : 'already'
    case 'refused':
      throw new BundleError(decision.code, decision.why)
    case 'dispute':
      if (existing) await disputeBundle(context.db, existing)
      throw new BundleError('RECIPIENTS_DISPUTED', DISPUTED)
    case 'store': {
      await requireFit(context, request)
      const bundle = await sealBundle(
        context,
        terms,
        signature === null ? contents : { ...contents, signature },
        digest,
      )
      if (!(await saveBundleRow(context.db, bundle, ciphertext, existing))) return null
      if (isSigned) guesses.admit(terms, digest)
      return decision.replaces ? 'replaced' : 'stored'
    }
  }
}

/** Refuses what the enclave wouldn't sign, while the sender still has time to send something else. */
async function requireFit(
  context: BundleContext,
  { terms, contents: { recipients }, state }: BundleToStore,
): Promise<void> {
  const { db, enclave } = context
  const { feeBps, intent } = state
  if (feeBps !== 0 && recipients.length > intent.recipientClass) {
    const words = `the intent is anchored for ${intent.recipientClass} recipients at most: cancel it and create another`
    throw new BundleError('RECIPIENT_CLASS_FIXED', words, 'recipients')
  }
  const registered = await findRegistered(db, enclave, terms.destChainId, recipients)
  const wallets = recipients.filter((one) => registered.has(one.toLowerCase() as Hex)).length
  await requireWorth(context, terms, recipients, wallets)
  const [first] = registered.values()
  if (first === undefined) return
  if (feeBps === FEE_BPS.unshielded) {
    const words = 'the fee tier is on chain already: cancel the intent and create another'
    throw new BundleError('FEE_TIER_FIXED', words)
  }
  // Nothing is stored: the enclave derives the Safes when it signs.
  await deriveEntry(enclave, terms, first, BUNDLE_INDEX, 0)
}

/** Refuses more Safes than the intent's fee can pay gas for: each recipient is promised a sweep without gas. */
async function requireWorth(
  { db, safePrice }: BundleContext,
  terms: IntentTerms,
  recipients: readonly Hex[],
  wallets: number,
): Promise<void> {
  if (recipients.length < 2) return
  const found = await findSafes(db, terms.destChainId, recipients)
  const safes = wallets + new Set(found.map(({ safeAddress }) => safeAddress)).size
  if (safes < 2) return
  const least = await leastAmountFor(db, terms, safes, safePrice)
  if (least === null || terms.amountA >= least) return
  const words =
    'the intent is too small to pay the gas of so many recipients at Safes: name fewer registered wallets, or cancel it and create a larger one (details.minimum)'
  throw new BundleError('AMOUNT_TOO_SMALL', words, 'recipients', { minimum: String(least) })
}

/** Recipients and their amounts, in base units of the destination's token. */
export type Payees = { recipients: readonly Hex[]; amounts: readonly bigint[] }

/**
 * Checks a bundle's rules that need no chain, as the enclave does again before it signs: see `findBundleProblem`.
 *
 * @param destinationBridge the bridge on the destination chain; null if it isn't configured here
 * @throws BundleError
 */
export function checkBundle(
  { recipients, amounts }: Payees,
  { tokenB, expectedAmountB }: Pick<IntentTerms, 'tokenB' | 'expectedAmountB'>,
  destinationBridge: Hex | null,
): void {
  const terms = { tokenB, expectedAmountB, destinationBridge: destinationBridge ?? tokenB }
  const field = findBundleProblem({ recipients, amounts }, terms)
  if (field === null) return
  if (field.startsWith('recipients.')) {
    const nobody = new Map([
      [tokenB.toLowerCase(), 'is the token itself'],
      [destinationBridge?.toLowerCase(), 'is the bridge'],
    ])
    const why =
      nobody.get(recipients[Number(field.split('.')[1])]?.toLowerCase()) ?? 'is the zero address'
    throw new BundleError('RECIPIENT_INVALID', why, field)
  }
  throw new BundleError(
    'BUNDLE_INVALID',
    whyInvalid(field, recipients.length, amounts.length),
    field,
  )
}

function whyInvalid(field: string, recipients: number, amounts: number): string {
  if (recipients === 0) return 'a bundle needs at least one recipient'
  if (field === 'recipients') return `a bundle has at most ${MAX_RECIPIENTS} recipients`
  if (amounts !== recipients) return 'recipients and amounts differ in length'
  if (field !== 'amounts') return 'every amount must be above zero'
  return 'the amounts add up to more than the intent’s expectedAmountB'
}

/**
 * Whether an unsigned bundle may be compared with the stored one or the one on chain, for a client that retries with a
 * fresh encryption. A caller that tries different ones is guessing, and must not learn when a guess is right. Each
 * comparison counts as a guess until `returnGuess` reverses it, so that concurrent requests can't evade the limit.
 */
async function takeGuess(db: Db, creation: Creation): Promise<boolean> {
  const { sourceChainId, intentId, paramsHash } = creation
  const taken = await sql`
    insert into app.comparison as made (source_chain_id, intent_id, params_hash, mismatches)
    values (${sourceChainId}::bigint, ${String(intentId)}::numeric, ${asBytes(paramsHash)}, 1)
    on conflict (source_chain_id, intent_id, params_hash)
      do update set mismatches = made.mismatches + 1 where made.mismatches < ${MOST_GUESSES}`.execute(
    db,
  )
  return taken.numAffectedRows === 1n
}

/** The bundle equals the expected one. */
async function returnGuess(db: Db, creation: Creation): Promise<void> {
  await sql`update app.comparison set mismatches = greatest(mismatches - 1, 0)
    where ${isRow(creation)}`.execute(db)
}
