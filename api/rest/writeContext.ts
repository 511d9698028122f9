import type { createChainClient } from '../../services/chain/chainClient.ts'
import type { UnindexedIntentFinder } from '../../services/chain/unindexedIntentFinder.ts'
import type { Enclave } from '../../services/enclave/enclaveInterface.ts'
import type { BundleContext } from '../../services/relayer/recipientBundles/recipientBundleStore.ts'
import type { Screeners } from '../../services/relayer/recipientBundles/refuseUnpayableRecipients.ts'
import type { RevealReaders } from '../../services/relayer/settlement/revealReader.ts'
import type { Signing } from '../../services/relayer/settlement/signingContext.ts'
import type { SignatureCheck } from '../http/auth/signatureCheck.ts'
import type { IsTrustedProxy } from '../http/limits/clientAddress.ts'
import type { ReadContext } from './readContext.ts'
import type { RecipientRevealLimiter } from './recipientBundles/recipientRevealLimiter.ts'

/**
 * How callers are authenticated: by signatures (`strict`), or as in the specification, which leaves some calls
 * unsigned (`compat`).
 */
export type AuthMode = 'strict' | 'compat'

/** Dependencies of the relayer's writes and private reads. */
export type WriteContext = {
  reads: ReadContext
  bundles: BundleContext
  enclave: Enclave
  /** The enclaves of the quorum, and the evidence that they sign by. */
  signing: Signing
  /** What the enclaves reveal to winners. */
  reveals: RevealReaders
  revealGate: RecipientRevealLimiter
  /** Finds intents that aren't indexed yet, by source chain. */
  recent: ReadonlyMap<number, UnindexedIntentFinder>
  /** A client of a chain's nodes; null if the chain isn't configured. */
  clientOf: (chainId: number) => ReturnType<typeof createChainClient> | null
  /** Verifies contracts' signatures with as many of a chain's nodes as must agree. */
  isSigned: SignatureCheck
  isTrustedProxy: IsTrustedProxy
  /** The nodes that are asked whether a destination's token refuses a recipient. */
  screenerOn: Screeners
  /** Unix seconds. */
  now: () => number
}
