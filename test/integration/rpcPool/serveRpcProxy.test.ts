import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { RpcPoolEvent } from '../../../services/chain/rpcPool/rpcPoolEvent.ts'
import { type RpcProxy, serveRpcProxy } from '../../../services/chain/rpcPool/serveRpcProxy.ts'
import { rpc } from '../../bench/backfill/growChain.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

type Block = { number: string; hash: string }

let anvil: RunningAnvil
let first: FaultyRpc
let second: FaultyRpc
let proxy: RpcProxy
let events: RpcPoolEvent[]

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 84532, blockTime: 0 })
  await rpc(anvil.rpc, 'anvil_mine', ['0x50'])
})

beforeEach(async () => {
  first = await startFaultyRpc(anvil.rpc)
  second = await startFaultyRpc(anvil.rpc)
  events = []
  const observe = (event: RpcPoolEvent) => events.push(event)
  const pool = createRpcPool({ chainId: 84532, rpcUrls: [first.url, second.url], observe })
  proxy = await serveRpcProxy({ pool, finality: 30, observe, patienceMs: 1_500 })
})

afterEach(() => Promise.all([proxy.close(), first.close(), second.close()]))
afterAll(() => anvil.stop())

const ask = (method: string, params: unknown[] = []) => rpc(proxy.urls(1)[0]!, method, params)
const head = async (whole = false) =>
  (await ask('eth_getBlockByNumber', ['latest', whole])) as Block
const mine = (blocks = 1) => rpc(anvil.rpc, 'anvil_mine', [`0x${blocks.toString(16)}`])
const isHead = ({ method, params }: { method: string; params: unknown[] }) =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest'

test('in sequence, all goes to the first URL; the second stands by', async () => {
  for (let count = 0; count < 5; count++) await head()
  expect(first.count('eth_getBlockByNumber')).toBe(5)
  expect(second.calls).toEqual([])
})

test('a batch is answered in full, each with its id', async () => {
  const response = await fetch(proxy.urls(3)[2]!, {
    method: 'POST',
    body: JSON.stringify([
      { jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] },
      { jsonrpc: '2.0', id: 'x', method: 'eth_getBlockByNumber', params: ['0x5', false] },
    ]),
  })
  expect(await response.json()).toMatchObject([
    { id: 7, result: '0x14a34' },
    { id: 'x', result: { number: '0x5' } },
  ])
})

