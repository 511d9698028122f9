import { type Address, getAddress, type Hex, pad } from 'viem'
import { BlockRefusedError } from '../../services/chain/history/historyErrors.ts'
import { createRangeSizer } from '../../services/chain/history/rangeSizer.ts'
import {
  type BlockRange,
  readLogs,
  type SendRequests,
} from '../../services/chain/history/readLogs.ts'
import { requestFromClient } from '../../services/chain/history/requestFromClient.ts'
import { RpcError } from '../../services/chain/rpcPool/rpcError.ts'
import type { SweepChain } from './connectChain.ts'
import { SweepError } from './sweepError.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Addresses per request. */
const SAFES_PER_REQUEST = 100
/** Blocks in the first request; nodes that allow fewer refuse it. */
const FIRST_WIDTH = 1_000_000
/** No chain has as many blocks: a node that names more would be asked for logs without end. */
const TOO_HIGH = 10_000_000_000
/** Consecutive blocks whose logs a node may refuse: one that refuses more returns no logs at all. */
const MAX_REFUSED = 20

/**
 * Every contract that logged a transfer to one of these Safes. Any contract can log one; `balanceOf` shows what is there.
 *
 * @throws SweepError `RPC_UNREACHABLE` when the node refuses many blocks in a row, or a transaction, or names a false head
 */
export async function findTokens(
  chain: SweepChain,
  safes: readonly Address[],
  fromBlock: bigint,
): Promise<Address[]> {
  const head = Number(await chain.client.getBlockNumber())
  if (head >= TOO_HIGH) {
    const message = `${chain.host} claims to have ${head} blocks: name another node`
    throw new SweepError('RPC_UNREACHABLE', message)
  }
  const found = new Set<Address>()
  for (let at = 0; at < safes.length; at += SAFES_PER_REQUEST) {
    const some = safes.slice(at, at + SAFES_PER_REQUEST)
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
  const filters = [{ topics: [TRANSFER, null, safes.map(toTopic)] }]
  let next = from
  let refused = 0
  while (next <= to) {
    try {
      for await (const part of readLogs(requestFromNode(chain), {
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
      if (!(error instanceof BlockRefusedError) || refused > MAX_REFUSED)
        throw noLogsError(chain.host, next, error)
      // This block has too many logs at any width.
      yield await readReceipts(chain, safes, next)
      sizer.reset()
      next += 1
    }
  }
}

type TransferLog = { address: Address; topics: readonly Hex[] }

/** Whatever the reason for a refusal, the caller tries fewer blocks. */
function requestFromNode({ client }: SweepChain): SendRequests {
  const ask = requestFromClient(client)
  return (requests) =>
    ask(requests).catch((cause) => {
      throw new RpcError('refused', 'the node returns no logs of so many blocks', { cause })
    })
}

/**
 * Reads one block's transfers transaction by transaction: anyone can fill a block with more logs about a Safe than a node
 * returns at once.
 */
async function readReceipts(
  { client, host }: SweepChain,
  safes: readonly Address[],
  block: number,
): Promise<TransferLog[]> {
  const receivers = new Set(safes.map(toTopic))
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
    throw noLogsError(host, block, cause)
  }
}

function noLogsError(host: string, block: number, cause: unknown): SweepError {
  const message = `${host} returns no logs of block ${block}: name the tokens with --token`
  return new SweepError('RPC_UNREACHABLE', message, { cause })
}

function toTopic(safe: Address): Hex {
  return pad(safe.toLowerCase() as Hex, { size: 32 })
}
