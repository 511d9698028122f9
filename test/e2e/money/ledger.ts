import { type Address, erc20Abi, getAddress } from 'viem'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { TOKEN_SYMBOLS, type TokenSymbol } from '../../../devnet/tokens.ts'
import type { TrafficChain } from '../../../devnet/traffic/trafficChainClient.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'

/** Amounts by account, chain and token. */
export type Ledger = {
  add(account: Address, chainId: number, token: TokenSymbol, amount: bigint): void
  /** Nonzero entries, in order. */
  lines(): string[]
  accounts(): Address[]
}

export function createLedger(): Ledger {
  const sums = new Map<string, bigint>()
  return {
    add: (account, chainId, token, amount) => {
      const key = `${getAddress(account)} ${chainId} ${token}`
      sums.set(key, (sums.get(key) ?? 0n) + amount)
    },
    lines: () =>
      [...sums]
        .filter(([, amount]) => amount !== 0n)
        .map(([key, amount]) => `${key} ${amount}`)
        .sort(),
    accounts: () => [...new Set([...sums.keys()].map((key) => key.split(' ')[0] as Address))],
  }
}

/**
 * Adds every account's balance of every token on every chain, times `sign`, to a ledger. A stake counts as its owner's and
 * not as the bridge's, so that staking changes nothing. All is read at one block, since solvers stake at their start.
 */
export async function addBalances(
  ledger: Ledger,
  chains: readonly TrafficChain[],
  accounts: readonly Address[],
  sign: 1n | -1n,
): Promise<void> {
  const { solvers, rogue } = deriveDevnetAccounts()
  const stakers = [...solvers, rogue].map(({ address }) => address)
  for (const { client, chainId, contracts } of chains) {
    const { bridge, tokens } = contracts
    const heldBy = accounts.flatMap(tokensOf)
    const stakedBy = stakers.flatMap(tokensOf)
    const read = await client.multicall({
      allowFailure: false,
      blockNumber: await client.getBlockNumber({ cacheTime: 0 }),
      contracts: [
        ...heldBy.map(({ account, symbol }) => balanceCall(tokens[symbol], account)),
        ...stakedBy.map(({ account, symbol }) => stakeCall(bridge, account, tokens[symbol])),
      ],
    })
    for (const [at, { account, symbol }] of heldBy.entries())
      ledger.add(account, chainId, symbol, sign * (read[at] as bigint))
    for (const [at, { account, symbol }] of stakedBy.entries()) {
      const [total] = read[heldBy.length + at] as readonly [bigint, bigint]
      if (accounts.includes(account)) ledger.add(account, chainId, symbol, sign * total)
      if (accounts.includes(bridge)) ledger.add(bridge, chainId, symbol, -sign * total)
    }
  }
}

function tokensOf(account: Address) {
  return TOKEN_SYMBOLS.map((symbol) => ({ account, symbol }))
}

function balanceCall(address: Address, account: Address) {
  return { address, abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const
}

function stakeCall(address: Address, staker: Address, token: Address) {
  const args = [staker, token] as const
  return { address, abi: bridgeIntentV2Abi, functionName: 'stakeOf', args } as const
}
