import { setTimeout as pause } from 'node:timers/promises'
import { type Hex, numberToHex, pad } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import {
  createStorageProofReader,
  type StorageProofReader,
} from '../../../services/chain/proof/storageProofReader.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import { type Fault, type FaultyRpc, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'

/** Storage proofs by whichever of two nodes will do. */
const CONTRACT: Hex = `0x${'c0'.repeat(20)}`
const [FULL, EMPTY] = [1n, 2n].map((slot) => pad(numberToHex(slot), { size: 32 })) as [Hex, Hex]

let anvil: RunningAnvil
let first: FaultyRpc
let second: FaultyRpc
let reader: StorageProofReader
let block: number

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 84532, blockTime: 0 })
  await callRpc(anvil.rpc, 'anvil_setCode', [CONTRACT, '0x00'])
  await callRpc(anvil.rpc, 'anvil_setStorageAt', [CONTRACT, FULL, pad('0x2a', { size: 32 })])
  await callRpc(anvil.rpc, 'anvil_mine', ['0x5'])
  block = Number(await callRpc(anvil.rpc, 'eth_blockNumber', []))
  await callRpc(anvil.rpc, 'anvil_mine', ['0x5'])
})
beforeEach(async () => {
  first = await startFaultyRpc(anvil.rpc)
  second = await startFaultyRpc(anvil.rpc)
  reader = createStorageProofReader(
    createRpcPool({ chainId: 84532, rpcUrls: [first.url, second.url] }),
    CONTRACT,
  )
})
afterEach(() => Promise.all([first.close(), second.close()]))
afterAll(() => anvil.stop())

type Proof = { storageProof: { value: string; proof: string[] }[]; accountProof: string[] }
type Header = { stateRoot: string }

const onProofs =
  (fault: (call: RpcCall) => Fault | undefined) =>
  (call: RpcCall): Fault | undefined =>
    call.method === 'eth_getProof' ? fault(call) : undefined

const refusal = { error: { code: -32601, message: 'the method eth_getProof does not exist' } }
const changed = (change: (proof: Proof) => Proof) =>
  onProofs(() => ({ change: (result) => change(result as Proof) }))

async function expectProven(at: number | 'latest' = block): Promise<void> {
  const { values, evidence } = await reader.prove([FULL, EMPTY], at)
  expect([values.get(FULL), values.get(EMPTY)]).toEqual([42n, 0n])
  if (at !== 'latest') expect(evidence.blockNumber).toBe(at)
}

test('requests that arrive while two batches are pending share the next one', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  first.inject(onProofs(() => ({ hold: opened })))
  const asked = [expectProven('latest')]
  await until(() => first.count('eth_getProof') === 1, 'the first is under way')
  asked.push(expectProven('latest'))
  await until(() => first.count('eth_getProof') === 2, 'the second is under way')
  asked.push(expectProven('latest'))
  await pause(30)
  asked.push(expectProven('latest'), expectProven('latest'))
  open()
  await Promise.all(asked)
  expect(first.count('eth_getProof')).toBe(3)
})

test('proofs of a block and of the head are fetched in one batch for concurrent callers', async () => {
  await Promise.all([expectProven(), expectProven(), expectProven()])
  expect(first.count('eth_getProof')).toBe(1)
  expect(second.calls).toEqual([])
  await expectProven('latest')
})

test.each<[string, (call: RpcCall) => Fault | undefined]>([
  ['refuses', onProofs(() => refusal)],
  ['is away', () => ({ drop: true })],
  ['leaves nodes out', changed((one) => ({ ...one, storageProof: without(one.storageProof) }))],
  ['leaves proofs out', changed((one) => ({ ...one, storageProof: one.storageProof.slice(1) }))],
  ['answers nonsense', onProofs(() => ({ result: { accountProof: 'none' } }))],
  [
    'names another state',
    ({ method }) =>
      method === 'eth_getBlockByNumber'
        ? { change: (header) => ({ ...(header as Header), stateRoot: pad('0x1', { size: 32 }) }) }
        : undefined,
  ],
  [
    'says that it is of another block',
    ({ method }) =>
      method === 'eth_getBlockByNumber'
        ? { change: (header) => ({ ...(header as Header), number: '0x1' }) }
        : undefined,
  ],
  [
    'lies about the account',
    changed((one) => ({ ...one, accountProof: [...one.accountProof.slice(1)] })),
  ],
  ['adds a long node', changed((one) => withNodes(one, [`0x${'ab'.repeat(2_000)}`]))],
  ['adds many nodes', changed((one) => withNodes(one, Array<string>(64).fill('0x80')))],
])('a node that %s is passed over, and asked last from then on', async (_, fault) => {
  first.inject(fault)
  await expectProven()
  const asked = first.calls.length
  await expectProven()
  expect(first.calls.length).toBe(asked)
})

