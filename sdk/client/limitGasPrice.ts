import { type Account, formatGwei } from 'viem'
import { defaultMaxFeeGwei } from '../../core/chain/defaultMaxFeeGwei.ts'
import { CairnError } from '../errors/cairnError.ts'
import type { SendingWallet } from './requireWallet.ts'

/**
 * The account, whose key signs no transaction above the chain's limit on the price of gas. A node recommends the price, and a
 * false tip would cost the account all its coins. Wallets that hold the key themselves show their owner the price.
 *
 * @returns `refusal`: the error once a transaction was refused, since viem hides what an account throws
 */
export function limitGasPrice(
  account: Account,
  { name, chainId, maxFeeGwei = defaultMaxFeeGwei(chainId) }: SendingWallet['source'],
): { account: Account; refusal: () => CairnError | null } {
  let refusal: CairnError | null = null
  if (account.type !== 'local') return { account, refusal: () => null }
  const signTransaction: typeof account.signTransaction = async (transaction, options) => {
    const gwei = Number(formatGwei(transaction.maxFeePerGas ?? transaction.gasPrice ?? 0n))
    if (gwei <= maxFeeGwei) return account.signTransaction(transaction, options)
    const words = `the node asks for ${gwei} gwei per gas on ${name}, more than ${maxFeeGwei}: ask another node or, if this price is right, set chains[].maxFeeGwei`
    refusal = new CairnError('GAS_TOO_DEAR', words, { details: { gwei, maxFeeGwei } })
    throw new Error(words)
  }
  return { account: { ...account, signTransaction }, refusal: () => refusal }
}
