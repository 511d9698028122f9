import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keccak256, parseGwei, parseTransaction, toHex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createChainNodes } from '../../../services/chain/transactions/chainNodes.ts'
import type {
  Sender,
  StartSenderOptions,
} from '../../../services/chain/transactions/startSender.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { readSettlementProgress } from '../../../services/relayer/settlement/readSettlementProgress.ts'
import type { RpcCall } from '../../rig/faultyRpc.ts'
import { createLocalSigner } from './localSigner.ts'
import { type ProxiedTransactionRig, startProxiedTransactionRig } from './proxiedTransactionRig.ts'
import { CHAIN_ID, derivePayee, LEAST_FEE } from './transactionRig.ts'

/** Gas of blocks that have no room for a stranger's transaction, and keep it waiting. */
const SMALL_BLOCK = 60_000n

let rig: ProxiedTransactionRig

beforeAll(async () => {
  rig = await startProxiedTransactionRig()
})
afterAll(() => rig?.stop())
beforeEach(async () => {
  await rig.nextAccount()
  await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') })
  await rig.chain.mine({ blocks: 1 })
  await rig.chain.setAutomine(false)
})
afterEach(async () => {
  await rig.stopSenders()
  rig.proxy.inject(undefined)
  await rig.dropAll()
  await rig.chain.setBlockGasLimit({ gasLimit: 30_000_000n })
  await rig.chain.setAutomine(true)
})

/** Replaces and sends again much sooner than in production. */
const IMPATIENT = { bumpAfterMs: 200, resendAfterMs: 400 }

function start(options: Partial<StartSenderOptions> = {}) {
  return rig.start({ ...IMPATIENT, ...options })
}

function startBehindProxy(options: Partial<StartSenderOptions> = {}) {
  return rig.startBehindProxy({ ...IMPATIENT, ...options })
}

const statesOf = (rows: Transaction[]) => rows.map(({ state }) => state)

async function lookAt(transactions: Transaction[]): Promise<Transaction[]> {
  return Promise.all(transactions.map(({ id }) => rig.read(id)))
}

async function allOver(transactions: Transaction[]): Promise<Transaction[]> {
  const isOver = async () =>
    statesOf(await lookAt(transactions)).every((state) =>
      ['confirmed', 'failed', 'superseded'].includes(state),
    )
  await rig.until(isOver, 'every transaction is over', true)
  return lookAt(transactions)
}

async function versionsOf({ id }: Transaction) {
  const { rows } = await rig.client.query(
    `select nonce, max_fee, sent_at from app.transaction_version
     where transaction_id = $1 order by signed_at`,
    [id],
  )
  return rows.map(({ nonce, max_fee: maxFee, sent_at: sentAt }) => {
    return { nonce: Number(nonce), maxFee: BigInt(maxFee), sentAt }
  })
}

const hasComeTo = (transaction: Transaction, state: string) => async () =>
  (await rig.read(transaction.id)).state === state

/** Two transactions, the first replaced twice while blocks left it out. */
async function replacedTwice(): Promise<Transaction[]> {
  const first = await rig.request('slow')
  const asked = [first, await rig.request('slow too')]
  const hasThree = async () => (await versionsOf(first)).length >= 3
  await rig.until(hasThree, 'two replacements', () => rig.mineWithout(2))
  return asked
}

/** Waits until the sender has run this many more passes. */
async function passes(sender: Sender, count: number): Promise<void> {
  let seen: number | undefined
  let left = count
  const havePassed = async () => {
    const at = sender.report().passedAt?.getTime()
    if (at !== seen) left -= 1
    seen = at
    return left < 0
  }
  await rig.until(havePassed, `${count} passes`)
}

/** Makes the provider refuse versions, by the order in which it first sees them. */
function refuse(decide: (version: number) => string | null): void {
  const seen: string[] = []
  rig.proxy.inject(({ method, params }: RpcCall) => {
    if (method !== 'eth_sendRawTransaction') return undefined
    const raw = String(params[0])
    if (!seen.includes(raw)) seen.push(raw)
    const message = decide(seen.indexOf(raw) + 1)
    return message === null ? undefined : { error: { code: -32_000, message } }
  })
}

