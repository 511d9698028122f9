import { type Address, decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem'
import { NATIVE } from '../../sdk/safe/transferCall.ts'
import { readTokenMetadata } from '../../services/chain/tokens/readTokenMetadata.ts'
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

/** Gas limit of a read. With what some nodes give, a token can answer with more than a node may send, as a broken node does. */
const READ_GAS = 1_000_000n

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
  const call = { abi: erc20Abi, functionName: 'balanceOf' } as const
  const read = async () => {
    const data = encodeFunctionData({ ...call, args: [safe] })
    const answer = await client.call({ to: token, data, gas: READ_GAS, ...at })
    return decodeFunctionResult({ ...call, data: answer.data ?? '0x' })
  }
  return contractAnswerOrNull(read())
}

async function readLabel({ client }: SweepChain, token: Address): Promise<Label> {
  if (token === NATIVE) return { symbol: client.chain.nativeCurrency.symbol, decimals: 18 }
  const found = await contractAnswerOrNull(readTokenMetadata(client, token))
  const { symbol, decimals } = found ?? { symbol: null, decimals: null }
  return { symbol: symbol !== null && PRINTABLE.test(symbol) ? symbol : null, decimals }
}
