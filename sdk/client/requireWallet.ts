import type { Account, Chain, PublicClient, Transport, WalletClient } from 'viem'
import { CairnError } from '../errors/cairnError.ts'
import type { CairnChain, ClientContext } from './clientOptions.ts'

/** A wallet that can send transactions on one chain. */
export type SendingWallet = {
  wallet: WalletClient<Transport, Chain | undefined, Account>
  client: PublicClient
  account: Account
  /** Null: the wallet's chain isn't checked. */
  chain: Chain | null
}

/** @throws CairnError without a wallet, or without a client to read the chain */
export function requireWallet(
  { walletClient }: Pick<ClientContext, 'walletClient'>,
  { publicClient, name }: CairnChain,
): SendingWallet {
  if (walletClient === undefined) {
    const words = 'no wallet is configured: pass a walletClient to createCairnClient'
    throw new CairnError('VIEWING_KEY_MISSING', words)
  }
  if (publicClient === undefined) {
    throw new CairnError('RPC_UNREACHABLE', `no publicClient is configured for ${name}`)
  }
  const chain = walletClient.chain ?? null
  return { wallet: walletClient, client: publicClient, account: walletClient.account, chain }
}
