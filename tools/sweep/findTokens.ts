import { type Address, getAddress, type Hex, pad } from 'viem'
import { BlockRefusedError } from '../../services/chain/history/historyError.ts'
import { createRangeSizer } from '../../services/chain/history/rangeSizer.ts'
import {
  type BlockRange,
  readLogs,
  type SendRequests,
} from '../../services/chain/history/readLogs.ts'
import { requestFromClient } from '../../services/chain/history/requestFromClient.ts'
import { RpcError } from '../../services/chain/rpcPool/rpcError.ts'
import type { SweepChain } from './sweepChain.ts'
import { SweepError } from './sweepError.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Addresses in one question. */
const SAFES_AT_ONCE = 100
/** Blocks in the first question; servers that allow fewer say so. */
const FIRST_WIDTH = 1_000_000
/** Blocks in a row of which a server refuses the logs: one that refuses more gives none at all. */
const MOST_REFUSED = 20

/**
 * Every contract that claims a transfer to one of these Safes. Anyone can write such a log;
 * `balanceOf` shows what is really there.
 *
 * @throws SweepError `RPC_UNREACHABLE` when the server refuses many blocks in a row, or even a transaction
 */
export async function findTokens(
  chain: SweepChain,
  safes: readonly Address[],
  fromBlock: bigint,
): Promise<Address[]> {
  const head = Number(await chain.client.getBlockNumber())
  const found = new Set<Address>()
  for (let at = 0; at < safes.length; at += SAFES_AT_ONCE) {
    const some = safes.slice(at, at + SAFES_AT_ONCE)
    for await (const logs of transfersTo(chain, some, { from: Number(fromBlock), to: head })) {
      // An ERC-721 has the same event with its last argument indexed, and no balance to transfer.
      for (const { address, topics } of logs)
        if (topics.length === 3) found.add(getAddress(address))
    }
  }
  return [...found]
}

async function* transfersTo(
  chain: SweepChain,
  safes: readonly Address[],
  { from, to }: BlockRange,
): AsyncGenerator<readonly TransferLog[]> {
  const sizer = createRangeSizer({ first: FIRST_WIDTH, most: FIRST_WIDTH })
  const filters = [{ topics: [TRANSFER, null, safes.map(topicOf)] }]
  let next = from
  let refused = 0
  while (next <= to) {
    try {
      for await (const part of readLogs(requestFromServer(chain), {
        filters,
        from: next,
        to,
        sizer,
      })) {
        next = part.to + 1
        refused = 0
        yield part.logs
      }
    } catch (error) {
      refused += 1
      if (!(error instanceof BlockRefusedError) || refused > MOST_REFUSED)
        throw noLogs(chain.host, next, error)
      // It was this block's fault, and no width's.
      yield await readReceipts(chain, safes, next)
      sizer.reset()
      next += 1
    }
  }
}

type TransferLog = { address: Address; topics: readonly Hex[] }

/** Whatever keeps a server from giving so many blocks: fewer are tried. */
function requestFromServer({ client }: SweepChain): SendRequests {
  const ask = requestFromClient(client)
  return (requests) =>
    ask(requests).catch((cause) => {
      throw new RpcError('refused', 'the server gives no logs of so many blocks', { cause })
    })
}

/**
 * The same of one block, transaction by transaction: anybody can fill a block with more logs about a Safe
 * than a server gives at once.
 */
async function readReceipts(
  { client, host }: SweepChain,
  safes: readonly Address[],
  block: number,
): Promise<TransferLog[]> {
  const receivers = new Set(safes.map(topicOf))
  const isOurs = ({ topics: [event, , receiver] }: TransferLog) =>
    event === TRANSFER && receiver !== undefined && receivers.has(receiver)
  try {
    const { transactions } = await client.getBlock({ blockNumber: BigInt(block) })
    const logs: TransferLog[] = []
    for (const hash of transactions) {
      const receipt = await client.getTransactionReceipt({ hash })
      logs.push(...receipt.logs.filter(isOurs))
    }
    return logs
  } catch (cause) {
    throw noLogs(host, block, cause)
  }
}

function noLogs(host: string, block: number, cause: unknown): SweepError {
  const message = `${host} gives no logs of block ${block}: name the tokens with --token`
  return new SweepError('RPC_UNREACHABLE', message, { cause })
}

function topicOf(safe: Address): Hex {
  return pad(safe.toLowerCase() as Hex, { size: 32 })
}
