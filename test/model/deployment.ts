import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../src/event/bridgeEvent.ts'

type Account = { address: Hex; privateKey: Hex }

/** Seconds of the bridge's windows. */
type Windows = { firm: number; pickup: number; execution: number; grace: number }

/** Addresses, and the terms all creations share. Hex in lower case. */
export type Deployment = {
  sourceChainId: number
  destChainId: number
  bridge: Hex
  destinationBridge: Hex
  tokenA: Hex
  tokenB: Hex
  /** Base units of tokenA. */
  amountA: bigint
  reward: bigint
  /** Base units of tokenB for the first creation; each further creation asks for one more. */
  expectedAmountB: bigint
  /** Seconds. */
  auctionDuration: number
  intentId: bigint
  sender: Account
  thief: Account
  solvers: Record<SolverName, Hex>
  windows: Windows
}

export const SOLVERS = ['winner', 'rival'] as const
export type SolverName = (typeof SOLVERS)[number]

/** Addresses for a model that runs on no chain. */
export function createOffChainDeployment(): Deployment {
  const address = (byte: string): Hex => `0x${byte.repeat(20)}`
  return {
    sourceChainId: 84_532,
    destChainId: 2_651_420,
    bridge: address('11'),
    destinationBridge: address('44'),
    tokenA: address('22'),
    tokenB: address('33'),
    amountA: 10_000_000n,
    reward: 100_000n,
    expectedAmountB: 2_010n,
    auctionDuration: 600,
    intentId: (84_532n << 64n) | 1n,
    sender: account('5e'),
    thief: account('7e'),
    solvers: { winner: account('50').address, rival: account('51').address },
    windows: { firm: 20, pickup: 100, execution: 1_000, grace: 100 },
  }
}

function account(byte: string): Account {
  const privateKey: Hex = `0x${byte.repeat(32)}`
  return { address: privateKeyToAccount(privateKey).address.toLowerCase() as Hex, privateKey }
}
