import { pad } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import type { RpcRequest } from '../../../services/chain/rpcPool/provider.ts'
import type { RpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { findSafeCreation } from '../../../services/relayer/recipients/deployed/findSafeCreation.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const safeAddress: Hex = `0x${'5a'.repeat(20)}`
const proxyFactory: Hex = `0x${'fa'.repeat(20)}`
const txHash: Hex = `0x${'11'.repeat(32)}`
const sought = { safeAddress, proxyFactory, knownSince: 0 }

/** A node at block 9 that gives these logs, whatever it is asked for. */
function nodeWith(logsOf: (topics: Hex[]) => object[]) {
  const answerTo = ({ method, params }: RpcRequest) => {
    if (method === 'eth_blockNumber') return { result: '0x9' }
    if (method !== 'eth_getLogs') {
      return { result: { number: params[0], hash: pad('0x1'), timestamp: '0x1' } }
    }
    const place = { data: '0x', blockHash: pad('0x1'), logIndex: '0x0' }
    const logs = logsOf((params as [{ topics: Hex[] }])[0].topics)
    return { result: logs.map((log) => ({ ...place, ...log })) }
  }
  const send = async (requests: readonly RpcRequest[]) => ({ answers: requests.map(answerTo) })
  return { send } as unknown as Pick<RpcPool, 'send'>
}

describe('the transaction that created a Safe', () => {
  test('is that of its own log, though a node gives others beside it', async () => {
    const node = nodeWith(([event, proxy]) => {
      const log = { address: proxyFactory, topics: [event, proxy], blockNumber: '0x5' }
      const other = { transactionHash: `0x${'99'.repeat(32)}` }
      return [
        { ...log, ...other, topics: [event, pad(proxyFactory)] },
        { ...log, ...other, address: safeAddress },
        { ...log, transactionHash: txHash },
      ]
    })
    expect(await findSafeCreation(node, sought)).toEqual({ txHash, depth: 4 })
  })

  test('is searched for in ten seconds, however slow the node', async () => {
    const node = { send: nodeWith(() => []).send }
    const timeouts: number[] = []
    vi.useFakeTimers({ toFake: ['performance'] })
    const slow: typeof node.send = async (requests, options) => {
      if (options?.totalTimeoutMs !== undefined) timeouts.push(options.totalTimeoutMs)
      vi.advanceTimersByTime(options?.totalTimeoutMs ?? 0)
      const { answers } = await node.send(requests, options)
      // At a head so high that thirty ranges would not do.
      const high = { result: '0xffffff' }
      return { answers: answers.map((one, at) => (requests[at]!.params[0] ? one : high)) } as never
    }
    try {
      expect(await findSafeCreation({ send: slow }, sought)).toBeNull()
    } finally {
      vi.useRealTimers()
    }
    expect(timeouts.reduce((sum, one) => sum + one, 0)).toBe(10_000)
  })

  test('is a hash, whatever a node calls one', async () => {
    const node = nodeWith((topics) => [
      { address: proxyFactory, topics, blockNumber: '0x5', transactionHash: '<script>' },
    ])
    await expect(findSafeCreation(node, sought)).rejects.toThrow()
  })
})
