import { type Account, formatGwei, type Hex, keccak256 } from 'viem'
import { defaultMaxFeeGwei } from '../../core/chain/defaultMaxFeeGwei.ts'
import { CairnError } from '../errors/cairnError.ts'
import type { SendingWallet } from './requireWallet.ts'

/** An account that doesn't trust its node. */
export type GuardedAccount = {
  account: Account
  /** Why a transaction was refused; null if none was. viem hides what an account throws. */
  refusal(): CairnError | null
  /** The hash of the transaction that the account signed; null before that, and always for a wallet that holds its own key. */
  signedHash(): Hex | null
}

/**
 * Guards a local account against its node. The account signs nothing above the chain's gas price limit: the node recommends the
 * price, and a false tip could cost the account all its coins. The account also remembers the hash of what it signs: the node
 * could return another or none, and a sender who looks for that one in vain would pay again.
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
    const words = `the node asks for ${gwei} gwei per gas on ${name}, above the limit of ${maxFeeGwei}: use another node, or raise chains[].maxFeeGwei`
    refusal = new CairnError('GAS_TOO_DEAR', words, { details: { gwei, maxFeeGwei } })
    throw new Error(words)
  }
  return { account: { ...account, signTransaction }, ...state }
}
