import { type Account, formatGwei, type Hex, keccak256 } from 'viem'
import { defaultMaxFeeGwei } from '../../core/chain/defaultMaxFeeGwei.ts'
import { CairnError } from '../errors/cairnError.ts'
import type { SendingWallet } from './requireWallet.ts'

/** An account that doesn't believe its node. */
export type GuardedAccount = {
  account: Account
  /** The error once a transaction was refused: viem hides what an account throws. */
  refusal(): CairnError | null
  /** The hash of the transaction that its key has signed; null before, and for a wallet that holds the key itself. */
  signedHash(): Hex | null
}

/**
 * The account, whose key signs no transaction above the chain's limit on the price of gas: a node recommends the price, and a
 * false tip would cost the account all its coins. Remembers the hash of what it signs: a node could give another, or none, and
 * have a sender who finds no such transaction pay again.
 */
export function guardSigning(
  account: Account,
  { name, chainId, maxFeeGwei = defaultMaxFeeGwei(chainId) }: SendingWallet['source'],
): GuardedAccount {
  let refusal: CairnError | null = null
  let signedHash: Hex | null = null
  const state = { refusal: () => refusal, signedHash: () => signedHash }
  if (account.type !== 'local') return { account, ...state }
  const signTransaction: typeof account.signTransaction = async (transaction, options) => {
    const gwei = Number(formatGwei(transaction.maxFeePerGas ?? transaction.gasPrice ?? 0n))
    if (gwei <= maxFeeGwei) {
      const signed = await account.signTransaction(transaction, options)
      signedHash = keccak256(signed)
      return signed
    }
    const words = `the node asks for ${gwei} gwei per gas on ${name}, more than ${maxFeeGwei}: ask another node or, if this price is right, set chains[].maxFeeGwei`
    refusal = new CairnError('GAS_TOO_DEAR', words, { details: { gwei, maxFeeGwei } })
    throw new Error(words)
  }
  return { account: { ...account, signTransaction }, ...state }
}
