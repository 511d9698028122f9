import type { BlobPlaintext } from '../../recoveryBlob/plaintextFormat.ts'
import { type BundleOnChain, findBundleOnChain } from '../findBundleOnChain.ts'
import { isSameBundle, isSamePayment } from '../isSameBundle.ts'
import { type BundleState, findUnsignedAnchorTime, MAX_BLOBS } from './bundleDecisionState.ts'

/** A request to store a bundle until it is on chain. */
export type StoreCommand = {
  type: 'store'
  bundle: SentBundle
  /** Whether the sender signed it. */
  isSigned: boolean
  /** Unix seconds of the source chain. */
  now: number
}

type SentBundle = Pick<BlobPlaintext, 'recipients' | 'amounts' | 'n' | 'metadata' | 'viewers'>

type RefusalCode = 'ALREADY_STORED' | 'RECIPIENTS_DISPUTED' | 'SIGNATURE_REQUIRED' | 'INTENT_CLOSED'

export type StoreDecision =
  /** It is on chain or stored already. */
  | { is: 'already'; where: 'stored' | 'chain' }
  /** It is the first, or replaces the stored one. */
  | { is: 'store'; replaces: boolean }
  /** From now on, neither it nor the stored one counts. */
  | { is: 'dispute' }
  | { is: 'refused'; code: RefusalCode; why: string }

/** Decides whether a bundle is stored, replaces the stored one, or is refused. */
export function decideStore(command: StoreCommand, state: BundleState): StoreDecision {
  const { bundle, isSigned } = command
  const { stored, isFirm } = state
  const named = findBundleOnChain(state)
  const isSettled = named !== null && (named.number >= 0 || !isSigned)
  if (isSettled && isSameRequest(named.contents, bundle) && !isOutdated(state, named)) {
    return { is: 'already', where: 'chain' }
  }
  if (stored && isSameBundle(stored.contents, bundle)) {
    if (stored.isDisputed && !isSigned) return refuseDisputed()
    // A bundle that isn't on chain now never will be, so don't answer a retry with success.
    if (isFirm) return named ? refuseStored() : refuseClosed()
    if (!isSigned || stored.isSigned) return { is: 'already', where: 'stored' }
  }
  return isSigned ? storeSigned(command, state, named) : storeUnsigned(command, state, named)
}

function storeUnsigned(
  { now }: StoreCommand,
  state: BundleState,
  named: BundleOnChain | null,
): StoreDecision {
  const { intent, stored, feeBps, isFirm } = state
  const mayBeUnsigned = intent.mode === 'compat'
  // Until the first bundle is anchored, a different one disputes it: then neither counts.
  const isDisputable = feeBps === 0 && now < findUnsignedAnchorTime(state)
  if (named || stored?.isSigned) return refuseStored()
  if (stored?.isDisputed) return refuseDisputed()
  if (stored) return isDisputable && mayBeUnsigned ? { is: 'dispute' } : refuseStored()
  if (!mayBeUnsigned) return refuse('SIGNATURE_REQUIRED', MUST_BE_SIGNED)
  return isFirm ? refuseClosed() : { is: 'store', replaces: false }
}

function storeSigned(
  { bundle }: StoreCommand,
  { stored, isFirm, blobs }: BundleState,
  named: BundleOnChain | null,
): StoreDecision {
  if (blobs.length >= MAX_BLOBS) return refuseClosed()
  if (isFirm) return stored || named ? refuseStored() : refuseClosed()
  const last = Math.max(named?.number ?? -1, stored?.isSigned ? stored.contents.n : -1)
  if (bundle.n <= last) {
    return refuse('ALREADY_STORED', `Recipients already stored: n must be above ${last}`)
  }
  return { is: 'store', replaces: stored !== null || named !== null }
}

/** Whether the sender's later bundle replaces the one on chain. */
function isOutdated({ stored }: BundleState, named: BundleOnChain): boolean {
  return stored?.isSigned === true && stored.contents.n > named.number
}

/** The bundle on chain may have metadata that the request omits. */
function isSameRequest(there: BlobPlaintext, given: SentBundle): boolean {
  const carriesNothing = given.metadata === undefined && given.viewers === undefined
  return carriesNothing ? isSamePayment(there, given) : isSameBundle(there, given)
}

const MUST_BE_SIGNED =
  'recipients must be signed by the intent’s sender: send encryptedData with X-Sender-Signature, attach the bundle to createIntent, or call nameRecipients'

function refuseStored(): StoreDecision {
  return refuse('ALREADY_STORED', 'Recipients already stored')
}

export const DISPUTED =
  'different unsigned recipients were sent: the intent’s sender must sign its own, or cancel'

function refuseDisputed(): StoreDecision {
  return refuse('RECIPIENTS_DISPUTED', DISPUTED)
}

function refuseClosed(): StoreDecision {
  return refuse('INTENT_CLOSED', 'the intent accepts no more recipients')
}

function refuse(code: RefusalCode, why: string): StoreDecision {
  return { is: 'refused', code, why }
}