test('a node on its own fork with valid proofs is asked last once it is doubted', async () => {
  const fork = await startAnvil({ chainId: 84532, blockTime: 0 })
  try {
    await callRpc(fork.rpc, 'anvil_setCode', [CONTRACT, '0x00'])
    await callRpc(fork.rpc, 'anvil_setStorageAt', [CONTRACT, FULL, pad('0x2b', { size: 32 })])
    await callRpc(fork.rpc, 'anvil_mine', ['0xa'])
    const rpcUrls = [fork.rpc, second.url]
    const pool = createRpcPool({ chainId: 84532, rpcUrls })
    const among = createStorageProofReader(pool, CONTRACT)
    const shownBy = async (reader: typeof among) =>
      (await reader.prove([FULL], block)).values.get(FULL)
    const shown = () => shownBy(among)
    // One request proves for several callers, who all doubt what it proves.
    const callers = [FULL, EMPTY].map((slot) => among.prove([slot], block))
    await Promise.all(callers)
    expect(await shown()).toBe(43n)
    for (const _ of callers) among.doubt()
    expect(await shown()).toBe(42n)
    expect(await shown()).toBe(42n)
    // The proof that is doubted may be from before a restart.
    const restarted = createStorageProofReader(pool, CONTRACT)
    restarted.doubt()
    expect(await shownBy(restarted)).toBe(42n)
  } finally {
    await fork.stop()
  }
})

test('a late answer of a doubted node doesn’t have it asked first again', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  first.inject(onProofs(({ params }) => (params[2] === 'latest' ? undefined : { hold: opened })))
  const late = expectProven()
  const { evidence } = await reader.prove([FULL], 'latest')
  reader.doubt(evidence)
  open()
  await late
  const asked = first.calls.length
  await expectProven('latest')
  expect(first.calls.length).toBe(asked)
})

test('the node that gave the evidence is doubted, not the one that has answered since', async () => {
  const { evidence } = await reader.prove([FULL], 'latest')
  first.inject(onProofs(() => refusal))
  await expectProven('latest')
  first.inject(undefined)
  const asked = first.calls.length
  reader.doubt(evidence)
  await expectProven('latest')
  expect(first.calls.length).toBe(asked)
})

function withNodes({ storageProof, ...more }: Proof, nodes: readonly string[]): Proof {
  return {
    ...more,
    storageProof: storageProof.map((one) => ({ ...one, proof: [...one.proof, ...nodes] })),
  }
}

function without(proofs: Proof['storageProof']): Proof['storageProof'] {
  return proofs.map((one) => ({ ...one, proof: [] }))
}

test('a node’s claims beside its proof aren’t believed', async () => {
  first.inject(
    changed(({ storageProof, ...one }) => ({
      ...one,
      storageProof: storageProof.map((slot) => ({ ...slot, value: '0x7' })),
    })),
  )
  await expectProven()
  expect(second.calls).toEqual([])
})

test('nodes without old state prove the head, and say why they can’t prove the rest', async () => {
  const old = onProofs(({ params }) =>
    params[2] === 'latest'
      ? undefined
      : { error: { code: -32000, message: 'missing trie node: state is pruned' } },
  )
  for (const node of [first, second]) node.inject(old)
  await expect(reader.prove([FULL], block)).rejects.toThrow('pruned')
  await expectProven('latest')
})
