import { type Address, erc20Abi, getAddress } from 'viem'
import { devnetAccounts } from '../../../devnet/accounts.ts'
import { TOKEN_SYMBOLS, type TokenSymbol } from '../../../devnet/tokens.ts'
import type { TrafficChain } from '../../../devnet/traffic/trafficChain.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'

/** Amounts by account, chain and token. */
export type Ledger = {
  add(account: Address, chainId: number, token: TokenSymbol, amount: bigint): void
  /** Lines that aren't zero, in order. */
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
 * Every account's balance of every token on every chain, times `sign`, into a ledger. What somebody has
 * staked counts as theirs and not as the bridge's, so that staking changes nothing.
 */
export async function addBalances(
  ledger: Ledger,
  chains: readonly TrafficChain[],
  accounts: readonly Address[],
  sign: 1n | -1n,
): Promise<void> {
  for (const { client, chainId, contracts } of chains) {
    const wanted = accounts.flatMap((account) =>
      TOKEN_SYMBOLS.map((symbol) => ({ account, symbol, address: contracts.tokens[symbol] })),
    )
    const balances = await client.multicall({
      allowFailure: false,
      contracts: wanted.map(({ account, address }) => {
        const args = [account] as const
        return { address, abi: erc20Abi, functionName: 'balanceOf', args } as const
      }),
    })
    for (const [at, { account, symbol }] of wanted.entries())
      ledger.add(account, chainId, symbol, sign * (balances[at] ?? 0n))
    for (const staker of stakers()) {
      for (const symbol of TOKEN_SYMBOLS) {
        const staked =
          sign * (await stakeOf({ client, contracts }, staker, contracts.tokens[symbol]))
        if (accounts.includes(staker)) ledger.add(staker, chainId, symbol, staked)
        if (accounts.includes(contracts.bridge))
          ledger.add(contracts.bridge, chainId, symbol, -staked)
      }
    }
  }
}

function stakers(): Address[] {
  const { solvers, rogue } = devnetAccounts()
  return [...solvers, rogue].map(({ address }) => address)
}

async function stakeOf(
  { client, contracts }: Pick<TrafficChain, 'client' | 'contracts'>,
  staker: Address,
  token: Address,
): Promise<bigint> {
  const [total] = await client.readContract({
    ...{ address: contracts.bridge, abi: bridgeIntentV2Abi, functionName: 'stakeOf' },
    args: [staker, token],
  })
  return total
}
