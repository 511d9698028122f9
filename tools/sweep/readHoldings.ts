import { type Address, erc20Abi } from 'viem'
import { NATIVE } from '../../sdk/safe/transferCall.ts'
import type { SweepChain } from './connectChain.ts'
import { contractAnswerOrNull } from './contractAnswerOrNull.ts'

/** A Safe's holding of one token. */
export type Holding = {
  /** `NATIVE` for the chain's currency. */
  token: Address
  /** Null if the token has no printable one. */
  symbol: string | null
  /** Null if the token has none: the amount is then shown in base units. */
  decimals: number | null
  /** Base units. */
  amount: bigint
}

type Label = Pick<Holding, 'symbol' | 'decimals'>

/** A token chooses its symbol: print nothing that could move a terminal's cursor. */
const PRINTABLE = /^[\w.$+-]{1,16}$/

/** Reads one Safe's holdings, without empty ones and contracts that aren't tokens. */
export async function readHoldings(
  chain: SweepChain,
  safe: Address,
  tokens: readonly Address[],
): Promise<Holding[]> {
  const holdings: Holding[] = []
  for (const token of tokens) {
    const amount = await readBalance(chain, safe, token)
    if (amount === null || amount === 0n) continue
    holdings.push({ token, amount, ...(await readLabel(chain, token)) })
  }
  return holdings
}

/**
 * Null for a contract that isn't a token.
 *
 * @param blockNumber default: the latest block
 * @throws when the node doesn't answer
 */
export async function readBalance(
  { client }: SweepChain,
  safe: Address,
  token: Address,
  blockNumber?: bigint,
): Promise<bigint | null> {
  const at = blockNumber === undefined ? {} : { blockNumber }
  if (token === NATIVE) return client.getBalance({ address: safe, ...at })
  const request = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
  return contractAnswerOrNull(client.readContract({ ...request, args: [safe], ...at }))
}

async function readLabel({ client }: SweepChain, token: Address): Promise<Label> {
  if (token === NATIVE) return { symbol: client.chain.nativeCurrency.symbol, decimals: 18 }
  const request = { address: token, abi: erc20Abi } as const
  const [symbol, decimals] = [
    await contractAnswerOrNull(client.readContract({ ...request, functionName: 'symbol' })),
    await contractAnswerOrNull(client.readContract({ ...request, functionName: 'decimals' })),
  ]
  return { symbol: symbol !== null && PRINTABLE.test(symbol) ? symbol : null, decimals }
}
