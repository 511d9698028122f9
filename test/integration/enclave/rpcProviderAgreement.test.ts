import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createContractSignatureCheck } from '../../../services/enclave/accounts/contractSignatureCheck.ts'
import type { EnclaveChain, Provider } from '../../../services/enclave/enclaveChain.ts'
import { createAgreedBlocks } from '../../../services/enclave/providers/agreedBlocks.ts'
import type { Disagreement } from '../../../services/enclave/providers/requireAgreement.ts'
import { createShortestAuctionReader } from '../../../services/enclave/providers/shortestAuctionReader.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type Fault, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { requestNode } from '../../rig/requestNode.ts'
import { ALICE, AMOUNT_B, type EnclaveTestbed, startEnclaveTestbed } from './enclaveTestbed.ts'
import { type Distort, startLyingNode } from './lyingNode.ts'

let scene: EnclaveTestbed
const running: { stop(): unknown }[] = []
beforeAll(async () => {
  scene = await startEnclaveTestbed()
})
afterAll(async () => {
  for (const one of running) await one.stop()
  await scene?.stop()
})

const honest: Distort = (_, result) => result
const DEAD: Provider = { url: 'http://127.0.0.1:9', host: 'dead', operator: 'dead' }

async function providerOf(
  distort: Distort,
  operator: string,
  { node: { rpc } } = scene.base,
): Promise<Provider> {
  const node = await startLyingNode(rpc, distort)
  running.push(node)
  return { url: node.url, host: operator, operator }
}

/** The source chain as these providers tell it. */
function reportedBy(providers: Provider[], agreeing: number): EnclaveChain {
  return { ...scene.chains[0]!, providers, agreeing }
}

/** Blocks with one field replaced. */
const lies =
  (field: string, value: unknown): Distort =>
  (method, result) =>
    method === 'eth_getBlockByNumber' ? { ...(result as object), [field]: value } : result

const OTHER = `0x${'13'.repeat(32)}`

