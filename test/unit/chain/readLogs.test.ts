import { type Hex, numberToHex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  BlockRefusedError,
  ChangedDuringReadError,
  UnusableAnswerError,
} from '../../../services/chain/history/historyErrors.ts'
import { createRangeSizer } from '../../../services/chain/history/rangeSizer.ts'
import {
  type BlockRange,
  type LogPart,
  type LogQuery,
  readAllLogs,
  readLogs,
  type SendRequests,
} from '../../../services/chain/history/readLogs.ts'
import type { RpcAnswer } from '../../../services/chain/rpcPool/provider.ts'
import { RpcError } from '../../../services/chain/rpcPool/rpcError.ts'

type Filter = { fromBlock: Hex; toBlock: Hex; address?: Hex }
type PlacedLog = { block: number; index: number }

/** A node with these logs and headers, and the ranges requested from it. */
function nodeWith(
  logsOf: (range: BlockRange, address: Hex | undefined) => PlacedLog[] | RpcError,
  headerOf: (block: number) => object | null = header,
) {
  const requested: string[] = []
  const answerTo = (method: string, params: readonly unknown[]): RpcAnswer => {
    if (method === 'eth_getBlockByNumber') return { result: headerOf(Number(params[0])) }
    const { fromBlock, toBlock, address } = params[0] as Filter
    const range = { from: Number(fromBlock), to: Number(toBlock) }
    requested.push(`${range.from}–${range.to}`)
    const logs = logsOf(range, address)
    if (!(logs instanceof RpcError)) return { result: logs.map(log) }
    if (logs.failure === 'oversized') throw logs
    return { error: logs }
  }
  const send: SendRequests<'node'> = async (requests) => ({
    answers: requests.map(({ method, params }) => answerTo(method, params)),
    provider: 'node',
  })
  return { send, requested }
}

function header(block: number, hash: Hex = pad(numberToHex(block + 1))) {
  return { number: numberToHex(block), hash, timestamp: '0x1' }
}

function log({ block, index }: PlacedLog) {
  const hash = pad(numberToHex(block + 1))
  return {
    address: pad('0x1', { size: 20 }),
    topics: [],
    data: '0x',
    logIndex: numberToHex(index),
    blockNumber: numberToHex(block),
    blockHash: hash,
    transactionHash: hash,
  }
}

const refused = new RpcError('refused', 'query returned more than 10000 results')
const refuseAbove = (most: number) => (range: BlockRange) =>
  range.to - range.from >= most ? refused : [{ block: range.to, index: 0 }]

async function readParts(send: SendRequests<'node'>, query: LogQuery): Promise<LogPart<'node'>[]> {
  const parts: LogPart<'node'>[] = []
  for await (const part of readLogs(send, query)) parts.push(part)
  return parts
}
const rangesOf = (parts: readonly BlockRange[]) => parts.map(({ from, to }) => `${from}–${to}`)
const sizer = () => createRangeSizer({ first: 100, most: 100 })

