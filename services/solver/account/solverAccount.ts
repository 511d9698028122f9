import { decrypt } from 'eciesjs'
import { type Hex, hexToBytes, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { SignTransaction } from '../../chain/transactions/sender.ts'

/** What the solver can do with its key, which stays in here. */
export type SolverAccount = {
  /** Lower case. */
  address: Hex
  signTransaction: SignTransaction
  /** EIP-191. */
  signMessage(message: string): Promise<Hex>
  /** The account's public key, 65 bytes: recipients are sealed to it. */
  publicKey: Hex
  /** Opens what was sealed to the account's own public key. */
  open(ciphertext: Hex): Uint8Array
}

/** @param privateKey 32 bytes */
export function solverAccount(privateKey: Hex): SolverAccount {
  const account = privateKeyToAccount(privateKey)
  return {
    address: account.address.toLowerCase() as Hex,
    publicKey: account.publicKey,
    signTransaction: async (transaction) => {
      const serialized = await account.signTransaction({ type: 'eip1559', ...transaction })
      return { serialized, hash: keccak256(serialized) }
    },
    signMessage: (message) => account.signMessage({ message }),
    open: (ciphertext) => decrypt(hexToBytes(privateKey), hexToBytes(ciphertext)),
  }
}
