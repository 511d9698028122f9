import type { Client } from 'viem'
import { getTransactionCount } from 'viem/actions'
import type { SendingWallet } from './requireWallet.ts'

/**
 * The account's transactions, mined or pending. At least those that its key has sent here: a node behind a load balancer may
 * lack the latest.
 *
 * @param node default: the chain's. The wallet's own may have pending transactions that it shows to nobody else
 */
export async function countSent(
  { client, account: { address }, previous }: SendingWallet,
  node: Client = client,
): Promise<number> {
  const count = await getTransactionCount(node, { address, blockTag: 'pending' })
  return Math.max(count, (previous?.nonce ?? -1) + 1)
}
