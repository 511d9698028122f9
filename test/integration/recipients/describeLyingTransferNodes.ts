import { type Hex, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import {
  chain,
  client,
  follow,
  formatBalance,
  insertNewSafe,
  limitToTenBlocks,
  mint,
  readSafe,
  round,
  rpc,
} from './followerTestbed.ts'

const zero = { result: numberToHex(0, { size: 32 }) }

/** Tests of what one lying node makes the follower believe, on a testbed that is open. The liar comes first. */
export function describeLyingTransferNodes(): void {
  describe('one lying node', () => {
    const ofTwo = () => ({ rpcUrls: [rpc.url, chain.node.rpc] })

    async function paidSafe(amount: bigint): Promise<Hex> {
      const safe = await insertNewSafe()
      await mint('ZEN', safe, amount)
      return safe
    }

    test('of two hides no payment by omitting its log', async () => {
      const safe = await paidSafe(7n)
      rpc.inject(({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined))
      await follow({}, client, ofTwo())
      expect(await readSafe(safe)).toMatchObject({ balances: [formatBalance('ZEN', 7n)] })
    })

    test('of two hides no payment behind a false zero: the balance is read again', async () => {
      const safe = await paidSafe(7n)
      rpc.inject(({ method }) => (method === 'eth_call' ? zero : undefined))
      const lied = await round({}, client, ofTwo())
      expect(lied.disagreeing).toEqual([
        `${new URL(rpc.url).host}#1`,
        `${new URL(chain.node.rpc).host}#2`,
      ])
      expect(await readSafe(safe)).toMatchObject({ balances: [], swept: false })
      rpc.inject(undefined)
      const told = await round({}, client, ofTwo())
      expect(told.disagreeing).toEqual([])
      expect(await readSafe(safe)).toMatchObject({ balances: [formatBalance('ZEN', 7n)] })
    })

    test('of two makes no Safe look swept', async () => {
      const safe = await paidSafe(7n)
      await follow({}, client, ofTwo())
      await mint('ZEN', safe, 3n)
      rpc.inject(({ method }) => (method === 'eth_call' ? zero : undefined))
      await follow({}, client, ofTwo())
      expect(await readSafe(safe)).toMatchObject({
        balances: [formatBalance('ZEN', 7n)],
        swept: false,
      })
    })

    test('of three is outvoted', async () => {
      const third = await startFaultyRpc(chain.node.rpc)
      const safe = await paidSafe(7n)
      rpc.inject(({ method }) => (method === 'eth_call' ? zero : undefined))
      const rpcUrls = [rpc.url, chain.node.rpc, third.url]
      const { disagreeing } = await round({}, client, { rpcUrls })
      await third.close()
      expect(disagreeing).toEqual([])
      expect(await readSafe(safe)).toMatchObject({ balances: [formatBalance('ZEN', 7n)] })
    })

    test('that is silent hides nothing that the other says', async () => {
      const safe = await paidSafe(7n)
      rpc.inject(() => ({ drop: true }))
      await follow({}, client, ofTwo())
      expect(await readSafe(safe)).toMatchObject({ balances: [formatBalance('ZEN', 7n)] })
    })

    test.each([
      ['lacks the head', { code: -32000, message: 'header for hash not found' }],
      ['reads no state by hash', { code: -32602, message: 'invalid argument 1: hex string' }],
    ])('that honestly %s leaves the balance to the other', async (_, error) => {
      const safe = await paidSafe(7n)
      rpc.inject(({ method }) => (method === 'eth_call' ? { error } : undefined))
      expect((await round({}, client, ofTwo())).disagreeing).toEqual([])
      expect(await readSafe(safe)).toMatchObject({ balances: [formatBalance('ZEN', 7n)] })
    })

    test('and another that honestly say nothing leave the balance to the third', async () => {
      const other = await startFaultyRpc(chain.node.rpc)
      const safe = await paidSafe(7n)
      const error = { code: -32602, message: 'invalid argument 1: hex string' }
      for (const node of [rpc, other])
        node.inject(({ method }) => (method === 'eth_call' ? { error } : undefined))
      await round({}, client, { rpcUrls: [rpc.url, other.url, chain.node.rpc] })
      await other.close()
      expect(await readSafe(safe)).toMatchObject({ balances: [formatBalance('ZEN', 7n)] })
    })

    test('of three doesn’t decide while the second is silent', async () => {
      const silent = await startFaultyRpc(chain.node.rpc)
      silent.inject(({ method }) => (method === 'eth_call' ? { drop: true } : undefined))
      const safe = await paidSafe(7n)
      rpc.inject(({ method }) => (method === 'eth_call' ? zero : undefined))
      const rpcUrls = [rpc.url, silent.url, chain.node.rpc]
      const { disagreeing } = await round({}, client, { rpcUrls })
      await silent.close()
      expect(disagreeing).toHaveLength(2)
      expect(await readSafe(safe)).toMatchObject({ balances: [], swept: false })
    })

    test('that answers slowly delays a round for a limited time only', async () => {
      const safe = await paidSafe(7n)
      await chain.client.mine({ blocks: 400 })
      rpc.calls.length = 0
      rpc.inject((call) => {
        const hold = new Promise((resolve) => setTimeout(resolve, 300))
        return limitToTenBlocks(call) ?? (call.method === 'eth_getLogs' ? { hold } : undefined)
      })
      await follow({ secondTimeoutMs: 1_000 }, client, { rpcUrls: [chain.node.rpc, rpc.url] })
      expect(await readSafe(safe)).toMatchObject({ balances: [formatBalance('ZEN', 7n)] })
      // Two in each exchange, of which 40 would take 12 seconds.
      expect(rpc.count('eth_getLogs')).toBeLessThan(40)
    })

    test('that allows few blocks at once doesn’t delay a stop', async () => {
      await paidSafe(7n)
      await chain.client.mine({ blocks: 200 })
      const stopping = new AbortController()
      rpc.calls.length = 0
      rpc.inject((call) => {
        if (call.method === 'eth_getLogs') stopping.abort()
        return limitToTenBlocks(call)
      })
      const rpcUrls = [chain.node.rpc, rpc.url]
      await expect(round({}, client, { rpcUrls, stop: stopping.signal })).rejects.toThrow()
      // Two in the exchange during which it stopped.
      expect(rpc.count('eth_getLogs')).toBe(2)
    })
  })
}
