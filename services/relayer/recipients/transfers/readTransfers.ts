import { type Hex, numberToHex, pad } from 'viem'
import { z } from 'zod'
import type { RpcAnswer, RpcRequest } from '../../../chain/rpcPool/provider.ts'
import { RpcError } from '../../../chain/rpcPool/rpcError.ts'
import { blockOf, blockRequest } from './askBlocks.ts'
import { type Block, ChainMovedError, type TransferContext } from './transferContext.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A token that says that something of it has moved to or from a Safe, and when. */
export type SafeToken = { safe: Hex; token: Hex; firstBlock: number; lastBlock: number }

export type TransferPart = {
  /** The last block that was read. */
  end: Block
  tokens: SafeToken[]
}

const logs = z.array(
  z.object({
    address: z.string(),
    topics: z.array(z.string()),
    data: z.string(),
    blockNumber: z.string(),
  }),
)

/** What a reading goes by. */
type Known = {
  /** A block that must be on the chain of whichever node answers. */
  anchor: Block | null
  /** Tokens whose word is taken, lower case. */
  listed: ReadonlySet<string>
}

/**
 * What moved to or from these Safes, from a block on: as many blocks as the node allows, up to `to`. Of a
 * single block that holds more than the node gives, which anybody can fill for little, only listed tokens.
 *
 * @throws ChainMovedError when it isn't, or when the Safes' parts are of different forks; RpcError
 */
export async function readTransfers(
  context: TransferContext,
  safes: readonly Hex[],
  { from, to }: { from: number; to: number },
  known: Known,
): Promise<TransferPart> {
  const { pace, settings } = context
  for (;;) {
    // Without a Safe there is nothing to ask for, and to be looked at only the end.
    const end = safes.length === 0 ? to : Math.min(from + pace.width() - 1, to)
    const range = { from, to: end }
    const parts = await readChunks(context, chunksOf(safes, settings.safesAtOnce), range, known)
    if (parts === null) continue
    const found = parts.flatMap(({ tokens }) => tokens)
    pace.learn({ blocks: end - from + 1, logs: parts.reduce((sum, { logs }) => sum + logs, 0) })
    return { end: parts[0]!.end, tokens: found }
  }
}

type Chunk = { end: Block; tokens: SafeToken[]; logs: number }

/** Null when the node refuses so many blocks; `pace` has then become narrower. */
async function readChunks(
  context: TransferContext,
  chunks: readonly (readonly Hex[])[],
  range: { from: number; to: number },
  known: Known,
): Promise<Chunk[] | null> {
  const parts: Chunk[] = []
  for (const safes of chunks) {
    const part = await readChunk(context, safes, range, known)
    if (part === null) return null
    if (part.end.hash !== (parts[0]?.end ?? part.end).hash) throw new ChainMovedError()
    parts.push(part)
  }
  return parts
}

async function readChunk(
  context: TransferContext,
  safes: readonly Hex[],
  { from, to }: { from: number; to: number },
  { anchor, listed }: Known,
  only?: readonly string[],
): Promise<Chunk | null> {
  const { pace } = context
  // One exchange, so one node: a node that lacks the last block would leave its logs out in silence.
  const requests = [
    blockRequest(to),
    ...(anchor === null ? [] : [blockRequest(anchor.number)]),
    ...logRequests(safes, from, to, only),
  ]
  const answers = await askWithin(context, requests)
  const [end, ...rest] = answers ?? []
  const found = anchor === null ? rest : rest.slice(1)
  const refusal = found.find((answer) => 'error' in answer)
  if (answers === null || refusal) {
    if (from < to) {
      if (answers === null) pace.halve(to - from + 1)
      else pace.narrow(to - from + 1, undefined)
      return null
    }
    if (only !== undefined) throw errorOf(refusal)
    return readChunk(context, safes, { from, to }, { anchor, listed }, [...listed])
  }
  if (only !== undefined) pace.forget()
  if (anchor !== null && blockOf(rest[0])?.hash !== anchor.hash) throw new ChainMovedError()
  const block = blockOf(end)
  if (block === null) throw new RpcError('behind', `the node lacks block ${to}`)
  const read = found.flatMap(logsOf)
  return { end: block, tokens: tokensOf(read, new Set(safes)), logs: read.length }
}

/** Null when no node's answer is short enough to be read. */
async function askWithin(
  { pool, settings: { patienceMs } }: TransferContext,
  requests: readonly RpcRequest[],
): Promise<RpcAnswer[] | null> {
  try {
    const { answers } = await pool.send(requests, {
      ...{ patienceMs, usable: (result) => result !== null },
    })
    return answers
  } catch (error) {
    if (error instanceof RpcError && error.failure === 'oversized') return null
    throw error
  }
}

function errorOf(refusal: RpcAnswer | undefined): RpcError {
  if (refusal && 'error' in refusal) return refusal.error
  return new RpcError('oversized', 'a block has more transfers of listed tokens than can be read')
}

/** A log matches by its sender or by its receiver: that takes two questions. */
function logRequests(
  safes: readonly Hex[],
  from: number,
  to: number,
  address: readonly string[] | undefined,
) {
  if (safes.length === 0) return []
  const padded = safes.map((safe) => pad(safe, { size: 32 }))
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  return [[padded], [null, padded]].map((sides) => ({
    method: 'eth_getLogs',
    params: [{ ...range, ...(address && { address }), topics: [TRANSFER, ...sides] }],
  }))
}

function logsOf(answer: RpcAnswer): z.output<typeof logs> {
  return 'result' in answer ? logs.parse(answer.result) : []
}

function tokensOf(found: z.output<typeof logs>, safes: ReadonlySet<Hex>): SafeToken[] {
  const tokens = new Map<string, SafeToken>()
  for (const { address, topics, data, blockNumber } of found) {
    // An ERC-721 has the same event with its last argument indexed: four topics, and no balance of ours.
    // Nothing moves with an amount of zero, which anybody may send of a token that isn't theirs.
    if (topics.length !== 3 || /^0x0*$/.test(data)) continue
    const [token, block] = [address.toLowerCase() as Hex, Number(blockNumber)]
    for (const safe of topics.slice(1).map(addressOf)) {
      if (!safes.has(safe)) continue
      const known = tokens.get(`${safe}${token}`)
      tokens.set(`${safe}${token}`, {
        ...{ safe, token },
        firstBlock: Math.min(block, known?.firstBlock ?? block),
        lastBlock: Math.max(block, known?.lastBlock ?? block),
      })
    }
  }
  return [...tokens.values()]
}

function addressOf(topic: string): Hex {
  return `0x${topic.slice(-40).toLowerCase()}`
}

/** At least one, be it empty: the end of the range is then all that is looked at. */
function chunksOf(safes: readonly Hex[], size: number): (readonly Hex[])[] {
  const chunks: (readonly Hex[])[] = []
  for (let at = 0; at === 0 || at < safes.length; at += size)
    chunks.push(safes.slice(at, at + size))
  return chunks
}
