import type { Account, Chain, Transport, WalletClient } from 'viem'
import { CairnError } from '../errors/cairnError.ts'
import { invalidArgument } from '../errors/invalidArgument.ts'
import type { CairnChain, ChainClient, ClientContext } from './clientOptions.ts'

/** A wallet that can send transactions on one chain. */
export type SendingWallet = {
  wallet: WalletClient<Transport, Chain | undefined, Account>
  client: ChainClient
  account: Account
  /** The chain to send on. */
  source: Pick<CairnChain, 'name' | 'chainId' | 'maxFeeGwei'>
  /** The latest transaction that it sent and saw in a block. It has a `nonce` only if that was chosen here. */
  previous?: { nonce: number | undefined; seenAt: number }
}

type Configured = Pick<ClientContext, 'walletClient'>

/** @throws CairnError `VIEWING_KEY_MISSING` */
export function requireWalletClient({
  walletClient,
}: Configured): NonNullable<Configured['walletClient']> {
  if (walletClient) return walletClient
  const words = 'no wallet is configured: pass a walletClient to createCairnClient'
  throw new CairnError('VIEWING_KEY_MISSING', words)
}

/** @throws CairnError without a wallet, or without a client to read the chain */
export function requireWallet(
  configured: Configured,
  { publicClient, name, chainId, maxFeeGwei }: CairnChain,
): SendingWallet {
  const wallet = requireWalletClient(configured)
  if (publicClient === undefined) throw invalidArgument('chains', `a publicClient for ${name}`)
  const source = { name, chainId, maxFeeGwei }
  return { wallet, client: publicClient, account: wallet.account, source }
}

/**
 * Bridges have the same address on every chain, so a transaction on the wrong one could escrow funds there.
 *
 * @throws CairnError `WRONG_CHAIN`
 */
export async function requireChain({ wallet, source }: SendingWallet): Promise<void> {
  const walletChainId = await wallet.getChainId()
  const { name, chainId } = source
  if (walletChainId === chainId) return
  const words = `the wallet is on chain ${walletChainId}: switch it to ${name} (${chainId})`
  throw new CairnError('WRONG_CHAIN', words, { details: { walletChainId, chainId } })
}
