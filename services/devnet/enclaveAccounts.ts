import { bytesToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { deriveKey, KEY_PURPOSE } from '../enclave/keys/deriveKey.ts'
import { readOrCreateRoots } from '../enclave/keys/rootFile.ts'
import type { DevnetAccount } from './accounts.ts'

/**
 * The accounts that the enclave will have, derived from its root as the enclave itself does it; the
 * root is made when there is none. Only a devnet may do this: its secrets guard nothing.
 */
export function enclaveAccounts(rootFile: string): {
  relayer: DevnetAccount
  attester: DevnetAccount
} {
  const [root] = readOrCreateRoots(rootFile).roots
  return {
    relayer: accountOf(root, KEY_PURPOSE.relayer()),
    attester: accountOf(root, KEY_PURPOSE.attester()),
  }
}

function accountOf(root: Uint8Array, purpose: string): DevnetAccount {
  const privateKey = bytesToHex(deriveKey(root, purpose))
  return { ...privateKeyToAccount(privateKey), privateKey }
}
