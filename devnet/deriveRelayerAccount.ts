import { bytesToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { deriveKey, KEY_PURPOSE } from '../services/enclave/keys/deriveKey.ts'
import { readOrCreateRoots } from '../services/enclave/keys/rootFile.ts'
import type { DevnetAccount } from './accounts.ts'

/**
 * The relayer's gas account, derived from the enclave's root as the enclave does it; creates the root if there is none.
 * Only acceptable on a devnet, whose secrets protect nothing. The attestation key never leaves the enclave.
 */
export function deriveRelayerAccount(rootFile: string): { relayer: DevnetAccount } {
  const [root] = readOrCreateRoots(rootFile).roots
  const privateKey = bytesToHex(deriveKey(root, KEY_PURPOSE.relayer()))
  return { relayer: { ...privateKeyToAccount(privateKey), privateKey } }
}
