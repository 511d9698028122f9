import { type Address, getAddress, type Hex, numberToHex, pad } from 'viem'
import type { SweepChain } from './sweepChain.ts'
import { SweepError } from './sweepError.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Addresses in one question. */
const SAFES_AT_ONCE = 100
/** Blocks in the first question; servers that allow fewer say so. */
const FIRST_WIDTH = 1_000_000n

/**
 * Every contract that says it has transferred something to one of these Safes. Anybody can write such
 * a log: what is really there, `balanceOf` tells.
 *
 * @throws SweepError `RPC_UNREACHABLE` when the server refuses even a single block
 */
export async function findTokens(
  chain: SweepChain,
  safes: readonly Address[],
  fromBlock: bigint,
): Promise<Address[]> {
  const head = await chain.client.getBlockNumber()
  const found = new Set<Address>()
  for (let at = 0; at < safes.length; at += SAFES_AT_ONCE) {
    const some = safes.slice(at, at + SAFES_AT_ONCE)
    await searchBlocks(chain, some, { from: fromBlock, to: head }, found)
  }
  return [...found]
}

async function searchBlocks(
  chain: SweepChain,
  safes: readonly Address[],
  range: { from: bigint; to: bigint },
  found: Set<Address>,
): Promise<void> {
  let width = FIRST_WIDTH
  let from = range.from
  while (from <= range.to) {
    const to = from + width - 1n < range.to ? from + width - 1n : range.to
    const logs = await askLogs(chain, safes, from, to)
    if (logs === null) {
      // Public servers take thousands of blocks, or hundreds: a few refusals find out.
      width = to - from < 2n ? 1n : (to - from + 1n) / 2n
      continue
    }
    // An ERC-721 has the same event with its last argument indexed, and no balance to transfer.
    for (const { address, topics } of logs) if (topics.length === 3) found.add(getAddress(address))
    from = to + 1n
  }
}

/** Null when the server refuses so many blocks. */
async function askLogs(
  { client, host }: SweepChain,
  safes: readonly Address[],
  from: bigint,
  to: bigint,
) {
  const topics = [TRANSFER, null, safes.map((safe) => pad(safe, { size: 32 }))]
  const filter = { fromBlock: numberToHex(from), toBlock: numberToHex(to), topics } as const
  try {
    return await client.request({ method: 'eth_getLogs', params: [filter as never] })
  } catch (cause) {
    if (to > from) return null
    const message = `${host} gives no logs of block ${from}: name the tokens by --token`
    throw new SweepError('RPC_UNREACHABLE', message, { cause })
  }
}