describe('a transaction left out of blocks', () => {
  it('is replaced at a higher fee', async () => {
    const { events } = start()
    const asked = await replacedTwice()
    const [first] = asked as [Transaction]
    const versions = await versionsOf(first)
    expect(new Set(versions.map(({ nonce }) => nonce)).size).toBe(1)
    expect(statesOf(await allOver(asked))).toEqual(['confirmed', 'confirmed'])
    // A version is reported after it is saved.
    expect(events.filter(({ type }) => type === 'replaced').length).toBeGreaterThanOrEqual(2)
    expect(await rig.received(first.effect)).toBe(1n)
  })

  it('is replaced again and again, each time at a higher fee, if the database’s clock goes back by an hour', async () => {
    const asked = [await rig.request('timeless')] as [Transaction]
    const { sender } = start()
    await rig.until(hasComeTo(asked[0], 'sent'), 'sent')
    await sender.stop()
    await rig.client.query(
      `update app.transaction_version set signed_at = signed_at + interval '1 hour',
         sent_at = sent_at + interval '1 hour'`,
    )
    start()
    const hasThree = async () => (await versionsOf(asked[0])).length >= 3
    await rig.until(hasThree, 'two replacements', () => rig.mineWithout(2))
    const fees = (await versionsOf(asked[0])).map(({ maxFee }) => maxFee)
    expect(fees).toEqual(fees.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('timeless')).toBe(1n)
  })

  it.each([
    "now() + interval '1 hour'",
    "'infinity'",
  ])('isn’t replaced sooner than any other because it was signed in the future, at %s', async (moment) => {
    const asked = [await rig.request(`early ${moment}`)] as [Transaction]
    const { sender } = start()
    await rig.until(hasComeTo(asked[0], 'sent'), 'sent')
    await sender.stop()
    await rig.client.query(`update app.transaction_version set signed_at = ${moment}`)
    const { sender: patient } = start({ bumpAfterMs: 60_000, resendAfterMs: 60_000 })
    for (let block = 0; block < 6; block++) {
      await rig.mineWithout()
      await passes(patient, 2)
    }
    expect(await versionsOf(asked[0])).toHaveLength(1)
    await patient.stop()
    start()
    const isReplaced = async () => (await versionsOf(asked[0])).length > 1
    await rig.until(isReplaced, 'a replacement', () => rig.mineWithout(2))
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
  })

  it('is sent again although it was last sent in the future, by a clock that was set back since', async () => {
    const asked = [await rig.request('dropped')] as [Transaction]
    const { sender } = start()
    await rig.until(hasComeTo(asked[0], 'sent'), 'sent')
    await sender.stop()
    await rig.client.query(
      `update app.transaction_version set sent_at = sent_at + interval '1 hour'`,
    )
    await rig.dropAll()
    start({ bumpAfterMs: 3_600_000 })
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
  })

  it('isn’t replaced while the chain has no blocks', async () => {
    const asked = [await rig.request('unmined')]
    const { sender, events } = start({ bumpAfterMs: 50, resendAfterMs: 60_000 })
    await rig.until(hasComeTo(asked[0] as Transaction, 'sent'), 'sent')
    await passes(sender, 10)
    expect(events.map(({ type }) => type)).not.toContain('replaced')
    expect(await versionsOf(asked[0] as Transaction)).toHaveLength(1)
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
  })

  it('never pays more than the cap, reports it, and is mined when fees fall', async () => {
    const cap = parseGwei('4')
    const asked = [await rig.request('dear'), await rig.request('behind')]
    const { sender, events } = start({ maxFeePerGas: cap })
    const says = async () => sender.report().problem === 'FEE_CAP'
    await rig.until(says, 'it says that it waits', () => rig.mineWithout())
    const { id } = asked[0] as Transaction
    expect((await rig.read(id)).problem).toBe('FEE_CAP')
    const waits = events.filter((event) => event.type === 'waits' && event.transaction.id === id)
    expect(waits).toHaveLength(1)
    // The node forgets what pays so little; it has to be sent again.
    await rig.dropAll()
    await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') })
    expect(statesOf(await allOver(asked))).toEqual(['confirmed', 'confirmed'])
    await rig.until(async () => sender.report().problem === null, 'the trouble is over', true)
    for (const { maxFee } of await versionsOf(asked[0] as Transaction)) {
      expect(maxFee).toBeLessThanOrEqual(cap)
    }
    for (const { effect } of asked) expect(await rig.received(effect)).toBe(1n)
  })

  it('at the cap yields its nonce to later ones once it is stale', async () => {
    const cap = parseGwei('4')
    let isLate = false
    const late = await rig.request('late', { gasLimit: 2_000_000n })
    const behind = await rig.request('in time')
    const options = { isStale: async ({ id }: Transaction) => isLate && id === late.id }
    const { sender } = start({ maxFeePerGas: cap, ...options })
    const says = async () => sender.report().problem === 'FEE_CAP'
    await rig.until(says, 'it waits at the cap', () => rig.mineWithout())
    isLate = true
    const isCancelled = async () => (await rig.read(late.id)).txHash !== null
    // Blocks stay out of reach of anything that pays no more than the cap.
    await rig.until(isCancelled, 'a cancellation took its nonce', async () => {
      await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 2n * cap })
      await rig.chain.mine({ blocks: 1 })
    })
    await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') })
    expect(statesOf(await allOver([late, behind]))).toEqual(['superseded', 'confirmed'])
    expect(await rig.received('late')).toBe(0n)
    expect(await rig.received('in time')).toBe(1n)
  })
})

