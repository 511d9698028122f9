import type { SendingWallet } from './requireWallet.ts'

/**
 * The account's transactions, mined or pending. At least those that its key has sent here: a node behind a load balancer may
 * lack the latest.
 */
export async function countSent({ client, account, previous }: SendingWallet): Promise<number> {
  const { address } = account
  const count = await client.getTransactionCount({ address, blockTag: 'pending' })
  return Math.max(count, (previous?.nonce ?? -1) + 1)
}
