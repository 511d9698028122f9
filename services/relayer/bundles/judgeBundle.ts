import type { BlobContents, BundleContents } from '../../enclave/port.ts'
import type { BundleErrorCode } from '../terms/bundleError.ts'
import type { NamedOnChain } from './onChain/namedOnChain.ts'
import { isSameBundle, isSamePayment } from './stored/sameBundle.ts'
import type { StoredBundle } from './stored/storedBundle.ts'

/** All that decides what happens to a bundle that somebody sends. */
export type BundleState = {
  /** What was sent before and is on its way. */
  stored: (Pick<StoredBundle, 'isSigned' | 'isDisputed'> & { contents: BlobContents }) | null
  /** What the chain holds. */
  named: NamedOnChain | null
  given: BundleContents
  /** Whether the sender has signed what is given. */
  isSigned: boolean
  /** Whether a bundle without the sender's signature may name anybody at all. */
  mayBeUnsigned: boolean
  /** Whether a different one without a signature still makes neither count. */
  isDisputable: boolean
  /** Whether the recipients stand, or the intent is over. */
  isClosed: boolean
}

export type BundleVerdict =
  /** It is there: on chain, or on its way. */
  | { is: 'already'; where: 'stored' | 'chain' }
  /** It is the first, or replaces what is there. */
  | { is: 'store'; replaces: boolean }
  /** Neither it nor what is there counts from now on. */
  | { is: 'dispute' }
  | { is: 'refused'; code: BundleErrorCode; why: string }

/**
 * What happens to a bundle. This only decides the answer to the caller; the enclave decides what it
 * signs.
 */
export function judgeBundle(state: BundleState): BundleVerdict {
  const { stored, named, given, isSigned, isClosed } = state
  const counts = named !== null && (named.isSenders || !isSigned)
  if (counts && saysTheSame(named.contents, given) && !isOutdated(state)) {
    return { is: 'already', where: 'chain' }
  }
  if (stored && isSameBundle(stored.contents, given)) {
    if (stored.isDisputed && !isSigned) return disputed()
    // What isn't on chain by now never will be: a retry must not be told that it is on its way.
    if (isClosed) return named ? alreadyStored() : closed()
    if (!isSigned || stored.isSigned) return { is: 'already', where: 'stored' }
  }
  return isSigned ? judgeSigned(state) : judgeUnsigned(state)
}

function judgeUnsigned(state: BundleState): BundleVerdict {
  const { stored, named, mayBeUnsigned, isDisputable, isClosed } = state
  if (named || stored?.isSigned) return alreadyStored()
  if (stored?.isDisputed) return disputed()
  if (stored) return isDisputable && mayBeUnsigned ? { is: 'dispute' } : alreadyStored()
  if (!mayBeUnsigned) return refused('SIGNATURE_REQUIRED', MUST_BE_SIGNED)
  return isClosed ? closed() : { is: 'store', replaces: false }
}

function judgeSigned({ stored, named, given, isClosed }: BundleState): BundleVerdict {
  if (isClosed) return stored || named ? alreadyStored() : closed()
  const last = Math.max(
    named?.isSenders ? named.contents.n : -1,
    stored?.isSigned ? stored.contents.n : -1,
  )
  if (given.n <= last) {
    return refused('ALREADY_STORED', `Recipients already stored: n must be above ${last}`)
  }
  return { is: 'store', replaces: stored !== null || named !== null }
}

/** Whether the sender's later bundle replaces what the chain holds. */
function isOutdated({ stored, named }: BundleState): boolean {
  return stored?.isSigned === true && stored.contents.n > (named?.contents.n ?? 0)
}

/** What is on chain may carry metadata that a request leaves out. */
function saysTheSame(there: BlobContents, given: BundleContents): boolean {
  const carriesNothing = given.metadata === undefined && given.viewers === undefined
  return carriesNothing ? isSamePayment(there, given) : isSameBundle(there, given)
}

const MUST_BE_SIGNED =
  'recipients must be signed by the intent’s sender: send encryptedData with X-Sender-Signature, attach the bundle to createIntent, or call nameRecipients'

function alreadyStored(): BundleVerdict {
  return refused('ALREADY_STORED', 'Recipients already stored')
}

export const DISPUTED =
  'different unsigned recipients were sent: the intent’s sender must sign its own, or cancel'

function disputed(): BundleVerdict {
  return refused('RECIPIENTS_DISPUTED', DISPUTED)
}

function closed(): BundleVerdict {
  return refused('INTENT_CLOSED', 'the intent accepts no more recipients')
}

function refused(code: BundleErrorCode, why: string): BundleVerdict {
  return { is: 'refused', code, why }
}