describe('a mined cancellation', () => {
  it('never counts as a success of the call it replaced', async () => {
    let isLate = false
    const key = { sourceChainId: CHAIN_ID, intentId: 77n }
    const settlement = await rig.request(`${key.intentId}:of its creation`, { kind: 'settle' })
    const { db } = rig.database
    const chain = {
      name: 'base_sepolia',
      chainId: CHAIN_ID,
      rpcUrls: [rig.node.rpc],
      confirmations: 5,
    }
    start({ chain, isStale: async () => isLate })
    await rig.until(hasComeTo(settlement, 'sent'), 'sent')
    isLate = true
    const isCancelled = async () => (await versionsOf(settlement))[1]?.sentAt instanceof Date
    await rig.until(isCancelled, 'the cancellation is sent')
    await rig.chain.mine({ blocks: 1 })
    await rig.until(hasComeTo(settlement, 'mined'), 'a block has the cancellation')
    const cancelled = { succeeded: false, problem: 'CANCELLED' }
    expect(await rig.read(settlement.id)).toMatchObject(cancelled)
    const nothing = { mined: null, problem: 'CANCELLED' }
    expect(await readSettlementProgress(db, key)).toMatchObject(nothing)
    const [over] = await allOver([settlement])
    expect(over).toMatchObject({ state: 'superseded', ...cancelled })
    expect(await readSettlementProgress(db, key)).toMatchObject(nothing)
    expect(await rig.received(settlement.effect)).toBe(0n)
  })
})

describe('a call that fails in simulation', () => {
  it('or runs out of gas is given up, and later ones continue', async () => {
    const asked = [
      await rig.request('jumps nowhere'),
      await rig.request('never ends', { gasLimit: 100_000n }),
      await rig.request('healthy'),
    ]
    await rig.chain.setCode({ address: derivePayee('jumps nowhere'), bytecode: '0x600356' })
    await rig.chain.setCode({ address: derivePayee('never ends'), bytecode: '0x5b600056' })
    start()
    const over = await allOver(asked)
    expect(statesOf(over)).toEqual(['failed', 'failed', 'confirmed'])
    expect(over[2]).toMatchObject({ nonce: 0 })
  })

  it('only at price zero is simulated at its real price', async () => {
    const asked = [await rig.request('for a price', { gasLimit: 100_000n })]
    // Fails if GASPRICE is 0, ends well otherwise.
    const bytecode = '0x3a600757fe00005b00'
    await rig.chain.setCode({ address: derivePayee('for a price'), bytecode })
    start()
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
  })

  it('because of unavailable nodes waits without delaying others, and is sent later', async () => {
    const asked = [await rig.request('untold'), await rig.request('told')] as Transaction[]
    let isUntold = true
    rig.proxy.inject(({ method, params }) => {
      const { to } = (params?.[0] ?? {}) as { to?: string }
      if (!isUntold || !/^eth_(call|estimateGas)$/.test(method)) return undefined
      if (to?.toLowerCase() !== derivePayee('untold').toLowerCase()) return undefined
      return { error: { code: -32_000, message: 'missing trie node' } }
    })
    const { sender } = startBehindProxy()
    expect(statesOf(await allOver(asked.slice(1)))).toEqual(['confirmed'])
    expect(await rig.read(asked[0]?.id ?? 0)).toMatchObject({
      state: 'chosen',
      problem: 'NOT_SIMULATED',
      detail: 'missing trie node',
    })
    expect(sender.report().problem).toBeNull()
    isUntold = false
    expect(statesOf(await allOver(asked))).toEqual(['confirmed', 'confirmed'])
  })
})

