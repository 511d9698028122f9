import { type Hex, toHex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { type FaultyRpc, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'
import {
  CHAIN_ID,
  derivePayee,
  startTransactionRig,
  type TransactionRig,
} from './transactionRig.ts'

let rig: TransactionRig
/** The provider that is named first, and lies. */
let liar: FaultyRpc
let honest: FaultyRpc

beforeAll(async () => {
  rig = await startTransactionRig()
  liar = await startFaultyRpc(rig.node.rpc)
  honest = await startFaultyRpc(rig.node.rpc)
})
afterAll(async () => {
  await Promise.all([liar?.close(), honest?.close()])
  await rig?.stop()
})
beforeEach(() => rig.nextAccount())
afterEach(async () => {
  await rig.stopSenders()
  liar.inject(undefined)
  honest.inject(undefined)
})

function start(rpcUrls = [liar.url, honest.url], pollMs = 50) {
  const chain = { name: 'base_sepolia', chainId: CHAIN_ID, rpcUrls, confirmations: 1 }
  return rig.start({ chain, bumpAfterMs: 200, resendAfterMs: 400, pollMs })
}

/** Has it answer a method so. */
const say = (lies: Record<string, (params: unknown[]) => unknown>) =>
  liar.inject(({ method, params }: RpcCall) => {
    const lie = lies[method]
    return lie && { result: lie(params) }
  })

async function isOver(asked: Transaction, state = 'confirmed'): Promise<void> {
  await rig.until(async () => (await rig.read(asked.id)).state === state, state, true)
}

async function sendsThree(name: string): Promise<void> {
  for (const number of [1, 2, 3]) {
    const asked = await rig.request(`${name} ${number}`)
    await isOver(asked)
    expect(await rig.received(asked.effect)).toBe(1n)
  }
  expect(await rig.chain.getTransactionCount({ address: rig.account.address })).toBe(3)
}

describe('a lying first provider stops nothing', () => {
  it('by a zero balance', async () => {
    say({ eth_getBalance: () => '0x0' })
    start()
    await sendsThree('without a balance')
  })

  it('by too high a nonce', async () => {
    const { address } = rig.account
    const count = () => rig.chain.getTransactionCount({ address })
    let real = 0
    say({ eth_getTransactionCount: () => toHex(real + 5) })
    start()
    for (const number of [1, 2]) {
      const asked = await rig.request(`with a gap ${number}`)
      await rig.until(async () => (await count()) > real, 'mined', true)
      real = await count()
      await isOver(asked)
    }
    expect(real).toBe(2)
  })

  it('by too low a nonce, once something was sent', async () => {
    start()
    await isOver(await rig.request('before the nonces'))
    await rig.stopSenders()
    say({ eth_getTransactionCount: () => '0x0' })
    start()
    const asked = await rig.request('after the nonces')
    await rig.until(async () => (await rig.received(asked.effect)) === 1n, 'sent', true)
    await isOver(asked)
  })

  it('by an invented revert', async () => {
    liar.inject(({ method }) =>
      /^eth_(call|estimateGas)$/.test(method)
        ? { error: { code: 3, message: 'execution reverted' } }
        : undefined,
    )
    start()
    await sendsThree('called reverting')
  })

  // PostgreSQL can't store it: each pass would fail, and nobody's transaction be sent.
  it('by a zero byte in an error message', async () => {
    const refused = await rig.request('refused with a zero byte')
    const isRefused = ({ method, params }: RpcCall) =>
      /^eth_(call|estimateGas)$/.test(method) &&
      JSON.stringify(params).includes(refused.to.toLowerCase())
    const error = { code: 3, message: 'execution reverted: \0' }
    liar.inject((call) => (isRefused(call) ? { error } : undefined))
    start([liar.url])
    await isOver(refused, 'failed')
    const asked = await rig.request('after a zero byte')
    await isOver(asked)
    expect(await rig.received(asked.effect)).toBe(1n)
  })

  it('by an invented base fee or block', async () => {
    for (const [at, lie] of [
      { baseFeePerGas: toHex(10n ** 18n) },
      { baseFeePerGas: '-5' },
      { gasLimit: '0x0' },
      { gasLimit: null },
      { number: '0x1' },
    ].entries()) {
      liar.inject(({ method, params }) =>
        method === 'eth_getBlockByNumber' && params[0] === 'latest'
          ? { change: (block) => ({ ...(block as object), ...lie }) }
          : undefined,
      )
      start()
      const asked = await rig.request(`beside a false block ${at}`)
      await rig.until(async () => (await rig.received(asked.effect)) === 1n, 'sent', true)
      await rig.stopSenders()
    }
  })
})

describe('a lying first provider alone can’t impose', () => {
  it('too little gas', async () => {
    say({ eth_estimateGas: () => toHex(21_100) })
    // Writes a slot.
    const asked = await rig.request('too little gas', { data: '0x01' })
    await rig.chain.setCode({ address: derivePayee(asked.effect), bytecode: '0x600160005500' })
    start()
    await isOver(asked)
  })

  it('a nonce far above the account’s while the other is down', async () => {
    say({ eth_getTransactionCount: () => toHex(1_000) })
    honest.inject(() => ({ status: 503 }))
    const asked = await rig.request('with a thousand gaps')
    const { sender, events } = start()
    await rig.until(
      async () => sender.report().problem !== null || (await rig.read(asked.id)).nonce !== null,
      'a decision',
    )
    liar.inject(undefined)
    honest.inject(undefined)
    await isOver(asked)
    expect(await rig.received(asked.effect)).toBe(1n)
    const { address } = rig.account
    expect(await rig.chain.getTransactionCount({ address })).toBe(1)
    const [trouble] = events.filter(({ type }) => type === 'trouble')
    expect(trouble).toMatchObject({ detail: expect.stringContaining('a single node counts 1000') })
  })

  it('a receipt of an unmined transaction, or a wrong block', async () => {
    await rig.chain.setAutomine(false)
    try {
      const { sender } = start()
      const asked = await rig.request('said to be mined')
      await rig.until(async () => (await rig.read(asked.id)).state === 'sent', 'sent')
      const forged = toHex(1n, { size: 32 })
      liar.inject(({ method, params }) => {
        if (method === 'eth_getTransactionCount') return { result: '0x1' }
        if (method !== 'eth_getTransactionReceipt') return undefined
        const at = { blockHash: forged, blockNumber: '0x1', transactionIndex: '0x0', logs: [] }
        const gas = { gasUsed: '0x5208', cumulativeGasUsed: '0x5208', effectiveGasPrice: '0x1' }
        const { address } = rig.account
        const ends = { from: address, to: address, contractAddress: null }
        const kind = { type: '0x2', status: '0x1', logsBloom: `0x${'0'.repeat(512)}` }
        return { result: { transactionHash: params[0], ...at, ...gas, ...ends, ...kind } }
      })
      await passes(sender, 10)
      expect(await rig.read(asked.id)).toMatchObject({ state: 'sent', txHash: null })
      liar.inject(undefined)
      await isOver(asked)
      expect(await rig.received(asked.effect)).toBe(1n)
    } finally {
      await rig.chain.setAutomine(true)
    }
  })

  it('that a mined transaction isn’t mined, which would send it twice', async () => {
    say({ eth_getTransactionReceipt: () => null })
    const { sender } = start()
    const asked = await rig.request('said to be lost')
    await rig.until(async () => (await rig.received(asked.effect)) === 1n, 'sent', true)
    await rig.chain.mine({ blocks: 5 })
    await passes(sender, 20)
    expect(await rig.received(asked.effect)).toBe(1n)
    liar.inject(undefined)
    await isOver(asked)
    expect(await rig.received(asked.effect)).toBe(1n)
  })

  it('that a reorg didn’t remove a transaction’s block, which would keep all later ones waiting', async () => {
    start([liar.url, honest.url, rig.node.rpc])
    const asked = await rig.request('said to be still there')
    await rig.until(async () => (await rig.read(asked.id)).state === 'mined', 'mined')
    const { txHash } = await rig.read(asked.id)
    const receipt = await rig.chain.request({
      method: 'eth_getTransactionReceipt',
      params: [txHash as Hex],
    })
    say({ eth_getTransactionReceipt: () => receipt, eth_getTransactionCount: () => '0x1' })
    await rig.chain.request({ method: 'anvil_reorg', params: [1, []] } as never)
    expect(await rig.received(asked.effect)).toBe(0n)
    await isOver(asked)
    expect(await rig.received(asked.effect)).toBe(1n)
  })
})

it('a simulation takes one request to each provider', async () => {
  // Long: a pass is made when something is requested, and none besides.
  const { sender } = start([honest.url], 60_000)
  await rig.until(async () => sender.report().latest !== null, 'the first pass')
  const asked = await rig.request('counted')
  honest.calls.splice(0)
  await rig.until(async () => (await rig.received(asked.effect)) === 1n, 'sent')
  await rig.until(async () => (await rig.read(asked.id)).state === 'sent', 'noted')
  const counts = new Map<string, number>()
  for (const { method } of honest.calls) counts.set(method, (counts.get(method) ?? 0) + 1)
  expect(Object.fromEntries(counts)).toMatchObject({
    eth_getBlockByNumber: 1,
    eth_getTransactionCount: 2,
    eth_getBalance: 1,
    eth_estimateGas: 1,
    eth_sendRawTransaction: 1,
  })
})

async function passes(
  sender: ReturnType<TransactionRig['start']>['sender'],
  count: number,
): Promise<void> {
  let [left, last] = [count, sender.report().passedAt?.getTime()]
  await rig.until(async () => {
    const at = sender.report().passedAt?.getTime()
    if (at !== last) left -= 1
    last = at
    return left <= 0
  }, `${count} passes`)
}
