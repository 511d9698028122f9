import { createWalletClient, custom, getAddress, type Hex } from 'viem'
import { waitForReceipt } from '../../../../sdk/client/waitForReceipt.ts'
import {
  closeOrderCall,
  createCairnClient,
  type StealthEntry,
  type SweptSafe,
} from '../../../../sdk/index.ts'
import type { IndexedOrder } from '../../../rest/orders/indexedOrderSchemas.ts'
import { listOwnOrders } from './listOwnOrders.ts'
import {
  chainReader,
  sendFromWallet,
  switchWalletTo,
  type WalletProvider,
} from './walletProvider.ts'

/** A chain as the operator configured it. */
type PageChain = {
  name: string
  chainId: number
  bridge: Hex
  vault: Hex | null
  multiSendCallOnly?: Hex
}

/** What a connected wallet can do. Nothing is kept after the page is left. */
type Session = {
  address: Hex
  /** Registers the wallet as a recipient, with the same signature as `deliveries`. */
  register(): Promise<void>
  /** The wallet's deliveries, for one signature. */
  deliveries(): Promise<StealthEntry[]>
  /** One Safe's owner key, for two signatures. */
  key(entry: StealthEntry): Promise<Hex>
  /** Empties one Safe at the relayer's expense. */
  withdraw(entry: StealthEntry, to: Hex): Promise<SweptSafe>
  /** Its scheduled orders from the public index, newest first. */
  orders(): Promise<IndexedOrder[]>
  /** Closes an order by the wallet's own transaction; resolves once it is mined. */
  close(order: IndexedOrder): Promise<Hex>
}

/** Asks a wallet for its account. */
export async function connectWallet(
  provider: WalletProvider,
  { origin, chains }: { origin: string; chains: readonly PageChain[] },
): Promise<Session> {
  const [account] = (await provider.request({ method: 'eth_requestAccounts' })) as [string?]
  if (account === undefined)
    throw new Error('the wallet shared no account: choose one in your wallet and connect again')
  const address = getAddress(account)
  const transport = custom({ request: (call) => provider.request(call) }, { retryCount: 0 })
  const walletClient = createWalletClient({ account: address, transport })
  const readers = new Map(chains.map(({ chainId }) => [chainId, chainReader(provider, chainId)]))
  const recipient = createCairnClient({
    relayer: { baseUrl: origin, requestTimeoutMs: 30_000 },
    chains: chains.map((chain) => ({ ...chain, publicClient: readers.get(chain.chainId) })),
    walletClient,
  }).recipient()
  return {
    address,
    register: async () => void (await recipient.register()),
    deliveries: () => recipient.list(),
    key: (entry) => recipient.stealthKey(entry),
    withdraw: async (entry, to) => {
      await switchWalletTo(provider, entry.chainId)
      const [swept] = await recipient.sweep({ entries: [entry], to })
      if (swept === undefined) throw new Error('the Safe was not emptied: try again')
      if (swept.error !== null) throw swept.error
      return swept
    },
    orders: () => listOwnOrders(origin, address),
    close: async ({ sourceChainId, vaultOrderId }) => {
      const chain = chains.find(({ chainId }) => chainId === Number(sourceChainId))
      const reader = readers.get(Number(sourceChainId))
      if (!chain?.vault || !reader)
        throw new Error('this server doesn’t know the order’s vault: cancel with the SDK')
      await switchWalletTo(provider, chain.chainId)
      const data = closeOrderCall(vaultOrderId as Hex)
      const call = { from: address, to: chain.vault, data }
      const hash = await sendFromWallet(provider, chain.chainId, call)
      const { status } = await waitForReceipt(reader, { hash })
      if (status !== 'success') throw new Error(`transaction ${hash} reverted`)
      return hash
    },
  }
}
