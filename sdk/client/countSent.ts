import type { Client } from 'viem'
import { getTransactionCount } from 'viem/actions'
import type { SendingWallet } from './requireWallet.ts'

/**
 * Counts the account's transactions, mined or pending. The latest that its key sent here always counts: a node behind a load
 * balancer may lack it.
 *
 * @param node default: the chain's. The wallet's own node may know pending transactions that no other does
 */
export async function countSent(
  { client, account: { address }, previous }: SendingWallet,
  node: Client = client,
): Promise<number> {
  const count = await getTransactionCount(node, { address, blockTag: 'pending' })
  return Math.max(count, (previous?.nonce ?? -1) + 1)
}
