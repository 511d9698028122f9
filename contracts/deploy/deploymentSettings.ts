import type { Account, Address, Chain, Client, PublicActions, Transport, WalletActions } from 'viem'

/** Default recipient of forfeits: an address without a known key. */
export const FORFEIT_RECEIVER: Address = '0x000000000000000000000000000000000000dEaD'

/** A bridge's windows, in seconds. */
type BridgeWindows = {
  /** Shortest auction: 20, or 120 where blocks take 12 s. */
  minAuctionDuration: number
  /** Seconds before an auction's end from which its recipients are firm, at most: 30, or 60. */
  firmSeconds: number
  /** Each of the two windows in which the winner may deposit: 60. */
  pickupWindow: number
  /** From the deposit to the delivery deadline: 3,600. */
  executionWindow: number
  /** From that deadline until anyone may refund: 259,200. */
  settlementGrace: number
  /** Delay between announcing an addition and its effect: 172,800. */
  announcementDelay: number
}

/** A token that may be offered. Limits apply to the escrowed amount, in base units. */
type TokenLimits = {
  token: Address
  minEscrow: bigint
  maxEscrow: bigint
  /** Signatures by different operators that its intents need, 1 to 8. */
  quorum: number
}

/** Verifies that a key belongs to an enclave. */
type VerifierDeployment =
  | { kind: 'development'; quotingKey: Address }
  | { kind: 'dcap'; upstream: Address }

/** The settings of one chain's contracts at deployment. */
export type DeploymentSettings = {
  chainId: number
  /** The sending account. Together with `salt` it determines the addresses. */
  deployer: Address
  /** Any text. The same deployer and salt give the same addresses on every chain. */
  salt: string
  /** Owner of bridge and registry: a multisig. */
  owner: Address
  treasury: Address
  forfeitReceiver: Address
  windows: BridgeWindows
  tokens: TokenLimits[]
  destinations: number[]
  registry: RegistryDeployment
  vault: {
    /** Seconds within which a signed order may be funded: 600. */
    fundingWindow: number
    /** Seconds after an order's end until anyone may close it: 86,400. */
    closeDelay: number
  }
  /** The chain's canonical contracts; the zero address where it has none. */
  gateway: { permit2: Address; weth: Address }
  /** Confirmations an enclave requires. */
  confirmations: number
  /** Seconds between this chain's blocks. */
  blockSeconds: number
  /** A block no later than the deployment; a check reads events from there. Default 0. */
  startBlock?: number | undefined
}

type RegistryDeployment = {
  verifier: VerifierDeployment
  operators: Address[]
  /** Measurements of the enclave programs that count from the start. */
  measurements: `0x${string}`[]
  /** Validity of a registration in seconds: 2,592,000. */
  keyLifetime: number
  /** Seconds from a key's registration until it counts: 3,600. */
  activationDelay: number
  /** Seconds from announcing an operator, measurement or verifier to its effect: 345,600. */
  additionDelay: number
  /** Whether evidence marked debug is accepted; on test networks only. */
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
  | 'getTransaction'
  | 'readContract'
>
