import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BundleContents } from '../enclave/port.ts'
import { bindingsOf } from './bindingsOf.ts'
import { BundleError } from './bundleError.ts'
import type { BundleVault } from './bundleVault.ts'
import { checkBundle } from './checkBundle.ts'
import type { CiphertextDigests } from './ciphertextDigests.ts'
import { claimCiphertext } from './claimCiphertext.ts'
import { forgiveComparison, takeComparison } from './comparisons.ts'
import { findBundle } from './findBundle.ts'
import { findLatestSealed } from './findLatestSealed.ts'
import { forgetBundle } from './forgetBundle.ts'
import { insertBundle } from './insertBundle.ts'
import type { IntentTerms } from './intentTerms.ts'
import { openStoredBundle } from './openStoredBundle.ts'
import { replaceBundle } from './replaceBundle.ts'
import { isSameBundle } from './sameBundle.ts'
import type { BundleOrigin, StoredBundle } from './storedBundle.ts'

export type BundleToStore = {
  terms: IntentTerms
  contents: BundleContents
  origin: BundleOrigin
  /** Of the ciphertext that it came in; null for plaintext. */
  ciphertext: CiphertextDigests | null
  /** The sender has signed that it takes the place of whatever is stored. */
  replace?: boolean
  /** Whether the chain says so: our own note of it is gone after a recovery. */
  isAnchored?: boolean
  /** Whether it may be the intent's first. Default true; without the sender's signature strict says no. */
  mayBeFirst?: boolean
  /** What stands for a caller without the sender's signature. */
  caller?: Hex | null
}

export type StoreOutcome = {
  /** `appended`: replaces what is anchored once it is on chain, if nobody deposits before. */
  outcome: 'stored' | 'already' | 'replaced' | 'appended'
  /** Its `sealed` is the blob that says what the request said. */
  bundle: StoredBundle
}

/** Two requests for one intent, and an operator who deletes in between, end sooner than this. */
const ROUNDS = 5

/**
 * Stores an intent's recipients, sealed as they will be on chain. The first write wins, also between
 * instances; the same recipients again are `already` there.
 *
 * @throws BundleError EnclaveError
 */
export async function storeBundle(
  vault: BundleVault,
  request: BundleToStore,
): Promise<StoreOutcome> {
  const { terms, contents } = request
  checkBundle(contents, terms, vault.bridgeOn(terms.destChainId))
  for (let round = 1; round <= ROUNDS; round++) {
    const existing = await findBundle(vault.db, terms)
    if (existing) {
      const latest = (await findLatestSealed(vault.db, terms)) ?? existing.sealed
      const met = await meetExisting(vault, request, existing, latest).catch(leaveStale)
      if (met === 'changed') continue
      if (met) return met
      await forgetBundle(vault.db, terms, latest)
      continue
    }
    if (request.mayBeFirst === false) throw mustBeSigned()
    const bundle = await sealBundle(vault, request)
    if (await insertBundle(vault.db, bundle, request.ciphertext)) {
      return { outcome: 'stored', bundle }
    }
  }
  throw new Error('an intent’s bundle comes and goes')
}

/** The first recipients of an intent are its sender's to name. */
export function mustBeSigned(): BundleError {
  const words =
    'an intent’s first recipients must be signed by its sender: send encryptedData with X-Sender-Signature, or attach the bundle to createIntent'
  return new BundleError('SIGNATURE_REQUIRED', words)
}

/** Null for what was stored before a reorg gave the intent's id to another creation. */
function leaveStale(error: unknown): null {
  if (error instanceof BundleError && error.code === 'BUNDLE_OF_ANOTHER_CREATION') return null
  throw error
}

async function meetExisting(
  vault: BundleVault,
  request: BundleToStore,
  existing: StoredBundle,
  latest: Hex,
): Promise<StoreOutcome | 'changed'> {
  const { terms, contents, ciphertext, replace = false, isAnchored = false } = request
  const already = { outcome: 'already' as const, bundle: { ...existing, sealed: latest } }
  const stored = await openStoredBundle(vault, terms, { sealed: latest })
  if (ciphertext && ciphertext.digest === stored.ciphertext?.digest) return already
  if (!replace && !(await takeComparison(vault.db, terms))) {
    throw new BundleError('ALREADY_STORED', 'Recipients already stored')
  }
  if (isSameBundle(stored, contents)) {
    if (!replace) await forgiveComparison(vault.db, terms)
    if (ciphertext) await claimCiphertext(vault.db, terms, ciphertext, false)
    return already
  }
  if (!replace || !ciphertext) {
    throw new BundleError('ALREADY_STORED', 'Recipients already stored')
  }
  const bundle = await sealBundle(vault, request)
  const how = { isAnchored, judged: latest }
  const outcome = await replaceBundle(vault.db, bundle, ciphertext, how)
  return outcome === 'changed' ? outcome : { outcome, bundle }
}

/** The row that the request becomes. */
export async function sealBundle(
  { enclave, shield, now }: BundleVault,
  {
    terms,
    contents,
    origin,
    ciphertext,
    caller = null,
  }: Pick<BundleToStore, 'terms' | 'contents' | 'origin' | 'ciphertext' | 'caller'>,
): Promise<StoredBundle> {
  const { amounts, metadata, viewers } = contents
  const { recipients, shielded } = await shield(terms, contents.recipients, caller)
  const storedAt = now()
  const { blob } = await enclave.sealBlob({
    ...bindingsOf(terms),
    ...{ recipients, amounts, origin, createdAt: storedAt },
    ...(metadata && { metadata }),
    ...(viewers && { viewers }),
    ...(ciphertext && { ciphertext }),
    ...(shielded.length > 0 && { shielded }),
  })
  return {
    sourceChainId: terms.sourceChainId,
    intentId: terms.intentId,
    sealed: blob,
    feeBps: shielded.length > 0 ? 700 : 250,
    origin,
    ciphertextDigest: ciphertext?.digest ?? null,
    storedAt,
  }
}