describe('which block is on the chain', () => {
  test.each([
    ['hash', OTHER],
    ['stateRoot', OTHER],
    ['timestamp', '0x1'],
    ['number', '0x1'],
    ['hash', null],
    ['stateRoot', 'nonsense'],
    ['timestamp', 17],
  ])('two of three decide, against one that lies about %s', async (field, value) => {
    const seen: Disagreement[] = []
    const [one, two, liar] = [
      await providerOf(honest, 'one'),
      await providerOf(honest, 'two'),
      await providerOf(lies(field, value), 'liar'),
    ]
    const { number, hash, stateRoot, timestamp } = await scene.base.client.getBlock()
    const blocks = createAgreedBlocks((disagreement) => seen.push(disagreement))
    const truth = { number: Number(number), hash, stateRoot, time: Number(timestamp) }
    expect(await blocks.block(reportedBy([liar, one, two], 2), Number(number))).toEqual(truth)
    const isReadable = typeof value === 'string' && field !== 'number' && value !== 'nonsense'
    if (isReadable) {
      await expect.poll(() => seen[0]?.answers.flatMap(({ hosts }) => hosts)).toContain('liar')
    }
  })

  test('a header with unknown fields is accepted', async () => {
    const strange = lies('aFieldOfTomorrow', { deep: [1] })
    const providers = [await providerOf(strange, 'one'), await providerOf(strange, 'two')]
    const { number, hash } = await scene.base.client.getBlock()
    const found = await createAgreedBlocks().block(reportedBy(providers, 2), Number(number))
    expect(found.hash).toBe(hash)
  })

  test.each<[string, Fault]>([
    ['a status', { status: 403 }],
    ['an error', { error: { code: -32601, message: 'the method does not exist' } }],
    ['a header without its hash', { result: { number: '0x1', stateRoot: OTHER } }],
  ])('a node that answers a request for a header with %s is asked for the block', async (_, fault) => {
    const node = await startFaultyRpc(scene.base.node.rpc)
    onTestFinished(() => node.close())
    node.inject(({ method }) => (method === 'eth_getHeaderByNumber' ? fault : undefined))
    const { number, hash } = await scene.base.client.getBlock()
    const chain = reportedBy([{ url: node.url, host: 'one', operator: 'one' }], 1)
    const blocks = createAgreedBlocks()
    expect((await blocks.block(chain, Number(number))).hash).toBe(hash)
    const asked = node.count('eth_getHeaderByNumber')
    await blocks.block(chain, Number(number) - 1)
    expect(node.count('eth_getHeaderByNumber'), 'remembered').toBe(asked)
  })

  test('an answer with an empty error is an answer', async () => {
    const node = await startFaultyRpc(scene.base.node.rpc)
    onTestFinished(() => node.close())
    const block = await scene.base.client.getBlock()
    const { hash, stateRoot } = block
    const [number, timestamp] = [numberToHex(block.number), numberToHex(block.timestamp)]
    const said = { result: { hash, stateRoot, number, timestamp }, error: null } as Fault
    node.inject(({ method }) => (method === 'eth_chainId' ? undefined : said))
    const chain = reportedBy([{ url: node.url, host: 'one', operator: 'one' }], 1)
    expect((await createAgreedBlocks().block(chain, Number(number))).hash).toBe(hash)
  })

  test('one operator’s endpoints count once, and an unreachable one isn’t needed', async () => {
    const { number } = await scene.base.client.getBlock()
    const [one, twin, two] = [
      await providerOf(honest, 'one'),
      await providerOf(honest, 'one'),
      await providerOf(honest, 'two'),
    ]
    const ask = (...providers: Provider[]) =>
      createAgreedBlocks().block(reportedBy(providers, 2), Number(number))
    await expect(ask(one, twin, DEAD)).rejects.toMatchObject({ code: 'PROVIDERS_UNREACHABLE' })
    expect(await ask(one, two, DEAD)).toMatchObject({ number: Number(number) })
    const liar = await providerOf(lies('stateRoot', OTHER), 'liar')
    await expect(ask(one, twin, liar)).rejects.toMatchObject({ code: 'BLOCK_NOT_AGREED' })
  })

  test('a head that one provider invents makes nothing deep', async () => {
    const ahead: Distort = (method, result) => (method === 'eth_blockNumber' ? '0xffffff' : result)
    const [liar, one] = [await providerOf(ahead, 'liar'), await providerOf(honest, 'one')]
    const number = Number(await scene.base.client.getBlockNumber())
    const chain = reportedBy([liar, one], 2)
    const blocks = createAgreedBlocks()
    const block = await blocks.block(chain, number - 1)
    expect(await blocks.isBuried(chain, block, 1)).toBe(true)
    expect(await blocks.isBuried(chain, block, 2)).toBe(false)
    const alone = blocks.isBuried(reportedBy([liar, DEAD], 2), block, 1)
    await expect(alone).rejects.toMatchObject({ code: 'PROVIDERS_UNREACHABLE' })
  })

  test('a head that one provider hides makes nothing recent', async () => {
    const behind: Distort = (method, result) => (method === 'eth_blockNumber' ? '0x1' : result)
    const [liar, one] = [await providerOf(behind, 'liar'), await providerOf(honest, 'one')]
    const head = Number(await scene.base.client.getBlockNumber())
    const blocks = createAgreedBlocks()
    expect(await blocks.isBelow(reportedBy([liar, one], 2), head)).toBe(false)
    expect(await blocks.isBelow(reportedBy([liar, one, DEAD], 2), head)).toBe(false)
    expect(await blocks.isBelow(reportedBy([liar, one], 2), head + 1)).toBe(true)
  })

  test('a lagging endpoint doesn’t speak for its operator’s other one', async () => {
    const behind: Distort = (method, result) => (method === 'eth_blockNumber' ? '0x1' : result)
    const providers = [await providerOf(behind, 'one'), await providerOf(honest, 'one')]
    const head = Number(await scene.base.client.getBlockNumber())
    const chain = reportedBy(providers, 1)
    const blocks = createAgreedBlocks()
    const block = await blocks.block(chain, head - 1)
    expect(await blocks.isBuried(chain, block, 1)).toBe(true)
  })

  test('providers that contradict each other about a contract wallet’s signature: the report names no wallet', async () => {
    const accepting: Distort = (method, result) => (method === 'eth_call' ? '0x1' : result)
    const providers = [await providerOf(accepting, 'one'), await providerOf(honest, 'two')]
    const seen: Disagreement[] = []
    const chain = reportedBy(providers, 2)
    const accepts = createContractSignatureCheck([chain], (disagreement) => seen.push(disagreement))
    const signature: Hex = `0x${'11'.repeat(64)}1b`
    const signed = { wallet: ALICE, hash: OTHER as Hex, signature }
    await expect(accepts(chain.chainId, signed)).rejects.toMatchObject({ code: 'BLOCK_NOT_AGREED' })
    expect(JSON.stringify(seen)).toContain('contract wallet')
    expect(JSON.stringify(seen)).not.toContain(ALICE.slice(2))
  })

  test.each([
    ['reverts', 'execution reverted', false],
    // Geth has the same code for it.
    [
      'can’t be run, since the node lacks the state',
      'missing trie node 13',
      'PROVIDERS_UNREACHABLE',
    ],
    ['isn’t run to its end in time', 'execution aborted (timeout = 5s)', 'PROVIDERS_UNREACHABLE'],
    ['reverts with such words of its own', 'execution reverted: timeout', false],
  ])('a contract wallet whose check %s', async (_, message, expected) => {
    const node = await startFaultyRpc(scene.base.node.rpc)
    onTestFinished(() => node.close())
    node.inject(({ method }) =>
      method === 'eth_call' ? { error: { code: -32000, message } } : undefined,
    )
    const chain = reportedBy([{ url: node.url, host: 'one', operator: 'one' }], 1)
    const signature: Hex = `0x${'11'.repeat(64)}1b`
    const signed = { wallet: ALICE, hash: OTHER as Hex, signature }
    const answer = createContractSignatureCheck([chain])(chain.chainId, signed)
    expect(await answer.catch(({ code }) => code)).toBe(expected)
  })
})

