import { type Address, getAddress, type Hex, numberToHex, pad } from 'viem'
import type { SweepChain } from './sweepChain.ts'
import { SweepError } from './sweepError.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Addresses in one question. */
const SAFES_AT_ONCE = 100
/** Blocks in the first question; servers that allow fewer say so. */
const FIRST_WIDTH = 1_000_000n
/** Answers in a row after which twice as many blocks are tried: a refusal may have been a few blocks' fault. */
const WIDEN_AFTER = 32
/** Blocks in a row of which a server refuses the logs: one that refuses more gives none at all. */
const MOST_REFUSED = 20

/**
 * Every contract that says it has transferred something to one of these Safes. Anybody can write such
 * a log: what is really there, `balanceOf` tells.
 *
 * @throws SweepError `RPC_UNREACHABLE` when the server refuses many blocks in a row, or even a transaction
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
  let refused = 0
  let answered = 0
  while (from <= range.to) {
    const to = from + width - 1n < range.to ? from + width - 1n : range.to
    let logs = await askLogs(chain, safes, from, to)
    if (logs === null && to > from) {
      // Public servers take thousands of blocks, or hundreds: a few refusals find out.
      width = to - from < 2n ? 1n : (to - from + 1n) / 2n
      answered = 0
      continue
    }
    refused = logs === null ? refused + 1 : 0
    if (logs === null) {
      if (refused > MOST_REFUSED) throw noLogs(chain.host, from)
      // It was this block's fault, and no width's.
      logs = await readReceipts(chain, safes, from)
      width = FIRST_WIDTH
    }
    // An ERC-721 has the same event with its last argument indexed, and no balance to transfer.
    for (const { address, topics } of logs) if (topics.length === 3) found.add(getAddress(address))
    from = to + 1n
    answered += 1
    if (answered % WIDEN_AFTER === 0 && width < FIRST_WIDTH) width *= 2n
  }
}

type TransferLog = { address: Address; topics: readonly Hex[] }

/** Null when the server refuses so many blocks. */
async function askLogs(
  { client }: SweepChain,
  safes: readonly Address[],
  from: bigint,
  to: bigint,
): Promise<readonly TransferLog[] | null> {
  const topics = [TRANSFER, null, safes.map(topicOf)]
  const filter = { fromBlock: numberToHex(from), toBlock: numberToHex(to), topics } as const
  return client
    .request({ method: 'eth_getLogs', params: [filter as never] })
    .catch((): null => null)
}

/**
 * The same of one block, transaction by transaction: anybody can fill a block with more logs about a Safe
 * than a server gives at once.
 */
async function readReceipts(
  { client, host }: SweepChain,
  safes: readonly Address[],
  blockNumber: bigint,
): Promise<TransferLog[]> {
  const receivers = new Set(safes.map(topicOf))
  const isOurs = ({ topics: [event, , receiver] }: TransferLog) =>
    event === TRANSFER && receiver !== undefined && receivers.has(receiver)
  try {
    const { transactions } = await client.getBlock({ blockNumber })
    const logs: TransferLog[] = []
    for (const hash of transactions) {
      const receipt = await client.getTransactionReceipt({ hash })
      logs.push(...receipt.logs.filter(isOurs))
    }
    return logs
  } catch (cause) {
    throw noLogs(host, blockNumber, cause)
  }
}

function noLogs(host: string, blockNumber: bigint, cause?: unknown): SweepError {
  const message = `${host} gives no logs of block ${blockNumber}: name the tokens with --token`
  return new SweepError('RPC_UNREACHABLE', message, { cause })
}

function topicOf(safe: Address): Hex {
  return pad(safe.toLowerCase() as Hex, { size: 32 })
}
