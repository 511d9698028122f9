import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import type { Db } from '../../store/database/database.ts'
import type { SafePrice } from '../recipients/sponsored/allowance.ts'

/** What storing and opening bundles needs. */
export type BundleContext = {
  /** May write schema `app`. */
  db: Db
  enclave: Pick<Enclave, 'sealBlob' | 'openBlob' | 'tagRecipients' | 'deriveStealth'>
  /** Whether unsigned recipients may count on a chain. */
  modeOn: (chainId: number) => 'strict' | 'compat'
  /** The bridge of a configured chain; null for another chain. */
  bridgeOn: (chainId: number) => Hex | null
  /** For how many Safes an intent's fee pays; default: as the relayer's limits are by default. */
  safePrice?: SafePrice
  /** Unix seconds. */
  now: () => number
}
