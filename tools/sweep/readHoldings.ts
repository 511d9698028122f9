import { type Address, erc20Abi } from 'viem'
import { NATIVE } from '../../sdk/safe/transferCall.ts'
import { answerOrNull } from './answerOrNull.ts'
import type { SweepChain } from './sweepChain.ts'

/** What a Safe holds of one token. */
export type Holding = {
  /** `NATIVE` for the chain's currency. */
  token: Address
  /** For people; null if the token has none that can be printed. */
  symbol: string | null
  /** Null if the token states none: the amount is then shown in base units. */
  decimals: number | null
  /** Base units. */
  amount: bigint
}

/** What the token calls itself. */
type Label = Pick<Holding, 'symbol' | 'decimals'>

/** Names are a token's own words: nothing that could move a terminal's cursor is shown. */
const PRINTABLE = /^[\w.$+-]{1,16}$/

/**
 * Reads one Safe's holdings; a contract without a balance isn't a token and is left out, and so is
 * what the Safe has nothing of.
 */
export async function readHoldings(
  chain: SweepChain,
  safe: Address,
  tokens: readonly Address[],
): Promise<Holding[]> {
  const holdings: Holding[] = []
  for (const token of tokens) {
    const amount = await balanceOf(chain, safe, token)
    if (amount === null || amount === 0n) continue
    holdings.push({ token, amount, ...(await labelOf(chain, token)) })
  }
  return holdings
}

async function balanceOf(
  { client }: SweepChain,
  safe: Address,
  token: Address,
): Promise<bigint | null> {
  if (token === NATIVE) return client.getBalance({ address: safe })
  const question = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
  return answerOrNull(client.readContract({ ...question, args: [safe] }))
}

async function labelOf({ client }: SweepChain, token: Address): Promise<Label> {
  if (token === NATIVE) return { symbol: client.chain.nativeCurrency.symbol, decimals: 18 }
  const question = { address: token, abi: erc20Abi } as const
  const [symbol, decimals] = [
    await answerOrNull(client.readContract({ ...question, functionName: 'symbol' })),
    await answerOrNull(client.readContract({ ...question, functionName: 'decimals' })),
  ]
  return { symbol: symbol !== null && PRINTABLE.test(symbol) ? symbol : null, decimals }
}
