import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { seededRandom } from '../../rig/seededRandom.ts'
import { type FlakyNode, type NodeFault, startFlakyNode } from '../../sim/flakyNode.ts'

const HEAD = 0x64

let stormy: FlakyNode
let close: () => Promise<unknown>

beforeEach(async () => {
  const node = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method, params } = JSON.parse(body)
    const number = params?.[0] === 'latest' ? `0x${HEAD.toString(16)}` : params?.[0]
    const result = method === 'eth_getBlockByNumber' ? { number, hash: `${number}00` } : '0x64'
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  stormy = await startFlakyNode(
    `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    seededRandom(1),
  )
  close = async () => {
    await stormy.close()
    node.closeAllConnections()
    await new Promise((resolve) => node.close(resolve))
  }
})

afterEach(() => close())

async function ask(method: string, params: unknown[]): Promise<string> {
  try {
    const response = await fetch(stormy.url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    if (response.status !== 200) return String(response.status)
    return JSON.stringify(((await response.json()) as { result: unknown }).result)
  } catch {
    return 'broken'
  }
}

/** The different answers among many to one question. */
async function answers(fault: NodeFault, method: string, params: unknown[] = []) {
  stormy.setFault(fault)
  const all = await Promise.all(Array.from({ length: 24 }, () => ask(method, params)))
  return new Set(all)
}

test('a calm line passes everything on, and hides what kind of node it is', async () => {
  expect(await answers('none', 'eth_blockNumber')).toEqual(new Set(['"0x64"']))
  expect(await answers('none', 'web3_clientVersion')).toEqual(new Set(['"sim/1"']))
})

test.each([
  ['dropping', ['broken', '"0x64"']],
  ['dead', ['broken']],
  ['refusing', ['429', '"0x64"']],
  ['truncating', ['broken', '"0x64"']],
  ['slow', ['"0x64"']],
] as const)('a line that is %s', async (fault, expected) => {
  expect(await answers(fault, 'eth_blockNumber')).toEqual(new Set(expected))
})

test('a line that lags answers now and then as if the latest blocks were not there', async () => {
  const heads = await answers('backward', 'eth_getBlockByNumber', ['latest', false])
  const numbers = [...heads].map((text) => Number(JSON.parse(text).number)).sort((a, b) => a - b)
  expect(numbers).toHaveLength(2)
  expect(numbers[0]).toBeLessThan(HEAD)
  expect(numbers[1]).toBe(HEAD)
  const latest = await answers('backward', 'eth_getBlockByNumber', ['0x64', false])
  expect(latest.has('null')).toBe(true)
})