test('a URL that swallows requests is passed over in time, at its introduction and after', async () => {
  const hole = createServer(() => {})
  await new Promise<void>((resolve) => hole.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(hole.address() as AddressInfo).port}`
  const asked = (block: string) => ['eth_getBlockByNumber', [block, false]] as const
  const overHole = await startPatient(url)
  const began = performance.now()
  const block = await rpc(overHole.urls(1)[0]!, ...asked('latest'))
  expect(block).toMatchObject({ number: expect.any(String) })
  expect(performance.now() - began).toBeLessThan(LONG_PATIENCE)
  await overHole.close()
  hole.closeAllConnections()
  hole.close()

  const overFirst = await startPatient(first.url)
  const [answering] = overFirst.urls(1)
  await rpc(answering!, ...asked('latest'))
  first.inject(() => ({ hold: new Promise(() => {}) }))
  for (const one of ['latest', '0x5']) {
    const from = performance.now()
    expect(await rpc(answering!, ...asked(one))).not.toBeNull()
    expect(performance.now() - from).toBeLessThan(LONG_PATIENCE)
  }
  await overFirst.close()
})

/** Half of it goes to the first URL: in the other half the second answers also on a busy machine. */
const LONG_PATIENCE = 5_000

/** A proxy over this URL, and over the second after it. */
function startPatient(url: string): Promise<RpcProxy> {
  const pool = createRpcPool({ chainId: 84532, rpcUrls: [url, second.url] })
  return serveRpcProxy({ pool, finality: 30, patienceMs: LONG_PATIENCE })
}

test('when every URL swallows requests, the last head is answered when patience is out', async () => {
  const last = await head()
  for (const one of [first, second]) one.inject(() => ({ hold: new Promise(() => {}) }))
  const began = performance.now()
  expect(await head()).toEqual(last)
  // Its patience is 1.5 s; without an end to it this would wait for ever.
  expect(performance.now() - began).toBeLessThan(15_000)
})

test('when the first URL dies, the second answers, and the first is left to rest', async () => {
  const askedAt: number[] = []
  first.inject(() => {
    askedAt.push(performance.now())
    return { drop: true }
  })
  const seen = await head()
  expect(seen.hash).toBe(
    ((await rpc(anvil.rpc, 'eth_getBlockByNumber', ['latest', false])) as Block).hash,
  )
  for (let count = 0; count < 20; count++) await head()
  const rests = events.flatMap((event) => (event.type === 'provider-failed' ? event.coolMs : []))
  expect(rests.length).toBe(askedAt.length)
  for (const [at, next] of askedAt.slice(1).entries())
    expect(next - askedAt[at]!).toBeGreaterThanOrEqual(rests[at]!)
})

test('a 429 with Retry-After is obeyed while the other URL answers', async () => {
  first.inject(() => ({ status: 429, headers: { 'retry-after': '20' } }))
  await head()
  expect(events).toContainEqual(expect.objectContaining({ reason: 'HTTP 429', coolMs: 20_000 }))
  const asked = first.calls.length
  for (let count = 0; count < 5; count++) await head()
  expect(first.calls.length).toBe(asked)
})

test('a block that one URL does not know yet is fetched from the other', async () => {
  const { hash } = await head()
  first.inject(({ method }) => (method === 'eth_getBlockByHash' ? { result: null } : undefined))
  expect(await ask('eth_getBlockByHash', [hash, true])).toMatchObject({ hash })
})

test('a block that nobody has is null, at once', async () => {
  expect(await ask('eth_getBlockByHash', [`0x${'12'.repeat(32)}`, false])).toBeNull()
})

test('an error of the chain itself is passed on as it is', async () => {
  const reverting = `0x${'99'.repeat(20)}`
  await rpc(anvil.rpc, 'anvil_setCode', [reverting, '0x5f5ffd'])
  await expect(ask('eth_call', [{ to: reverting }, 'latest'])).rejects.toThrow(/revert/i)
  expect(second.calls).toEqual([])
})

test('an old head from a lagging URL is never passed on', async () => {
  const old = await head()
  await mine(3)
  const recent = await head()
  first.inject((call) => (isHead(call) ? { result: old } : undefined))
  expect((await head()).hash).toBe(recent.hash)
  second.inject((call) => (isHead(call) ? { result: old } : undefined))
  expect((await head()).hash, 'both lag').toBe(recent.hash)
})

test('a real reorg is passed on', async () => {
  await mine(2)
  const before = await head()
  await rpc(anvil.rpc, 'anvil_rollback', [1])
  await rpc(anvil.rpc, 'evm_increaseTime', [100])
  await mine()
  const after = await head()
  expect(after.number).toBe(before.number)
  expect(after.hash).not.toBe(before.hash)
})

describe('of three URLs, the first alone', () => {
  let third: FaultyRpc
  let trio: RpcProxy
  beforeEach(async () => {
    third = await startFaultyRpc(anvil.rpc)
    const rpcUrls = [first.url, second.url, third.url]
    const pool = createRpcPool({ chainId: 84532, rpcUrls })
    trio = await serveRpcProxy({ pool, finality: 30, patienceMs: 5_000, stillMs: 300 })
  })
  afterEach(() => Promise.all([trio.close(), third.close()]))
  const seen = async () =>
    (await rpc(trio.urls(1)[0]!, 'eth_getBlockByNumber', ['latest', false])) as Block
  const real = async () =>
    (await rpc(anvil.rpc, 'eth_getBlockByNumber', ['latest', false])) as Block

  test.each([
    ['a shorter chain', -3],
    ['another chain of the same length', 0],
    ['another chain that is longer', 1],
    ['another chain that is much longer', 3],
  ])('can’t make anyone take back a block for %s, however often it changes its mind', async (_, ahead) => {
    await mine(5)
    for (let flip = 0; flip < 4; flip++) {
      first.inject(undefined)
      await mine()
      const head = await real()
      expect((await seen()).hash).toBe(head.hash)
      // An invented block on top of an invented one.
      const forged = {
        number: `0x${(Number(head.number) + ahead).toString(16)}`,
        hash: `0x${String(flip + 1).repeat(64)}`,
        parentHash: `0x${'6'.repeat(64)}`,
      }
      const change = (block: unknown) => ({ ...(block as Block), ...forged })
      const below = (block: unknown) => ({ ...(block as Block), hash: forged.parentHash })
      first.inject((call) => {
        if (isHead(call)) return { change }
        return call.params[0] === head.number ? { change: below } : undefined
      })
      expect((await seen()).hash).toBe((await real()).hash)
    }
  })

  test('can’t stop the head for ever by a first one beyond all numbers', async () => {
    const beyond = { number: `0x${'f'.repeat(20)}`, hash: `0x${'7'.repeat(64)}` }
    const change = (block: unknown) => ({ ...(block as Block), ...beyond })
    first.inject((call) => (isHead(call) ? { change } : undefined))
    expect(await seen(), 'nothing is known that it contradicts').toMatchObject(beyond)
    first.inject(undefined)
    expect((await seen()).hash).toBe((await real()).hash)
  })

  test('can’t make anyone take back a block for a true but old one', async () => {
    await mine(600)
    const head = await seen()
    const old = await rpc(anvil.rpc, 'eth_getBlockByNumber', ['0x10', false])
    first.inject((call) => (isHead(call) ? { result: old } : undefined))
    expect((await seen()).hash).toBe(head.hash)
  })

  test('can’t outvote the second while the third is behind', async () => {
    await seen()
    const behind = await real()
    await mine()
    const head = await real()
    expect((await seen()).hash).toBe(head.hash)
    const { number } = head
    third.inject((call) => {
      if (isHead(call)) return { result: behind }
      return call.params[0] === number ? { result: null } : undefined
    })
    const change = (block: unknown) => ({ ...(block as Block), hash: `0x${'8'.repeat(64)}` })
    first.inject((call) => (isHead(call) ? { change } : undefined))
    expect((await seen()).hash).toBe(head.hash)
  })

  test('can’t answer with a forged block where the others have another', async () => {
    await mine(3)
    const { hash, number } = await seen()
    const byHash = (of: string) => rpc(trio.urls(1)[0]!, 'eth_getBlockByHash', [of, false])
    let forged: object = {}
    const change = (block: unknown) => ({ ...(block as Block), ...forged })
    first.inject(({ method }) => (method.startsWith('eth_getBlock') ? { change } : undefined))
    forged = { parentHash: `0x${'6'.repeat(64)}` }
    expect(await byHash(hash), 'upon another').not.toMatchObject(forged)
    forged = { hash: `0x${'9'.repeat(64)}` }
    expect(await byHash(hash), 'another than the one asked for').toMatchObject({ hash })
    forged = { number: '0x20' }
    const byNumber = await rpc(trio.urls(1)[0]!, 'eth_getBlockByNumber', [number, false])
    expect(byNumber, 'of another height').toMatchObject({ hash, number })
    const unknown = { hash: `0x${'9'.repeat(64)}`, parentHash: `0x${'6'.repeat(64)}` }
    for (const height of [number, '0xffffff', 'nowhere']) {
      first.inject(({ method }) =>
        method === 'eth_getBlockByHash' ? { result: { number: height, ...unknown } } : undefined,
      )
      expect(await byHash(unknown.hash)).toBeNull()
    }
  })

  test('whose head skips blocks of the known chain is followed without a vote', async () => {
    await seen()
    await mine(4)
    const [one, other] = [second.calls.length, third.calls.length]
    expect((await seen()).hash).toBe((await real()).hash)
    expect([second.calls.length, third.calls.length]).toEqual([one, other])
  })

  test('doesn’t raise the head by a block that was looked up', async () => {
    const head = await seen()
    const parentHash = `0x${'6'.repeat(64)}`
    const ahead = Number(head.number)
    const forge = (number: number, hash: string) => ({
      ...{ ...head, parentHash, hash, number: `0x${number.toString(16)}` },
    })
    const [onTop, next] = [
      forge(ahead + 1, `0x${'7'.repeat(64)}`),
      forge(ahead + 2, `0x${'8'.repeat(64)}`),
    ]
    next.parentHash = onTop.hash
    first.inject((call) => {
      if (isHead(call)) return { result: next }
      if (call.params[0] === head.number) return { result: { ...head, hash: parentHash } }
      return call.method === 'eth_getBlockByNumber' ? { result: onTop } : undefined
    })
    await rpc(trio.urls(1)[0]!, 'eth_getBlockByNumber', [onTop.number, false])
    expect((await seen()).hash).toBe(head.hash)
  })

  test('can’t hold the head back by claiming that nothing happens', async () => {
    await mine()
    const old = await real()
    first.inject((call) => (isHead(call) ? { result: old } : undefined))
    expect((await seen()).hash).toBe(old.hash)
    await mine(2)
    await expect.poll(async () => (await seen()).hash).toBe((await real()).hash)
    // From then on it is passed over.
    await mine()
    expect((await seen()).hash).toBe((await real()).hash)
  })

  test('isn’t followed if it goes ahead alone while the chain stands still', async () => {
    const head = await seen()
    const ahead = { number: '0xffffff', hash: `0x${'7'.repeat(64)}` }
    const change = (block: unknown) => ({ ...(block as Block), ...ahead })
    third.inject((call) => (isHead(call) ? { change } : undefined))
    const asked = third.calls.length
    await expect.poll(async () => (await seen()) && third.calls.length).toBeGreaterThan(asked + 3)
    expect((await seen()).hash).toBe(head.hash)
  })

  test.each([
    9, 100_000,
  ])('can’t raise the head by %i blocks, even if it keeps ours below', async (above) => {
    const head = await seen()
    first.inject((call) =>
      isHead(call)
        ? {
            change: (block) => ({
              ...(block as Block),
              number: `0x${(Number((block as Block).number) + above).toString(16)}`,
              hash: `0x${'7'.repeat(64)}`,
              parentHash: `0x${'6'.repeat(64)}`,
            }),
          }
        : undefined,
    )
    expect((await seen()).hash).toBe(head.hash)
    await mine()
    expect((await seen()).hash).toBe((await real()).hash)
  })

  test('can’t hold back a real reorg by staying on the old chain', async () => {
    await mine(2)
    const before = await real()
    first.inject(({ method, params }) =>
      method === 'eth_getBlockByNumber' && ['latest', before.number].includes(String(params[0]))
        ? { result: before }
        : undefined,
    )
    expect((await seen()).hash).toBe(before.hash)
    await rpc(anvil.rpc, 'anvil_rollback', [1])
    await rpc(anvil.rpc, 'evm_increaseTime', [100])
    await mine(2)
    await expect.poll(async () => (await seen()).hash).toBe((await real()).hash)
  })
})

test('while no URL answers, the last head stands, and the recovery is noticed', async () => {
  const last = await head(true)
  for (const one of [first, second]) one.inject(() => ({ status: 503 }))
  expect((await head(true)).hash).toBe(last.hash)
  expect(await ask('eth_chainId')).toBe('0x14a34')
  await expect(ask('eth_getBlockByNumber', ['0x1', false])).rejects.toThrow()
  expect(events.filter(({ type }) => type === 'serving-last-head')).toHaveLength(1)
  for (const one of [first, second]) one.inject(undefined)
  await mine()
  // The providers rest after their failures; asking goes on until one of them is asked again.
  while ((await head(true)).hash === last.hash);
  expect(events).toContainEqual({ type: 'providers-back', chainId: 84532 })
})

test('providers that disagree about a final block are told apart while running', async () => {
  await proxy.close()
  const foreign = `0x${'66'.repeat(32)}`
  first.inject(({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] !== 'latest'
      ? { change: (block) => ({ ...(block as object), hash: foreign }) }
      : undefined,
  )
  const third = await startFaultyRpc(anvil.rpc)
  const quarantined = Promise.withResolvers<RpcPoolEvent>()
  const readmitted = Promise.withResolvers<void>()
  const observe = (event: RpcPoolEvent) => {
    if (event.type === 'provider-quarantined') quarantined.resolve(event)
    if (event.type === 'provider-readmitted') readmitted.resolve()
  }
  const rpcUrls = [first.url, second.url, third.url]
  const pool = createRpcPool({ chainId: 84532, rpcUrls, observe })
  proxy = await serveRpcProxy({ pool, finality: 30, observe, crossCheckSeconds: 0.05 })
  expect(await quarantined.promise).toMatchObject({ reason: expect.stringContaining(foreign) })
  await head()
  expect(first.calls.filter(isHead)).toEqual([])
  first.inject(undefined)
  await readmitted.promise
  await third.close()
})

test('nonsense is refused and does no harm', async () => {
  const post = (body: string) => fetch(proxy.urls(1)[0]!, { method: 'POST', body })
  expect((await post('nonsense')).status).toBe(400)
  expect((await post('"text"')).status).toBe(400)
  expect((await post('x'.repeat(2_000_000))).status).toBe(400)
  expect((await head()).number).toMatch(/^0x/)
})
