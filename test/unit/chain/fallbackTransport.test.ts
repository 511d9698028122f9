import { custom, HttpRequestError, RpcRequestError, TimeoutError, type Transport } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  ASKED_LAST_MS,
  createFallbackTransport,
} from '../../../services/chain/fallbackTransport.ts'

const TIMED_OUT = new TimeoutError({ body: {}, url: 'http://node' })
const REFUSED = new HttpRequestError({ url: 'http://node', status: 503 })
const REVERTED = new RpcRequestError({
  body: {},
  url: 'http://node',
  error: { code: 3, message: 'execution reverted' },
})

/** A node that returns its name, or throws what it was told to. */
type Node = { name: string; fails?: Error | undefined }

describe('a transport with several nodes', () => {
  let nodes: Node[]
  let asked: string[]
  let time: number
  let ask: () => Promise<unknown>

  beforeEach(() => {
    nodes = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
    asked = []
    time = 1_000_000
    const { request } = createFallbackTransport(
      nodes.map((node) => transportOf(node, asked)),
      () => time,
    )({})
    ask = () => request({ method: 'eth_blockNumber' } as never)
  })

  it('asks the first one only, as long as it answers', async () => {
    expect([await ask(), await ask()]).toEqual(['a', 'a'])
    expect(asked).toEqual(['a', 'a'])
  })

  it('asks the next one when one refuses, and starts with the first again', async () => {
    nodes[0]!.fails = REFUSED
    expect([await ask(), await ask()]).toEqual(['b', 'b'])
    expect(asked).toEqual(['a', 'b', 'a', 'b'])
  })

  it('asks one that timed out last, for a minute', async () => {
    nodes[0]!.fails = TIMED_OUT
    expect([await ask(), await ask()]).toEqual(['b', 'b'])
    expect(asked).toEqual(['a', 'b', 'b'])
    time += ASKED_LAST_MS
    nodes[0]!.fails = undefined
    expect(await ask()).toBe('a')
  })

  it('still asks one that timed out when all others fail', async () => {
    nodes[0]!.fails = TIMED_OUT
    await ask()
    nodes[0]!.fails = undefined
    nodes[1]!.fails = REFUSED
    nodes[2]!.fails = TIMED_OUT
    expect(await ask()).toBe('a')
  })

  it('throws a revert without asking another', async () => {
    nodes[0]!.fails = REVERTED
    await expect(ask()).rejects.toThrow('execution reverted')
    expect(asked).toEqual(['a'])
  })

  it('tries all twice when none answers, and throws the last failure', async () => {
    for (const node of nodes) node.fails = REFUSED
    await expect(ask()).rejects.toThrow(HttpRequestError)
    expect(asked).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  })
})

function transportOf(node: Node, asked: string[]): Transport {
  const request = async () => {
    asked.push(node.name)
    if (node.fails) throw node.fails
    return node.name
  }
  return custom({ request }, { retryCount: 0 })
}
