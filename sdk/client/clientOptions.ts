import type { Account, Address, Chain, PublicClient, Transport, WalletClient } from 'viem'
import type { IntentWatch } from '../events/intentWatch.ts'
import type { RelayerClient } from '../relayer/relayerClient.ts'

/** One chain that the SDK may use. The caller names the contracts: the relayer's could be anyone's. */
export type CairnChain = {
  /** The ChainId name, such as `base_sepolia`. */
  name: string
  chainId: number
  /** `BridgeIntentV2`. */
  bridge: Address
  /**
   * Reads the chain. It may be left out for a destination; less is then checked before money moves.
   */
  publicClient?: PublicClient | undefined
}

export type CairnClientOptions = {
  relayer: {
    /** Without a slash at the end. */
    baseUrl: string
    /** Milliseconds; default 10,000. */
    requestTimeoutMs?: number
  }
  chains: readonly CairnChain[]
  /**
   * Signs and sends; without it the client only reads. It must be on the source chain when it
   * sends.
   */
  walletClient?: WalletClient<Transport, Chain | undefined, Account> | undefined
}

/** What the client's parts share. */
export type ClientContext = Pick<CairnClientOptions, 'chains' | 'walletClient'> & {
  relayer: RelayerClient
  baseUrl: string
  watch: IntentWatch
}
