import { keccak256, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { SignTransaction } from '../../../services/chain/transactions/senderContext.ts'

/** A test account by its number. */
export function createNumberedAccount(number: number): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(toHex(`account ${number} of a test`)))
}

export function createLocalSigner(account: PrivateKeyAccount): SignTransaction {
  return async (transaction) => {
    const serialized = await account.signTransaction({ type: 'eip1559', ...transaction })
    return { serialized, hash: keccak256(serialized) }
  }
}
