import type {
  Account,
  Address,
  Block,
  Chain,
  Client,
  PublicClient,
  Transport,
  WalletClient,
} from 'viem'
import type { SharedIntentStream } from '../events/sharedIntentStream.ts'
import type { RelayerClient } from '../relayer/relayerClient.ts'

/**
 * A `PublicClient` of viem's for any chain. viem's own type excludes Base, Optimism and Celo, whose blocks contain more kinds of
 * transactions.
 */
export type ChainClient = Client<Transport, Chain | undefined, Account | undefined> &
  Pick<PublicClient, ReadMethod> & {
    getBlock(of?: { blockNumber: bigint }): Promise<Pick<Block, 'hash' | 'number' | 'timestamp'>>
  }

type ReadMethod =
  | 'call'
  | 'getBlockNumber'
  | 'getCode'
  | 'getLogs'
  | 'getTransactionCount'
  | 'getTransactionReceipt'
  | 'readContract'
  | 'waitForTransactionReceipt'

/** A chain the SDK may use. Configure the contracts yourself: those a relayer names could be anyone's. */
export type CairnChain = {
  /** The ChainId name, such as `base_sepolia`. */
  name: string
  chainId: number
  /** `BridgeIntentV2`. */
  bridge: Address
  /**
   * `EnclaveKeyRegistry`. With it, recipients are sealed only to a key that an active enclave has registered there; without it,
   * to whichever key the relayer names, whose owner then reads them.
   */
  registry?: Address | undefined
  /**
   * Reads the chain. Optional for a destination; without it, fewer checks are made before money moves.
   */
  publicClient?: ChainClient | undefined
  /**
   * The highest gas price, in gwei, at which a local account signs a transaction. Default: 200 on Ethereum, 2,000 on Polygon, 10
   * elsewhere. A wallet that holds its own key sets its own limit.
   */
  maxFeeGwei?: number | undefined
  /**
   * `MultiSendCallOnly` 1.4.1, if the chain lacks the Safe project's own: set the address that the relayer's chains file has.
   * Through any other, the relayer refuses withdrawals of several tokens.
   */
  multiSendCallOnly?: Address | undefined
}

export type CairnClientOptions = {
  relayer: {
    baseUrl: string
    /** Milliseconds; default 10,000. */
    requestTimeoutMs?: number | undefined
  }
  chains: readonly CairnChain[]
  /**
   * Signs and sends; without it the client only reads. Must be on the source chain when it sends.
   */
  walletClient?: WalletClient<Transport, Chain | undefined, Account> | undefined
}

/** What the parts of the client share. */
export type ClientContext = Pick<CairnClientOptions, 'chains' | 'walletClient'> & {
  relayer: RelayerClient
  baseUrl: string
  watch: SharedIntentStream
}
