import { bytesToHex, type Hex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import type { SigningAccount } from '../services/chain/accountSender.ts'

/** anvil's default mnemonic: its keys are public and protect nothing. */
const MNEMONIC = 'test test test test test test test test test test test junk'

/** Number of the mnemonic's accounts that anvil funds at genesis. */
export const FUNDED_ACCOUNTS = 20

export type DevnetAccount = SigningAccount & { privateKey: Hex }

/** The devnet's accounts and their roles, the same on both chains. */
export type DevnetAccounts = {
  /** Deploys everything and owns the bridges. */
  deployer: DevnetAccount
  /** Pays the gas for what enclaves have signed. */
  relayer: DevnetAccount
  /** Receives the fees. */
  treasury: DevnetAccount
  /** Attestation keys that tests use in place of the enclaves' own; mostly the first. */
  attesters: readonly [DevnetAccount, DevnetAccount, DevnetAccount]
  /** Operators of the enclaves, one each. */
  operators: readonly [DevnetAccount, DevnetAccount, DevnetAccount]
  /** Signs the development evidence that registers an enclave's key. */
  quoting: DevnetAccount
  /** The solver services' accounts. */
  solvers: DevnetAccount[]
  /** A solver that bids but doesn't deliver, to show the consequences. */
  rogue: DevnetAccount
  /** Send the simulated intents. */
  senders: DevnetAccount[]
  /** Places the simulated scheduled orders. */
  owner: DevnetAccount
  /** Funded like the senders but unused: for trying things out. */
  guests: DevnetAccount[]
}

let derived: DevnetAccounts | undefined

/** Derived once: stretching the mnemonic and deriving keys takes half a second of processor time. */
export function deriveDevnetAccounts(): DevnetAccounts {
  derived ??= deriveAccounts()
  return derived
}

function deriveAccounts(): DevnetAccounts {
  const parent = mnemonicToAccount(MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey()
  const accountAt = (index: number): DevnetAccount => {
    const key = parent.deriveChild(index).privateKey
    if (!key) throw new Error('a private HD key without its private key')
    const privateKey = bytesToHex(key)
    return { ...privateKeyToAccount(privateKey), privateKey }
  }
  const range = (from: number, count: number) =>
    Array.from({ length: count }, (_, position) => accountAt(from + position))
  return {
    deployer: accountAt(0),
    relayer: accountAt(1),
    treasury: accountAt(2),
    attesters: [accountAt(3), accountAt(20), accountAt(21)],
    operators: [accountAt(8), accountAt(22), accountAt(23)],
    quoting: accountAt(4),
    solvers: range(5, 2),
    rogue: accountAt(7),
    senders: range(9, 6),
    owner: accountAt(24),
    guests: range(15, 5),
  }
}
