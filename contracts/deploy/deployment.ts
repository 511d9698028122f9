import type { Account, Address, Chain, Client, PublicActions, Transport, WalletActions } from 'viem'

/** Where forfeits go by default: nobody has its key. */
export const FORFEIT_RECEIVER: Address = '0x000000000000000000000000000000000000dEaD'

/** A bridge's windows, in seconds. */
type BridgeWindows = {
  /** Shortest auction: 20, or 120 where blocks take 12 s. */
  minAuctionDuration: number
  /** Most seconds before an auction's end from which its recipients are firm: 30, or 60. */
  firmSeconds: number
  /** Each of the two windows in which a winner may deposit: 60. */
  pickupWindow: number
  /** From the deposit to the deadline of the delivery: 3,600. */
  executionWindow: number
  /** From that deadline to the refund by anyone: 259,200. */
  settlementGrace: number
  /** From the announcement of an addition to its effect: 172,800. */
  announcementDelay: number
}

/** A token that may be offered. Amounts are what goes into escrow, in base units. */
type TokenLimits = {
  token: Address
  minEscrow: bigint
  maxEscrow: bigint
  /** Signatures of different operators that its intents need, 1 to 8. */
  quorum: number
}

/** What says that a key belongs to an enclave. */
type VerifierDeployment =
  | { kind: 'development'; quotingKey: Address }
  | { kind: 'dcap'; upstream: Address }

/** Everything that is decided about one chain's contracts when they are deployed. */
export type ChainDeployment = {
  chainId: number
  /** Account that sends. With `salt` it alone decides the addresses. */
  deployer: Address
  /** Any text. The same deployer and salt give the same addresses on every chain. */
  salt: string
  /** Bridge's and registry's owner: a multisig. */
  owner: Address
  treasury: Address
  forfeitReceiver: Address
  windows: BridgeWindows
  tokens: TokenLimits[]
  destinations: number[]
  registry: RegistryDeployment
  vault: {
    /** Seconds that a signed order may be funded: 600. */
    fundingWindow: number
    /** Seconds from an order's end to when anyone may close it: 86,400. */
    closeDelay: number
  }
  /** Canonical contracts of that chain; the zero address where it has none. */
  gateway: { permit2: Address; weth: Address }
  /** Blocks on top of a block before an enclave believes it. */
  confirmations: number
  /** Seconds between this chain's blocks. */
  blockSeconds: number
  /** Block at or before the deployment, from which its events are read for a check. Default 0. */
  startBlock?: number | undefined
}

type RegistryDeployment = {
  verifier: VerifierDeployment
  operators: Address[]
  /** Identities of the enclave programs that count at once. */
  measurements: `0x${string}`[]
  /** Seconds that a registration lasts: 2,592,000. */
  keyLifetime: number
  /** Seconds from a key's registration until it counts: 3,600. */
  activationDelay: number
  /** Seconds from an announcement of an operator, measurement or verifier to its effect: 345,600. */
  additionDelay: number
  /** Whether evidence marked debug counts: on test networks only. */
  acceptsDebug: boolean
}

/** A viem client that reads, signs and sends: `createWalletClient({…}).extend(publicActions)`. */
export type DeployClient = Client<
  Transport,
  Chain,
  Account,
  undefined,
  PublicActions<Transport, Chain, Account> & WalletActions<Chain, Account>
>

/** The part of a viem client that reads. */
export type ReadClient = Pick<
  PublicActions<Transport, Chain>,
  | 'call'
  | 'estimateGas'
  | 'getBlockNumber'
  | 'getChainId'
  | 'getCode'
  | 'getContractEvents'
  | 'getStorageAt'
  | 'readContract'
>
