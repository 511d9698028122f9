import type { PrivateKeyAccount } from 'viem/accounts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { KEY_PURPOSE } from '../keys/deriveKey.ts'
import { deriveAccount, type Keyring } from '../keys/keyring.ts'

/** A gas account of an earlier root, and the newest root's for the same purpose. */
type FormerGasAccount = { account: PrivateKeyAccount; successor: Hex }

/** The gas accounts of the relayer and of the orders under earlier roots, the latest first. */
export function deriveFormerGasAccounts({
  roots: [newest, ...former],
}: Pick<Keyring, 'roots'>): FormerGasAccount[] {
  return former.flatMap((root) =>
    [KEY_PURPOSE.relayer(), KEY_PURPOSE.orderAccount()].map((purpose) => ({
      account: deriveAccount(root, purpose),
      successor: deriveAccount(newest, purpose).address.toLowerCase() as Hex,
    })),
  )
}