it('a provider that never answers delays nothing that another one accepts or knows', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const nodes = createChainNodes([`http://127.0.0.1:${port}`, rig.node.rpc])
  const sign = createLocalSigner(rig.account)
  const begun = performance.now()
  for (const nonce of [0, 1, 2, 3]) {
    const fees = { maxFeePerGas: LEAST_FEE, maxPriorityFeePerGas: 1n }
    const call = {
      to: derivePayee('sent beside silence'),
      data: '0x',
      value: 1n,
      gas: 21_000n,
    } as const
    const unsigned = { chainId: CHAIN_ID, nonce, ...call, ...fees }
    const { serialized } = await sign(unsigned, {} as Transaction)
    await nodes.broadcast(serialized)
    expect(await nodes.isKnown(keccak256(serialized))).toBe(true)
  }
  // Eight times the wait with one provider is 40 s; four times is 20 s.
  expect(performance.now() - begun).toBeLessThan(15_000)
  expect(await nodes.isKnown(keccak256('0x00'))).toBe(false)
  await rig.chain.mine({ blocks: 1 })
  expect(await rig.received('sent beside silence')).toBe(4n)
  silent.close()
  silent.closeAllConnections()
})

describe('an invented priority fee', () => {
  const asks = (fee: bigint) =>
    rig.proxy.inject(({ method }) =>
      method === 'eth_maxPriorityFeePerGas' ? { result: toHex(fee) } : undefined,
    )
  const tipsOf = async ({ id }: Transaction) => {
    const { rows } = await rig.client.query(
      `select max_priority_fee as tip from app.transaction_version
       where transaction_id = $1 order by signed_at`,
      [id],
    )
    return rows.map(({ tip }) => BigInt(tip))
  }
  const startAt = (rpcUrls: string[]) =>
    start({ chain: { name: 'base_sepolia', chainId: CHAIN_ID, rpcUrls, confirmations: 1 } })

  it.each([
    ['alone', () => [rig.proxy.url]],
    ['beside an honest one', () => [rig.proxy.url, rig.node.rpc]],
  ])('doesn’t raise the price to the cap: %s', async (_, rpcUrls) => {
    asks(parseGwei('400'))
    startAt(rpcUrls())
    const asked = [await rig.request(`expensive by its claim, of ${rpcUrls().length}`)]
    await allOver(asked)
    const [first] = await tipsOf(asked[0] as Transaction)
    expect(first).toBeLessThan(parseGwei('10'))
  })

  it('that is too low can’t delay a transaction: an honest provider’s fee outbids it', async () => {
    asks(0n)
    startAt([rig.proxy.url, rig.node.rpc])
    const asked = [await rig.request('cheap by its claim')]
    const [only] = asked as [Transaction]
    await rig.until(
      async () => (await tipsOf(only)).length > 1,
      'replaced',
      () => rig.mineWithout(1),
    )
    const [first, second] = await tipsOf(only)
    expect(first).toBe(0n)
    expect(second).toBeGreaterThanOrEqual(parseGwei('1'))
    await allOver(asked)
  })
})