describe('reading logs', () => {
  test('parts have no gaps, are in chain order and include their last block’s header', async () => {
    const logs = [
      { block: 9, index: 2 },
      { block: 9, index: 1 },
      { block: 8, index: 5 },
    ]
    const { send } = nodeWith(({ from, to }) =>
      logs.filter(({ block }) => from <= block && block <= to),
    )
    const parts = await readParts(send, { filters: [{}], from: 1, to: 250, sizer: sizer() })
    expect(rangesOf(parts)).toEqual(['1–100', '101–200', '201–250'])
    expect(parts[0]!.logs.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual([
      [8, 5],
      [9, 1],
      [9, 2],
    ])
    expect(parts.map(({ end }) => end.number)).toEqual([100, 200, 250])
    const newest = await readParts(send, {
      filters: [{}],
      from: 1,
      to: 250,
      order: 'descending',
      sizer: sizer(),
    })
    expect(rangesOf(newest)).toEqual(['151–250', '51–150', '1–50'])
  })

  test('a refusal halves the range or uses the suggested width; wider ranges are tried again later', async () => {
    const unnamed = nodeWith(refuseAbove(30))
    const parts = await readParts(unnamed.send, { filters: [{}], from: 1, to: 100, sizer: sizer() })
    expect(rangesOf(parts).slice(0, 2)).toEqual(['1–25', '26–50'])
    const named = nodeWith(refuseAbove(30))
    await readParts(named.send, {
      filters: [{}],
      from: 1,
      to: 3_000,
      sizer: sizer(),
      suggestedWidth: () => 30,
    })
    expect(named.requested.length).toBe(1 + 100)
    // Without a suggestion the refusal may have been about a few full blocks.
    const full = nodeWith(({ from, to }) => (from < 50 && to - from >= 2 ? refused : []))
    await readParts(full.send, { filters: [{}], from: 1, to: 10_000, sizer: sizer() })
    expect(full.requested.length).toBeLessThan(400)
  })

  test('an oversized answer halves the range', async () => {
    const { send } = nodeWith(({ from, to }) =>
      to - from >= 10 ? new RpcError('oversized', 'too long') : [{ block: to, index: 0 }],
    )
    const logs = await readAllLogs(send, { filters: [{}], from: 1, to: 300, sizer: sizer() })
    expect(logs.at(-1)?.blockNumber).toBe(300)
  })

  test('a refused single block falls back to other filters, or throws', async () => {
    const { send } = nodeWith(({ from, to }, address) =>
      from <= 7 && 7 <= to && address === undefined ? refused : [{ block: to, index: 0 }],
    )
    const query = { filters: [{}], from: 1, to: 60, sizer: sizer() }
    await expect(readParts(send, query)).rejects.toThrow(BlockRefusedError)
    await expect(readParts(send, query)).rejects.toMatchObject({ block: 7 })
    const fallbackFilters = () => [{ address: pad('0x1', { size: 20 }) }]
    const parts = await readParts(send, { ...query, sizer: sizer(), fallbackFilters })
    expect(parts.at(-1)).toMatchObject({ to: 60 })
  })

  test('a node that serves only logs of stated contracts is asked for those of whole ranges', async () => {
    const unstated = new RpcError('refused', 'Please specify an address in your request')
    const { send, requested } = nodeWith(({ to }, address) =>
      address === undefined ? unstated : [{ block: to, index: 0 }],
    )
    const query = { filters: [{}], from: 1, to: 60, sizer: sizer() }
    const fallbackFilters = () => [{ address: pad('0x1', { size: 20 }) }]
    const parts = await readParts(send, { ...query, fallbackFilters })
    expect(rangesOf(parts)).toEqual(['1–60'])
    expect(requested).toEqual(['1–60', '1–60'])
    const stated = { ...query, filters: fallbackFilters(), fallbackFilters }
    const refusing = nodeWith(() => unstated)
    await expect(readParts(refusing.send, stated)).rejects.toThrow(BlockRefusedError)
  })

  test('a node that wants an address or fewer blocks is asked for fewer, and in the end for stated contracts', async () => {
    const words = 'specify an address or query at most 500 blocks'
    const fallbackFilters = () => [{ address: pad('0x1', { size: 20 }) }]
    const readFrom = async (most: number) => {
      const { send, requested } = nodeWith(({ from, to }, address) =>
        address === undefined && to - from >= most
          ? new RpcError('refused', words)
          : [{ block: to, index: 0 }],
      )
      const query = { filters: [{}], from: 1, to: 1_000, sizer: createRangeSizer({ first: 1_000 }) }
      await readParts(send, { ...query, fallbackFilters })
      return requested
    }
    expect(await readFrom(500)).toEqual(['1–1000', '1–500', '501–1000'])
    const refusing = await readFrom(0)
    expect(refusing.slice(0, 6)).toEqual([
      ...['1–1000', '1–500', '1–250', '1–125'],
      ...['1–62', '1–62'],
    ])
  })

  test('of thousands of wrong logs, only the first is described', async () => {
    const send: SendRequests<'node'> = async (requests) => ({
      answers: requests.map(({ method }) => ({
        result: method === 'eth_getLogs' ? Array(5_000).fill({}) : header(3),
      })),
      provider: 'node',
    })
    const reading = readAllLogs(send, { filters: [{}], from: 1, to: 3 })
    await expect(reading).rejects.toThrow(UnusableAnswerError)
    // Each takes time and memory, and one of three nodes can send millions.
    expect((await reading.catch((error: Error) => error.message)).toString().length).toBeLessThan(
      300,
    )
  })

  test('a node that lacks the range’s last block is behind', async () => {
    const { send } = nodeWith(
      () => [],
      (block) => (block > 50 ? null : header(block)),
    )
    const reading = readParts(send, { filters: [{}], from: 1, to: 60 })
    await expect(reading).rejects.toMatchObject({ failure: 'behind' })
  })

  test('groups from two forks are rejected; extra headers come from the same node', async () => {
    let turn = 0
    const { send } = nodeWith(
      () => [],
      (block) => header(block, pad(numberToHex(block === 60 ? 100 + turn++ : 5))),
    )
    const query = { groups: [[{}], [{}]], from: 1, to: 60 }
    await expect(readParts(send, query)).rejects.toThrow(ChangedDuringReadError)
    const [part] = await readParts(send, {
      filters: [{}],
      from: 1,
      to: 60,
      extraHeaders: ({ from }) => [from, 3],
    })
    expect(part?.extraHeaders.map((block) => block?.number)).toEqual([1, 3])
    expect(part?.provider).toBe('node')
  })

  test('logs that were not requested are left out', async () => {
    const [bridge, other] = [pad('0xb1', { size: 20 }), pad('0xb2', { size: 20 })]
    const [wanted, another] = [pad('0x77'), pad('0x78')]
    const at = { ...log({ block: 5, index: 1 }), address: bridge, topics: [pad('0x1'), wanted] }
    const requested = [at, { ...at, topics: [pad('0x2'), wanted], logIndex: '0x2' }]
    const unrequested = [
      { ...at, address: other },
      { ...at, topics: [pad('0x1'), another] },
      { ...at, topics: [pad('0x3'), wanted] },
      { ...at, topics: [pad('0x1')] },
      { ...at, blockNumber: '0x4' },
      { ...at, blockNumber: '0xa' },
    ]
    const send: SendRequests = async (requests) => ({
      answers: requests.map(({ method }) =>
        method === 'eth_getLogs'
          ? { result: [...unrequested, ...requested] }
          : { result: header(9) },
      ),
      provider: 'node',
    })
    const address = bridge.toUpperCase().replace('X', 'x') as Hex
    const filters = [{ address, topics: [[pad('0x1'), pad('0x2')], wanted] }]
    const logs = await readAllLogs(send, { filters, from: 5, to: 9, sizer: sizer() })
    expect(logs.map(({ logIndex }) => logIndex)).toEqual([1, 2])
  })

  test('the caller can end the read', async () => {
    const { send, requested } = nodeWith(() => [])
    const isDone = () => requested.length === 2
    await readParts(send, { filters: [{}], from: 1, to: 900, sizer: sizer(), isDone })
    expect(requested).toEqual(['1–100', '101–200'])
  })
})
