import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { usualAgreement } from '../../../services/chain/usualAgreement.ts'
import { askLogs } from '../../../services/enclave/settlement/askLogs.ts'
import { gatherAnswers } from '../../../services/enclave/settlement/gatherAnswers.ts'
import { rpcWitnesses } from '../../../services/enclave/settlement/rpcWitnesses.ts'

const never = new Promise<string>(() => {})
const fails = () => Promise.reject(new Error('away'))

test('most witnesses must agree, two at least, unless there is but one', () => {
  expect([1, 2, 3, 4, 5, 6].map(usualAgreement)).toEqual([1, 2, 2, 3, 3, 4])
})

test('whoever hangs is waited for a little only; whoever fails, not at all', async () => {
  const answers = async (asked: Promise<string>[], enough: number) =>
    (await gatherAnswers(asked, enough, 20)).map(({ witness, answer }) => `${witness}${answer}`)
  expect(await answers([never, Promise.resolve('a'), Promise.resolve('a')], 2)).toEqual([
    '1a',
    '2a',
  ])
  const late = new Promise<string>((resolve) => setTimeout(resolve, 5, 'b'))
  expect(await answers([late, Promise.resolve('a'), never], 1)).toEqual(['1a', '0b'])
  expect(await answers([fails(), Promise.resolve('a')], 2)).toEqual(['1a'])
  expect(await answers([], 1)).toEqual([])
})

/** A node that answers as it likes. */
async function openNode(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() }
}

const WANTED = {
  address: `0x${'b0'.repeat(20)}`,
  topics: [],
  from: 1,
  to: 1,
  toHash: `0x${'22'.repeat(32)}`,
} as const

test('a witness whose answer never ends fills nobody’s memory', async () => {
  let sent = 0
  const piece = Buffer.alloc(64 * 1024, ' ')
  const closed = Promise.withResolvers<void>()
  await using node = await openNode((_, response) => {
    response.on('close', closed.resolve)
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (!response.destroyed && sent < 2 ** 28) {
        sent += piece.length
        if (!response.write(piece)) return
      }
      response.end()
    }
    response.on('drain', more)
    more()
  })
  await expect(askLogs(node.url, WANTED)).rejects.toThrow('refused')
  await closed.promise
  expect(sent).toBeLessThan(2 ** 26)
})

test('a witness that is asked too much is asked the same again, and one that refuses, for less', async () => {
  const ranges: number[] = []
  await using node = await openNode((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const [{ fromBlock, toBlock }] = JSON.parse(Buffer.concat(parts).toString()).params
      ranges.push(Number(toBlock) - Number(fromBlock) + 1)
      const error =
        ranges.length <= 2
          ? { code: -32005, message: 'daily request count exceeded, request rate limited' }
          : { code: -32602, message: 'block range is too wide' }
      const result = ranges.length <= 3 ? { error } : { result: [] }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...result }))
    })
  })
  expect(await askLogs(node.url, { ...WANTED, to: 2_000 })).toEqual([])
  expect(ranges).toEqual([2_000, 2_000, 2_000, 1_000, 1_000])
})

test('a witness that makes up logs without end is asked no more', async () => {
  const hash = `0x${'11'.repeat(32)}`
  const log = {
    ...{ address: WANTED.address, topics: [], data: '0x', blockNumber: '0x1', blockHash: hash },
    ...{ transactionHash: hash, logIndex: '0x0' },
  }
  const result = Array.from({ length: 30_000 }, () => log)
  let asked = 0
  await using node = await openNode((_, response) => {
    asked += 1
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  await expect(askLogs(node.url, { ...WANTED, to: 1_000_000 })).rejects.toThrow('more logs')
  expect(asked).toBe(4)
})

test('a witness that takes too long is asked on from there the next time', async () => {
  const begins: number[] = []
  await using node = await openNode(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { id, params } = JSON.parse(Buffer.concat(parts).toString())
    begins.push(Number(params[0].fromBlock))
    if (begins.length === 3) return response.writeHead(500).end('gone')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: [] }))
  })
  const bridge = WANTED.address
  const witnesses = rpcWitnesses([
    { chainId: 1, bridge, confirmations: 1, witnesses: [node.url], maxTransactionCost: 0n },
  ])
  const ask = () => witnesses.logs(1, { ...WANTED, to: 500_000 }, () => true)
  await expect(ask()).rejects.toMatchObject({ code: 'WITNESS_UNREACHABLE' })
  expect(await ask()).toEqual([[]])
  const [first, second, third, again] = begins
  expect([first, second]).toEqual([1, 2_001])
  expect(third).toBeGreaterThan(2_001)
  expect(again).toBe(third)
  // What has been told whole isn't kept.
  await ask()
  expect(begins.filter((begin) => begin === 1)).toHaveLength(2)
})