describe('a foreign pending transaction', () => {
  it('that is never mined is outbid, since ours wait for its nonce', async () => {
    const { address } = rig.account
    await rig.chain.impersonateAccount({ address })
    const fees = { maxFeePerGas: toHex(LEAST_FEE), maxPriorityFeePerGas: toHex(LEAST_FEE) }
    const greedy = { gas: toHex(10n * SMALL_BLOCK), value: '0x1', ...fees }
    const stranger = { from: address, to: derivePayee('a stranger'), nonce: '0x0', ...greedy }
    await rig.chain.request({ method: 'eth_sendTransaction', params: [stranger] } as never)
    await rig.chain.setBlockGasLimit({ gasLimit: SMALL_BLOCK })
    await rig.chain.mine({ blocks: 1 })
    const asked = [await rig.request('behind a stranger')]
    const { sender } = start()
    await rig.until(hasComeTo(asked[0] as Transaction, 'sent'), 'sent')
    expect((await versionsOf(asked[0] as Transaction))[0]?.nonce).toBe(1)
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('behind a stranger')).toBe(1n)
    expect(await rig.received('a stranger')).toBe(0n)
    await rig.until(async () => sender.report().problem === null, 'nothing keeps it')
  })
})

describe('a nonce that another transaction has used', () => {
  it('isn’t assumed while the nodes’ receipts lag by more blocks than confirm anything', async () => {
    let areLate = true
    rig.proxy.inject(({ method }) =>
      areLate && method === 'eth_getTransactionReceipt' ? { result: null } : undefined,
    )
    const asked = [await rig.request('late receipt'), await rig.request('late receipt too')]
    const { sender, events } = rig.startBehindProxy()
    for (const one of asked) await rig.until(hasComeTo(one, 'sent'), 'sent')
    await rig.chain.mine({ blocks: 5 })
    await passes(sender, 3)
    areLate = false
    expect(statesOf(await allOver(asked))).toEqual(['confirmed', 'confirmed'])
    expect(events.map(({ type }) => type)).not.toContain('trouble')
    for (const one of asked) expect(await versionsOf(one)).toHaveLength(1)
  })

  it('delays nothing else while nodes lack the old state that proves it', async () => {
    const { address } = rig.account
    refuse(() => 'not on a Sunday')
    const lost = await rig.request('lost nonce')
    const { sender } = startBehindProxy({ bumpAfterMs: 60_000 })
    await rig.until(hasComeTo(lost, 'signed'), 'signed')
    await rig.chain.impersonateAccount({ address })
    const stranger = { from: address, to: derivePayee('a stranger'), nonce: '0x0', value: '0x1' }
    await rig.chain.request({ method: 'eth_sendTransaction', params: [stranger] } as never)
    await rig.chain.mine({ blocks: 3 })
    let hasOldState = false
    rig.proxy.inject(({ method, params }: RpcCall) =>
      !hasOldState && method === 'eth_getTransactionCount' && String(params[1]).startsWith('0x')
        ? { error: { code: -32_000, message: 'missing trie node' } }
        : undefined,
    )
    const other = await rig.request('beside the lost nonce')
    await rig.until(hasComeTo(other, 'confirmed'), 'the other is confirmed', true)
    const says = async () => sender.report().problem === 'RPC_UNREACHABLE'
    await rig.until(says, 'it says that no node has the state')
    expect(await rig.read(lost.id)).toMatchObject({ nonce: 0, problem: 'RPC_UNREACHABLE' })
    hasOldState = true
    expect(statesOf(await allOver([lost]))).toEqual(['confirmed'])
    expect(await rig.received('lost nonce')).toBe(1n)
  })
})

