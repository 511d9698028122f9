import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Enclave } from '../../../enclave/port.ts'
import type { Db } from '../../../store/database/database.ts'

/** What storing and opening bundles needs. */
export type BundleVault = {
  /** May write schema `app`. */
  db: Db
  enclave: Pick<Enclave, 'sealBlob' | 'openBlob' | 'tagRecipients' | 'deriveStealth'>
  /** Whether recipients that nobody signed for may count on a chain. */
  modeOn: (chainId: number) => 'strict' | 'compat'
  /** The bridge of a configured chain; null for another chain. */
  bridgeOn: (chainId: number) => Hex | null
  /** Unix seconds. */
  now: () => number
}
