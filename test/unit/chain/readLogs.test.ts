import { type Hex, numberToHex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import { BlockRefusedError, MovedError } from '../../../services/chain/history/historyError.ts'
import { createRangePace } from '../../../services/chain/history/rangePace.ts'
import {
  type BlockRange,
  type LogPart,
  type LogQuestion,
  readAllLogs,
  readLogs,
  type SendRequests,
} from '../../../services/chain/history/readLogs.ts'
import type { RpcAnswer } from '../../../services/chain/rpcPool/provider.ts'
import { RpcError } from '../../../services/chain/rpcPool/rpcError.ts'

type Filter = { fromBlock: Hex; toBlock: Hex; address?: Hex }
type Given = { block: number; index: number }

/** A node that has one log in each block of `blocks`, and the widths it was asked for. */
function nodeWith(
  logsOf: (range: BlockRange, address: Hex | undefined) => Given[] | RpcError,
  headerOf: (block: number) => object | null = header,
) {
  const asked: string[] = []
  const answerTo = (method: string, params: readonly unknown[]): RpcAnswer => {
    if (method === 'eth_getBlockByNumber') return { result: headerOf(Number(params[0])) }
    const { fromBlock, toBlock, address } = params[0] as Filter
    const range = { from: Number(fromBlock), to: Number(toBlock) }
    asked.push(`${range.from}–${range.to}`)
    const logs = logsOf(range, address)
    if (!(logs instanceof RpcError)) return { result: logs.map(log) }
    if (logs.failure === 'oversized') throw logs
    return { error: logs }
  }
  const ask: SendRequests<'node'> = async (requests) => ({
    answers: requests.map(({ method, params }) => answerTo(method, params)),
    provider: 'node',
  })
  return { ask, asked }
}

function header(block: number, hash: Hex = pad(numberToHex(block + 1))) {
  return { number: numberToHex(block), hash, timestamp: '0x1' }
}

function log({ block, index }: Given) {
  const hash = pad(numberToHex(block + 1))
  return {
    ...{ address: pad('0x1', { size: 20 }), topics: [], data: '0x', logIndex: numberToHex(index) },
    ...{ blockNumber: numberToHex(block), blockHash: hash, transactionHash: hash },
  }
}

const refused = new RpcError('refused', 'query returned more than 10000 results')
const wider = (most: number) => (range: BlockRange) =>
  range.to - range.from >= most ? refused : [{ block: range.to, index: 0 }]

async function parts(ask: SendRequests<'node'>, question: LogQuestion): Promise<LogPart<'node'>[]> {
  const found: LogPart<'node'>[] = []
  for await (const part of readLogs(ask, question)) found.push(part)
  return found
}
const rangesOf = (found: readonly BlockRange[]) => found.map(({ from, to }) => `${from}–${to}`)
const pace = () => createRangePace({ first: 100, most: 100 })

describe('the logs of a range of blocks', () => {
  test('come without a gap, each part in the chain’s order and with its last block', async () => {
    const given = [
      { block: 9, index: 2 },
      { block: 9, index: 1 },
      { block: 8, index: 5 },
    ]
    const { ask } = nodeWith(({ from, to }) =>
      given.filter(({ block }) => from <= block && block <= to),
    )
    const found = await parts(ask, { filters: [{}], from: 1, to: 250, pace: pace() })
    expect(rangesOf(found)).toEqual(['1–100', '101–200', '201–250'])
    expect(found[0]!.logs.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual([
      [8, 5],
      [9, 1],
      [9, 2],
    ])
    expect(found.map(({ end }) => end.number)).toEqual([100, 200, 250])
    const newest = await parts(ask, {
      ...{ filters: [{}], from: 1, to: 250 },
      order: 'descending',
      pace: pace(),
    })
    expect(rangesOf(newest)).toEqual(['151–250', '51–150', '1–50'])
  })

  test('are asked for by half after a refusal, by the width it names, and by more again in time', async () => {
    const unnamed = nodeWith(wider(30))
    const found = await parts(unnamed.ask, { filters: [{}], from: 1, to: 100, pace: pace() })
    expect(rangesOf(found).slice(0, 2)).toEqual(['1–25', '26–50'])
    const named = nodeWith(wider(30))
    await parts(named.ask, {
      ...{ filters: [{}], from: 1, to: 3_000, pace: pace() },
      allowedWidth: () => 30,
    })
    expect(named.asked.length).toBe(1 + 100)
    // A width that nobody named was refused for what lay in it: many answers later it is tried again.
    const full = nodeWith(({ from, to }) => (from < 50 && to - from >= 2 ? refused : []))
    await parts(full.ask, { filters: [{}], from: 1, to: 10_000, pace: pace() })
    expect(full.asked.length).toBeLessThan(400)
  })

  test('too long an answer is asked for by half', async () => {
    const { ask } = nodeWith(({ from, to }) =>
      to - from >= 10 ? new RpcError('oversized', 'too long') : [{ block: to, index: 0 }],
    )
    const found = await readAllLogs(ask, { filters: [{}], from: 1, to: 300, pace: pace() })
    expect(found.at(-1)?.blockNumber).toBe(300)
  })

  test('of a block that is refused alone: fewer are asked for, or the refusal is thrown', async () => {
    const { ask } = nodeWith(({ from, to }, address) =>
      from <= 7 && 7 <= to && address === undefined ? refused : [{ block: to, index: 0 }],
    )
    const question = { filters: [{}], from: 1, to: 60, pace: pace() }
    await expect(parts(ask, question)).rejects.toThrow(BlockRefusedError)
    await expect(parts(ask, question)).rejects.toMatchObject({ block: 7 })
    const fewer = () => [{ address: pad('0x1', { size: 20 }) }]
    const found = await parts(ask, { ...question, pace: pace(), fewer })
    expect(found.at(-1)).toMatchObject({ to: 60 })
  })

  test('a node that lacks the range’s last block has given no answer', async () => {
    const { ask } = nodeWith(
      () => [],
      (block) => (block > 50 ? null : header(block)),
    )
    const asked = parts(ask, { filters: [{}], from: 1, to: 60 })
    await expect(asked).rejects.toMatchObject({ failure: 'behind' })
  })

  test('groups that come from two forks are no answer; blocks beside a range are of the same node', async () => {
    let turn = 0
    const { ask } = nodeWith(
      () => [],
      (block) => header(block, pad(numberToHex(block === 60 ? 100 + turn++ : 5))),
    )
    const question = { groups: [[{}], [{}]], from: 1, to: 60 }
    await expect(parts(ask, question)).rejects.toThrow(MovedError)
    const [one] = await parts(ask, {
      filters: [{}],
      from: 1,
      to: 60,
      beside: ({ from }) => [from, 3],
    })
    expect(one?.beside.map((block) => block?.number)).toEqual([1, 3])
    expect(one?.provider).toBe('node')
  })

  test('end when the caller has had enough', async () => {
    const { ask, asked } = nodeWith(() => [])
    const isOver = () => asked.length === 2
    await parts(ask, { filters: [{}], from: 1, to: 900, pace: pace(), isOver })
    expect(asked).toEqual(['1–100', '101–200'])
  })
})