describe('a transaction that no node accepts', () => {
  it('as invalid is given up, and the next one takes its nonce', async () => {
    refuse((version) => (version === 1 ? 'transaction type not supported' : null))
    const asked = [await rig.request('invalid'), await rig.request('valid')]
    startBehindProxy()
    const over = await allOver(asked)
    expect(over).toMatchObject([
      { state: 'failed', problem: 'NOT_VALID', detail: 'transaction type not supported' },
      { state: 'confirmed', nonce: 0 },
    ])
    expect(await rig.received('invalid')).toBe(0n)
  })

  it('because of its gas limit is estimated again, and given up at the same result', async () => {
    refuse((version) => (version === 1 ? 'intrinsic gas too low' : null))
    const asked = [await rig.request('too little gas', { gasLimit: 21_000n })]
    startBehindProxy()
    const [over] = await allOver(asked)
    expect(over).toMatchObject({ state: 'failed', problem: 'GAS_LIMIT' })
  })

  it('because its gas could cost too much is sent at a price that nodes take', async () => {
    const most = 500_000n * parseGwei('2.2')
    rig.proxy.inject(({ method, params }: RpcCall) => {
      if (method !== 'eth_sendRawTransaction') return undefined
      const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(params[0] as `0x02${string}`)
      const cost = gas * maxFeePerGas
      // As Reth says it.
      const message = `tx fee (${cost} wei) exceeds the configured cap (${most} wei)`
      return cost > most ? { error: { code: -32_000, message } } : undefined
    })
    const asked = [await rig.request('too costly'), await rig.request('behind the too costly')]
    startBehindProxy({ leastGas: () => 500_000n })
    const areDone = async () => statesOf(await lookAt(asked)).every((one) => one === 'confirmed')
    await rig.until(areDone, 'both are confirmed', async () => {
      // Empty blocks lower it.
      await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') })
      await rig.chain.mine({ blocks: 1 })
    })
    for (const { effect } of asked) expect(await rig.received(effect)).toBe(1n)
  })

  it('for an unknown reason is signed again after a while, at the same nonce', async () => {
    refuse((version) => (version === 1 ? 'not on a Sunday' : null))
    const asked = [await rig.request('refused'), await rig.request('behind the refused')]
    const { sender, events } = startBehindProxy()
    await rig.until(async () => sender.report().problem === 'NOT_TAKEN', 'it says so')
    expect((await rig.read((asked[0] as Transaction).id)).detail).toBe('not on a Sunday')
    expect(statesOf(await allOver(asked))).toEqual(['confirmed', 'confirmed'])
    const versions = await versionsOf(asked[0] as Transaction)
    expect(versions.map(({ nonce }) => nonce)).toEqual([0, 0])
    expect(versions[0]?.sentAt).toBeNull()
    expect(events.filter(({ type }) => type === 'waits')).toHaveLength(1)
    for (const { effect } of asked) expect(await rig.received(effect)).toBe(1n)
  })

  it('because none answers isn’t changed', async () => {
    let isAway = true
    rig.proxy.inject(({ method }) =>
      isAway && method === 'eth_sendRawTransaction' ? { status: 503 } : undefined,
    )
    const asked = [await rig.request('unanswered')]
    const { sender } = startBehindProxy({ bumpAfterMs: 50 })
    await rig.until(async () => sender.report().problem === 'RPC_UNREACHABLE', 'it says so', true)
    await rig.chain.mine({ blocks: 3 })
    await passes(sender, 10)
    expect(await versionsOf(asked[0] as Transaction)).toHaveLength(1)
    isAway = false
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
  })
})

describe('a transaction whose sending was not recorded', () => {
  it('isn’t given up while a node has it, even if it would revert', async () => {
    const { sender } = start()
    const asked = [await rig.request('unnoted')]
    const [it] = asked as [Transaction]
    await rig.until(hasComeTo(it, 'sent'), 'sent')
    await sender.stop()
    await rig.client.query(
      'update app.transaction_version set sent_at = null where transaction_id = $1',
      [it.id],
    )
    await rig.client.query(`update app.transaction set state = 'signed' where id = $1`, [it.id])
    // The payee refuses the payment for now.
    await rig.chain.setCode({ address: derivePayee('unnoted'), bytecode: '0x60006000fd' })
    start({ bumpAfterMs: 60_000 })
    await rig.until(hasComeTo(it, 'sent'), 'it is found at the node')
    await rig.chain.setCode({ address: derivePayee('unnoted'), bytecode: '0x' })
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('unnoted')).toBe(1n)
  })
})
