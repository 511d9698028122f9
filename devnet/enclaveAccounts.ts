import { bytesToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { deriveKey, KEY_PURPOSE } from '../services/enclave/keys/deriveKey.ts'
import { readOrCreateRoots } from '../services/enclave/keys/rootFile.ts'
import type { DevnetAccount } from './accounts.ts'

/**
 * The account from which the relayer will pay, derived from the enclave's root as the enclave itself does
 * it; the root is made when there is none. Only a devnet may do this: its secrets guard nothing. The key
 * that signs attestations is nobody's but the enclave's.
 */
export function enclaveAccounts(rootFile: string): { relayer: DevnetAccount } {
  const [root] = readOrCreateRoots(rootFile).roots
  const privateKey = bytesToHex(deriveKey(root, KEY_PURPOSE.relayer()))
  return { relayer: { ...privateKeyToAccount(privateKey), privateKey } }
}