describe('the shortest auction of a bridge', () => {
  /** Calls answered with a number. */
  const says =
    (seconds: number): Distort =>
    (method, result) =>
      method === 'eth_call' ? `0x${seconds.toString(16).padStart(64, '0')}` : result

  test('two of three decide it, once and for all, against one that lies', async () => {
    const seen: Disagreement[] = []
    const liar = await providerOf(says(3_000), 'liar')
    const [one, two] = [await providerOf(honest, 'one'), await providerOf(honest, 'two')]
    const ask = createShortestAuctionReader((disagreement) => seen.push(disagreement))
    const truth = await scene.base.client.readContract({
      address: scene.chains[0]!.bridge,
      abi: bridgeIntentV2Abi,
      functionName: 'MIN_AUCTION_DURATION',
    })
    expect(await ask(reportedBy([liar, one, two], 2))).toBe(truth)
    await expect.poll(() => seen[0]?.answers.flatMap(({ hosts }) => hosts)).toContain('liar')
    expect(await ask(reportedBy([liar, DEAD], 2))).toBe(truth)
  })

  test('stays unknown while two contradict each other', async () => {
    const [one, liar] = [await providerOf(honest, 'one'), await providerOf(says(3_000), 'liar')]
    const ask = createShortestAuctionReader()
    await expect(ask(reportedBy([one, liar], 2))).rejects.toMatchObject({
      code: 'BLOCK_NOT_AGREED',
    })
    await expect(ask(reportedBy([DEAD, liar], 2))).rejects.toMatchObject({
      code: 'PROVIDERS_UNREACHABLE',
    })
    const two = await providerOf(honest, 'two')
    expect(await ask(reportedBy([one, two], 2))).toBeGreaterThan(0)
  })
})

