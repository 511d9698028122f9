import { createPublicClient, createWalletClient, custom, http, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { type BatchState, createBatchState, hashRequest } from '../../../sdk/batch/batchState.ts'
import { submitBatch } from '../../../sdk/batch/submitBatch.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { type BridgePair, startBridgePair } from '../../integration/indexer/bridgePair.ts'
import { buildTwoIntentBatch } from '../../integration/sdk/twoIntentBatch.ts'

// What chains and their providers can do to a batch. Nobody is paid twice, and no missing payment goes
// unreported.

let pair: BridgePair
const account = privateKeyToAccount(deriveDevnetAccounts().senders[0]!.privateKey)
/** Blocks after which a used nonce is final. */
const SETTLED = 64

beforeAll(async () => {
  pair = await startBridgePair()
}, 300_000)
afterAll(() => pair.stop())

const request = () => buildTwoIntentBatch(pair.base.contracts.tokens)

type Ask = (given: { method: string; params?: unknown }) => Promise<unknown>

/** A client whose provider is the node with changed answers. */
function context(answer: (ask: Ask) => Ask = (ask) => ask, wallet: object = {}) {
  const { base } = pair
  const provider = http(base.node.rpc, { retryCount: 0 })({}) as { request: Ask }
  const transport = custom({ request: answer((given) => provider.request(given)) })
  const walletClient = createWalletClient({ account, transport: http(base.node.rpc) })
  return {
    chains: [
      {
        name: base.name,
        chainId: base.chainId,
        bridge: base.contracts.bridge,
        publicClient: createPublicClient({ transport, pollingInterval: 50 }),
      },
      {
        name: pair.horizen.name,
        chainId: pair.horizen.chainId,
        bridge: pair.horizen.contracts.bridge,
      },
    ],
    walletClient: { ...walletClient, ...wallet },
    relayer: { eciesPublicKey: async () => account.publicKey },
  } as never
}

/** Stores the state; the write numbered `dieAt` fails, as when the program is killed. */
function disk(dieAt = Number.POSITIVE_INFINITY) {
  let saves = 0
  let stored = ''
  return {
    save: (state: BatchState) => {
      saves += 1
      if (saves === dieAt) throw new Error('killed')
      stored = JSON.stringify(state)
    },
    state: () => JSON.parse(stored) as BatchState,
  }
}

/** Stores the state, and takes a snapshot of the chain just before the second intent is sent. */
function snapshotBeforeTheSecond() {
  const { client } = pair.base
  const { save: store, state } = disk()
  let snapshot: `0x${string}` | undefined
  let saves = 0
  return {
    state,
    async save(now: BatchState) {
      store(now)
      saves += 1
      if (saves === 3) snapshot = await client.snapshot()
    },
    reorg: () => client.revert({ id: snapshot! }),
  }
}

async function created(since: bigint) {
  const { client, contracts } = pair.base
  const logs = await client.getContractEvents({
    address: contracts.bridge,
    abi: bridgeIntentV2Abi,
    eventName: 'IntentCreated',
    args: { user: account.address },
    fromBlock: since + 1n,
    strict: true,
  })
  return logs.map(({ args }) => args.intentId)
}

const head = () => pair.base.client.getBlockNumber({ cacheTime: 0 })
const skip = { skipLiquidityCheck: true }

test('a batch pays nobody twice while the provider lacks the latest logs', async () => {
  const since = await head()
  // The second intent is created, and the program dies before it stores that.
  const { save, state } = disk(4)
  await expect(submitBatch(context(), request(), { save, ...skip })).rejects.toThrow('killed')
  const lagging = context(
    (ask) => async (given) => (given.method === 'eth_getLogs' ? [] : ask(given)),
  )
  const again = submitBatch(lagging, request(), { ...disk(), state: state(), ...skip })
  await expect(again).rejects.toMatchObject({ code: 'TRANSACTION_PENDING', retryable: true })
  const handles = await submitBatch(context(), request(), { ...disk(), state: state(), ...skip })
  expect(await created(since)).toEqual(handles.map(({ id }) => id))
})

test('a batch pays nobody twice while the provider lacks old logs and receipts', async () => {
  const since = await head()
  const { save, state } = disk()
  const handles = await submitBatch(context(), request(), { save, ...skip })
  await pair.base.client.mine({ blocks: SETTLED })
  const lacking = context((ask) => async (given) => {
    if (given.method === 'eth_getLogs') return []
    return given.method === 'eth_getTransactionReceipt' ? null : ask(given)
  })
  const again = submitBatch(lacking, request(), { ...disk(), state: state(), ...skip })
  await expect(again).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  expect(await created(since)).toEqual(handles.map(({ id }) => id))
})

test('a batch pays nobody twice if its chain has a new bridge meanwhile, which doesn’t show what was sent to the old one', async () => {
  const since = await head()
  const { save, state } = disk(4)
  await expect(submitBatch(context(), request(), { save, ...skip })).rejects.toThrow('killed')
  // By now the nonce of the second intent counts as used by another transaction.
  await pair.base.client.mine({ blocks: SETTLED })
  const [base, horizen] = (context() as { chains: object[] }).chains
  const chains = [{ ...base, bridge: `0x${'b1'.repeat(20)}` }, horizen]
  const moved = { ...(context() as object), chains } as never
  const { save: saveAgain, state: kept } = disk()
  saveAgain(state())
  const again = submitBatch(moved, request(), { save: saveAgain, state: state(), ...skip })
  await expect(again).rejects.toMatchObject({ code: 'BATCH_STATE_INVALID' })
  expect(kept()).toEqual(state())
  const handles = await submitBatch(context(), request(), { ...disk(), state: kept(), ...skip })
  expect(await created(since)).toEqual(handles.map(({ id }) => id))
})

test('a batch abandons a nonce once another transaction has finally used it', async () => {
  const { save, state } = disk(4)
  const dies = { sendTransaction: async () => Promise.reject(new Error('killed')) }
  await expect(submitBatch(context(), request(), { save, ...skip })).rejects.toThrow('killed')
  const kept = state()
  const at = kept.parts.findIndex(({ intentId }) => intentId === null)
  // As if another transaction had replaced the one sent.
  kept.parts[at]!.attempt!.blobs = []
  await pair.base.client.mine({ blocks: SETTLED })
  // A node without old state can't tell how long ago the nonce was used.
  const latest = toHex(await head())
  const forgetful = context((ask) => async (given) => {
    const [, block] = (given.params ?? []) as string[]
    if (given.method !== 'eth_getTransactionCount' || block === latest) return ask(given)
    throw Object.assign(new Error('missing trie node'), { code: -32_000 })
  })
  const guess = submitBatch(forgetful, request(), { save, state: structuredClone(kept), ...skip })
  await expect(guess).rejects.toMatchObject({ code: 'TRANSACTION_PENDING', retryable: true })
  const second = disk()
  const run = submitBatch(context(undefined, dies), request(), {
    save: second.save,
    state: kept,
    ...skip,
  })
  await expect(run).rejects.toThrow('killed')
  expect(second.state().parts[at]!.attempt!.nonce).toBeGreaterThan(kept.parts[at]!.attempt!.nonce)
})

test('a batch creates an intent again after a reorg removed it, and not before', async () => {
  const since = await head()
  const { save, state, reorg } = snapshotBeforeTheSecond()
  await submitBatch(context(), request(), { save, ...skip })
  expect(await created(since)).toHaveLength(2)
  await reorg()
  expect(await created(since)).toHaveLength(1)
  const handles = await submitBatch(context(), request(), { ...disk(), state: state(), ...skip })
  expect(handles).toHaveLength(2)
  expect(await created(since)).toEqual(handles.map(({ id }) => id))
})

test('a batch doesn’t report an intent as created if a reorg removes it while later ones are created', async () => {
  const since = await head()
  const { save, state, reorg } = snapshotBeforeTheSecond()
  const saveAndReorg = async (now: BatchState) => {
    await save(now)
    // The second is in a block, then the reorg removes it.
    if (now.parts.every(({ intentId }) => intentId !== null)) await reorg()
  }
  const run = submitBatch(context(), request(), { save: saveAndReorg, ...skip })
  await expect(run).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  const handles = await submitBatch(context(), request(), { ...disk(), state: state(), ...skip })
  expect(await created(since)).toEqual(handles.map(({ id }) => id))
})

test('a batch reports an intent again if a reorg gives it another id while later ones are created', async () => {
  const since = await head()
  const { client } = pair.base
  const { save, reorg } = snapshotBeforeTheSecond()
  const saveAndReorg = async (now: BatchState) => {
    await save(now)
    const hash = now.parts[1]?.createTxHash
    if (!hash || hasHappened) return
    hasHappened = true
    const raw = await client.request({
      method: 'eth_getRawTransactionByHash' as never,
      params: [hash] as never,
    })
    const { input: data } = await client.getTransaction({ hash })
    await reorg()
    // A stranger's intent, with the same recipients, takes the id.
    await pair.base.senders[1]!.execute({ to: pair.base.contracts.bridge, data })
    // The node answers before it mines.
    await client.sendRawTransaction({ serializedTransaction: raw })
    await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  }
  let hasHappened = false
  const seen: bigint[] = []
  const handles = await submitBatch(context(), request(), {
    save: saveAndReorg,
    onProgress: ({ intent }) => void seen.push(intent.id),
    ...skip,
  })
  const ids = handles.map(({ id }) => id)
  expect(await created(since)).toEqual(ids)
  expect(seen).toEqual([ids[0], ids[1]! - 1n, ids[1]])
})

test('a batch doesn’t adopt an intent with other recipients that used the same nonce', async () => {
  const wallet = createWalletClient({ account, transport: http(pair.base.node.rpc) })
  const datas: string[] = []
  const sendTransaction = (transaction: { data: string; nonce?: number }) => {
    if (transaction.nonce !== undefined) datas.push(transaction.data)
    const data = transaction.nonce === undefined ? transaction.data : datas[0]
    return wallet.sendTransaction({ ...transaction, data } as never)
  }
  const { save, state } = disk()
  const run = submitBatch(context(undefined, { sendTransaction }), request(), { save, ...skip })
  await expect(run).rejects.toMatchObject({ code: 'CONTRACT_REVERTED' })
  expect(state().parts.map(({ intentId }) => intentId === null)).toEqual([false, true])
})

/**
 * A wallet whose nonce never tells, as with a Safe, whose transactions others send.
 *
 * @param send what the wallet does with the transactions that it is asked to send, by either method
 */
function safeWallet(send: (transaction: { to: string }, method: string) => Promise<unknown>) {
  const { rpc } = pair.base.node
  const node = http(rpc, { retryCount: 0 })({}) as { request: Ask }
  const request: Ask = async (given) => {
    const [transaction] = (given.params ?? []) as [{ to: string }]
    return /sendTransaction/.test(given.method)
      ? send(transaction, given.method)
      : node.request(given)
  }
  const provider = custom({ request }, { retryCount: 0 })
  return createWalletClient({ account: account.address, transport: provider })
}

const rejection = () => Object.assign(new Error('no'), { code: 4001 })

/** Sends by the key behind the account, and waits for the block. */
async function sendByKey({ to, data }: { to: string; data?: string }): Promise<unknown> {
  const wallet = createWalletClient({ account, transport: http(pair.base.node.rpc) })
  const hash = await wallet.sendTransaction({ to, data, chain: null } as never)
  await pair.base.client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  return hash
}

test.each([
  ['its owner rejects it in the wallet', true],
  ['the chain refuses it in the simulation', false],
])('a transaction isn’t taken for pending when %s', async (_, isRejected) => {
  const since = await head()
  const { address } = account
  const { bridge } = pair.base.contracts
  let isFailing = true
  const wallet = safeWallet(async (transaction) => {
    if (isRejected && isFailing && transaction.to === bridge) throw rejection()
    return sendByKey(transaction)
  })
  const answer = (ask: Ask) => async (given: Parameters<Ask>[0]) => {
    const [{ from, to }] = (given.params ?? [{}]) as [{ from?: string; to?: string }]
    if (!isRejected && isFailing && given.method === 'eth_call' && from && to === bridge)
      throw Object.assign(new Error('execution reverted'), { code: 3, data: '0x' })
    return ask(given)
  }
  const safe = context(answer, wallet)
  const { save, state } = disk()
  save(createBatchState(hashRequest(request(), address, bridge), 2))
  await expect(submitBatch(safe, request(), { save, ...skip })).rejects.toThrow()
  expect(state().parts.map(({ attempt }) => attempt)).toEqual([null, null])
  isFailing = false
  const handles = await submitBatch(safe, request(), { save, state: state(), ...skip })
  expect(await created(since)).toEqual(handles.map(({ id }) => id))
})

test('a transaction in a Safe’s queue is taken for pending when its owner rejects the second of two requests', async () => {
  const { bridge } = pair.base.contracts
  const queue: object[] = []
  const wallet = safeWallet(async (transaction, method) => {
    if (transaction.to !== bridge) return sendByKey(transaction)
    if (method !== 'eth_sendTransaction') throw rejection()
    // It is queued, but the answer is an error, after which viem asks by another method.
    queue.push(transaction)
    throw Object.assign(new Error('timeout'), { code: -32_000 })
  })
  const safe = context(undefined, wallet)
  const { save, state } = disk()
  await expect(submitBatch(safe, request(), { save, ...skip })).rejects.toThrow()
  expect(queue).toHaveLength(1)
  const again = submitBatch(safe, request(), { save, state: state(), ...skip })
  await expect(again).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  expect(queue).toHaveLength(1)
  expect(state().parts[0]?.attempt?.blobs).toHaveLength(1)
})

test.each([
  ['its owner rejects it when the wallet asks once more', true],
  ['the wallet rejects the question for its receipt', false],
])('a transaction that was sent is taken for pending even if %s', async (_, isAskedAgain) => {
  const since = await head()
  const { bridge } = pair.base.contracts
  let isFailing = true
  let wasSent = false
  const wallet = safeWallet(async (transaction) => {
    const hash = await sendByKey(transaction)
    wasSent ||= transaction.to === bridge
    if (isAskedAgain && isFailing && wasSent) throw rejection()
    return hash
  })
  const answer = (ask: Ask) => async (given: Parameters<Ask>[0]) => {
    if (!isAskedAgain && isFailing && wasSent && given.method === 'eth_getTransactionReceipt')
      throw rejection()
    return ask(given)
  }
  const asked = context(answer, wallet)
  const { save, state } = disk()
  await expect(submitBatch(asked, request(), { save, ...skip })).rejects.toThrow()
  expect(state().parts[0]?.attempt).not.toBe(null)
  isFailing = false
  const handles = await submitBatch(asked, request(), { save, state: state(), ...skip })
  expect(await created(since)).toEqual(handles.map(({ id }) => id))
})

test('a batch computes deadlines by the chain’s clock, however old the last block is', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  try {
    const { save } = disk()
    expect(await submitBatch(context(), request(), { save, ...skip })).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})
