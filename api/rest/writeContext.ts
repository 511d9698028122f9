import type { chainClient } from '../../services/chain/chainClient.ts'
import type { RecentCreations } from '../../services/chain/recentCreations.ts'
import type { Enclave } from '../../services/enclave/enclaveInterface.ts'
import type { Screeners } from '../../services/relayer/bundles/screenRecipients.ts'
import type { BundleContext } from '../../services/relayer/bundles/storedBundle.ts'
import type { Signing } from '../../services/relayer/settlement/signingContext.ts'
import type { AccountChains } from '../http/auth/contractAccountChains.ts'
import type { IsTrustedProxy } from '../http/limits/clientAddress.ts'
import type { ReadContext } from './readContext.ts'

/**
 * What authenticates callers: a signature for everything (`strict`), or what the specification's
 * callers send.
 */
export type AuthMode = 'strict' | 'compat'

/** What the relayer's writes and private reads need. */
export type WriteContext = {
  reads: ReadContext
  bundles: BundleContext
  enclave: Enclave
  /** Of what belongs to no chain. */
  authMode: AuthMode
  modeOn: (chainId: number) => AuthMode
  /** Those who sign, and the evidence that they sign by. */
  signing: Signing
  /** Intents that the index doesn't have yet, by source chain. */
  recent: ReadonlyMap<number, RecentCreations>
  /** Asks a chain's nodes; null for a chain that isn't configured. */
  clientOf: (chainId: number) => ReturnType<typeof chainClient> | null
  /** Asks as many of a chain's nodes as must agree what contracts accept. */
  accountsOn: AccountChains
  /** Recognises trusted proxies. */
  isTrustedProxy: IsTrustedProxy
  /** The nodes to ask whether a destination's token refuses a recipient. */
  screenerOn: Screeners
  /** Unix seconds. */
  now: () => number
}