describe('the enclave', () => {
  test('isn’t deceived by one lying provider of three, and still settles', async () => {
    const { play } = scene
    const seen: Disagreement[] = []
    const fork: Distort = (method, result) =>
      method === 'eth_getBlockByNumber'
        ? { ...(result as object), stateRoot: OTHER, hash: OTHER }
        : result
    const providers = [
      await providerOf(fork, 'liar'),
      await providerOf(honest, 'one'),
      await providerOf(honest, 'two'),
    ]
    const chains = [reportedBy(providers, 2), scene.chains[1]!]
    const enclave = await scene.enclaveOf({ chains, onDisagreement: (one) => seen.push(one) })
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    await scene.anchor(id)
    await scene.win(id)
    const revealed = await enclave.revealToWinner({ intent: await scene.deep(id) })
    await scene.deliver(id, revealed)
    await enclave.attestSettlement(await scene.settlementEvidence(id))
    await expect.poll(() => seen.length).toBeGreaterThan(0)
  })

  // Only the host of a node is measured: its path can be that of a test network, with the same bridge at the same address.
  test('believes nothing of nodes that serve another chain', async () => {
    const { play, base } = scene
    const elsewhere: Distort = (method, result) => (method === 'eth_chainId' ? '0x1' : result)
    const providers = [await providerOf(elsewhere, 'one'), await providerOf(elsewhere, 'two')]
    const chain = reportedBy(providers, 2)
    const enclave = await scene.enclaveOf({ chains: [chain, scene.chains[1]!] })
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    await scene.anchor(id)
    await scene.win(id)
    const UNREACHABLE = { code: 'PROVIDERS_UNREACHABLE' }
    const revealing = enclave.revealToWinner({ intent: await scene.deep(id) })
    await expect(revealing).rejects.toMatchObject(UNREACHABLE)
    const head = Number(await base.client.getBlockNumber())
    const isBelow = createAgreedBlocks().isBelow(chain, head + 1)
    await expect(isBelow).rejects.toMatchObject(UNREACHABLE)
  })

  test('believes no fork that two of three don’t know, whatever proofs exist on it', async () => {
    const { play, base } = scene
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    await scene.anchor(id)
    await scene.win(id)
    const evidence = await scene.deep(id)
    // Another history of the same chain, with the same heights.
    const { stateRoot, hash } = await base.client.getBlock({ blockNumber: 1n })
    const fork = await providerOf(lies('stateRoot', stateRoot), 'fork')
    const other = await providerOf(lies('hash', hash), 'other')
    const honestOne = await providerOf(honest, 'one')
    const chains = [reportedBy([fork, other, honestOne], 2), scene.chains[1]!]
    const enclave = await scene.enclaveOf({ chains })
    await expect(enclave.revealToWinner({ intent: evidence })).rejects.toMatchObject({
      code: 'BLOCK_NOT_AGREED',
    })
    // Two that agree on a block without it: the proof is of another state.
    const both = [fork, await providerOf(lies('stateRoot', stateRoot), 'friend'), honestOne]
    const deceived = await scene.enclaveOf({ chains: [reportedBy(both, 2), scene.chains[1]!] })
    await expect(deceived.revealToWinner({ intent: evidence })).rejects.toMatchObject({
      code: 'EVIDENCE_INVALID',
    })
  })

  // The stuck node and the liar had the block, and the liar and the honest node the head.
  test('attests no delivery that a reorg removed, with one node stuck before the reorg and another that lies', async () => {
    const { play, horizen } = scene
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    await scene.anchor(id)
    await scene.win(id)
    const revealed = await scene.enclave.revealToWinner({ intent: await scene.deep(id) })
    const before = await horizen.client.snapshot()
    await scene.deliver(id, revealed)
    const evidence = await scene.settlementEvidence(id)
    const stuckAt = numberToHex(evidence.delivery.blockNumber)
    const ask = requestNode(horizen.node.rpc)
    const removed = await ask('eth_getBlockByNumber', [stuckAt, false])
    await horizen.client.revert({ id: before })
    await horizen.client.mine({ blocks: 10 })
    const onFork: Distort = (method, result, [number]) =>
      method === 'eth_getBlockByNumber' && number === stuckAt ? removed : result
    const stuck: Distort = (method, ...more) =>
      method === 'eth_blockNumber' ? stuckAt : onFork(method, ...more)
    const providers = [
      await providerOf(stuck, 'stuck', horizen),
      await providerOf(onFork, 'liar', horizen),
      await providerOf(honest, 'honest', horizen),
    ]
    const chains = [scene.chains[0]!, { ...scene.chains[1]!, providers, agreeing: 2 }]
    const enclave = await scene.enclaveOf({ chains })
    await expect(enclave.attestSettlement(evidence)).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    })
  })
})
