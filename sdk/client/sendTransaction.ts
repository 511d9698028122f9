import type { Address, Hex, TransactionReceipt } from 'viem'
import { CairnError } from '../errors/cairnError.ts'
import { withChainErrors } from '../errors/toCairnError.ts'
import { requireChain, type SendingWallet } from './requireWallet.ts'

/**
 * Simulates the call, so that a revert costs nothing and is explained; sends it, and waits for its block.
 *
 * @param nonce the account's nonce to use; default: the wallet's choice
 */
export async function sendTransaction(
  sending: SendingWallet,
  to: Address,
  data: Hex,
  nonce?: number,
): Promise<TransactionReceipt> {
  const { wallet, client, account } = sending
  return withChainErrors(async () => {
    await requireChain(sending)
    await client.call({ account, to, data })
    const place = nonce === undefined ? {} : { nonce }
    const chain = wallet.chain ?? null
    const hash = await wallet.sendTransaction({ account, chain, to, data, ...place })
    const receipt = await client.waitForTransactionReceipt({ hash })
    if (receipt.status === 'success') return receipt
    throw new CairnError('CONTRACT_REVERTED', 'the transaction reverted in its block', {
      details: { txHash: hash },
    })
  })
}
