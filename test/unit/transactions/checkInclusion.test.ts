import { type Hash, TransactionReceiptNotFoundError } from 'viem'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { checkInclusion } from '../../../services/chain/transactions/checkInclusion.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import {
  type Behaviour,
  fakeSenderPass,
  NEXT,
  type NodeChain,
  signedTransaction,
} from './fakeSenderPass.ts'

afterEach(() => void vi.useRealTimers())

type Described = Parameters<typeof signedTransaction>[0]

/** The account’s transaction below its lowest unused nonce. */
const USED = NEXT - 1

const mined = (number: number, status: 'success' | 'reverted' = 'success'): NodeChain => ({
  blocks: { [number]: `0xb${number}` },
  receipts: { '0x01': { blockNumber: BigInt(number), blockHash: `0xb${number}`, status } },
})

/** A transaction that is recorded as mined. */
const recorded = (blockNumber: number, more: Described = {}): Described => ({
  nonce: USED,
  state: 'mined',
  blockNumber,
  blockHash: `0xb${blockNumber}`,
  txHash: '0x01',
  succeeded: true,
  ...more,
})

async function check(behaviour: Behaviour, described: Described) {
  const { pass, did } = fakeSenderPass(behaviour)
  const hasChanged = await checkInclusion(pass, [signedTransaction(described)])
  return { did, hasChanged, confirmedCount: pass.context.progress.confirmedCount }
}

const LOST = ['row chosen', 'trouble NONCE_TAKEN']
const MINED = ['row mined: true', 'mined']
const CONFIRMED = ['row confirmed', 'confirmed']
const SENT: Described = { nonce: USED }
const CANCELLED: Described = { nonce: USED, versions: [{ isCancel: true }] }

/** The head is block 110, and two confirmations are required. */
describe('a transaction', () => {
  it.each<[string, Described, NodeChain[], unknown[]]>([
    ['whose nonce is unused isn’t looked for', { nonce: NEXT }, [mined(108)], []],
    ['in a block is recorded', SENT, [mined(109)], MINED],
    ['deep enough is confirmed', SENT, [mined(108)], [...MINED, ...CONFIRMED]],
    [
      'that reverted ends at the same depth',
      SENT,
      [mined(108, 'reverted')],
      ['row mined: false', 'mined', 'row failed', 'failed REVERTED_ON_CHAIN'],
    ],
    [
      'that reverted is only recorded before',
      SENT,
      [mined(109, 'reverted')],
      ['row mined: false', 'mined'],
    ],
    [
      'whose cancellation was mined ends without effect',
      CANCELLED,
      [mined(108)],
      ['row mined: CANCELLED false', 'mined', 'row superseded', 'superseded CANCELLED'],
    ],
    [
      'whose reverted cancellation was mined ends without effect',
      CANCELLED,
      [mined(108, 'reverted')],
      ['row mined: CANCELLED false', 'mined', 'row superseded', 'superseded CANCELLED'],
    ],
    [
      'of which an earlier version was mined is recorded',
      { nonce: USED, versions: [{}, { hash: '0x02', isCancel: true }] },
      [mined(109)],
      MINED,
    ],
    ['that only half of the nodes have is left', SENT, [mined(108), {}], []],
    ['whose blocks differ is left', SENT, [mined(108), mined(109)], []],
    ['that most nodes have is recorded', SENT, [mined(109), {}, mined(109)], MINED],
  ])('%s', async (_, transaction, chains, expected) => {
    expect((await check({ chains }, transaction)).did).toEqual(expected)
  })
})

describe('a transaction recorded in a block', () => {
  const away: NodeChain = { blocks: { 108: '0xb1080' } }

  it.each<[string, Described, NodeChain[], unknown[]]>([
    ['is confirmed once that is deep enough', recorded(108), [mined(108)], CONFIRMED],
    ['stays sooner', recorded(109), [mined(109)], []],
    [
      'ends if it reverted',
      recorded(108, { succeeded: false }),
      [mined(108)],
      ['row failed', 'failed REVERTED_ON_CHAIN'],
    ],
    [
      'ends without effect if that was its cancellation, though a row says that it succeeded',
      recorded(108, { versions: [{ hash: '0x02' }, { isCancel: true }] }),
      [mined(108)],
      ['row superseded', 'superseded CANCELLED'],
    ],
    ['is sent again if a reorg removed it', recorded(108), [away], ['row sent', 'taken-back']],
    [
      'is sent again if its chain is shorter by now',
      recorded(108),
      [{}],
      ['row sent', 'taken-back'],
    ],
    [
      'is sent again although its nonce is unused by now',
      recorded(108, { nonce: NEXT }),
      [away],
      ['row sent', 'taken-back'],
    ],
    ['is recorded again in another block', recorded(108), [mined(109)], MINED],
    [
      'isn’t recorded again while nodes have its receipt without the block',
      recorded(109),
      [{ receipts: mined(109).receipts ?? {} }],
      [],
    ],
    ['stays while one of two nodes has no such block', recorded(108), [mined(108), {}], []],
    ['stays while nodes differ about its block', recorded(108), [mined(108), away], []],
  ])('%s', async (_, transaction, chains, expected) => {
    expect((await check({ chains }, transaction)).did).toEqual(expected)
  })
})

describe('a nonce that another transaction has used', () => {
  const count = (deep: number): NodeChain => ({
    countAt: (blockNumber) => (blockNumber <= 108n ? deep : NEXT),
  })

  it.each<[string, NodeChain[], unknown[]]>([
    ['is given up', [count(NEXT)], LOST],
    ['is kept until that is deep enough', [count(USED)], []],
    ['is kept while one of two nodes alone answers', [count(NEXT), { isDown: true }], []],
    ['is kept if one of two nodes says so', [count(USED), count(NEXT)], []],
    ['is kept while no node knows', [{}], ['row waits', 'waits RPC_UNREACHABLE']],
  ])('%s', async (_, chains, expected) => {
    const settings = { resendAfterMs: 0 }
    expect((await check({ chains, settings }, SENT)).did).toEqual(expected)
  })

  it('is kept until nodes have shown no receipt for as long as theirs may lag', async () => {
    vi.useFakeTimers()
    const progress = { windowSize: 1, confirmedCount: 0, missingSince: new Map() }
    const checkAfter = async (ms: number, chain: NodeChain) => {
      vi.advanceTimersByTime(ms)
      return (await check({ chains: [chain], settings: { progress } }, SENT)).did
    }
    expect(await checkAfter(0, count(NEXT))).toEqual([])
    expect(await checkAfter(9_999, count(NEXT))).toEqual([])
    // One that was seen meanwhile has the whole time again.
    expect(await checkAfter(1, mined(109))).toEqual(MINED)
    expect(await checkAfter(1, count(NEXT))).toEqual([])
    expect(await checkAfter(9_999, count(NEXT))).toEqual([])
    expect(await checkAfter(1, count(NEXT))).toEqual(LOST)
  })

  it('is lost no sooner for the transaction that has lost another one', async () => {
    vi.useFakeTimers()
    const progress = { windowSize: 1, confirmedCount: 0, missingSince: new Map() }
    const checkAt = async (nonce: number) => {
      const used = [count(nonce + 1)]
      const view = { highestNext: nonce + 1 }
      return (await check({ chains: used, view, settings: { progress } }, { nonce })).did
    }
    expect(await checkAt(USED)).toEqual([])
    vi.advanceTimersByTime(10_000)
    expect(await checkAt(USED)).toEqual(LOST)
    expect(await checkAt(NEXT)).toEqual([])
  })

  it('isn’t kept for longer because one of two nodes sometimes doesn’t answer', async () => {
    vi.useFakeTimers()
    const progress = { windowSize: 1, confirmedCount: 0, missingSince: new Map() }
    const checkAfter = async (ms: number, other: NodeChain) => {
      vi.advanceTimersByTime(ms)
      return (await check({ chains: [count(NEXT), other], settings: { progress } }, SENT)).did
    }
    expect(await checkAfter(0, count(NEXT))).toEqual([])
    expect(await checkAfter(5_000, { isDown: true })).toEqual([])
    expect(await checkAfter(5_000, { isDown: true })).toEqual([])
    expect(await checkAfter(1, count(NEXT))).toEqual(LOST)
  })

  it('is given up a block later if its transaction is urgent, and no sooner', async () => {
    const settings = { confirmations: 64, isUrgent: () => true, resendAfterMs: 0 }
    const since = (block: bigint): NodeChain[] => [
      { countAt: (blockNumber) => (blockNumber < block ? USED : NEXT) },
    ]
    const lost = await check({ chains: since(109n), settings }, SENT)
    expect(lost.did).toEqual(LOST)
    expect((await check({ chains: since(110n), settings }, SENT)).did).toEqual([])
    const patient = { ...settings, isUrgent: () => false }
    expect((await check({ chains: since(109n), settings: patient }, SENT)).did).toEqual([])
  })

  it('is kept while a reorg has removed its transaction, which is sent again: signed anew, it could pay twice', async () => {
    const settings = { resendAfterMs: 0 }
    const { did } = await check({ chains: [count(NEXT)], settings }, recorded(108))
    expect(did).toEqual(['row sent', 'taken-back'])
  })

  it('at the start of a chain is kept', async () => {
    const chains = [{ countAt: (blockNumber: bigint) => (blockNumber === 0n ? 0 : NEXT) }]
    expect((await check({ chains, view: { head: 1 } }, SENT)).did).toEqual([])
  })
})

describe('a check', () => {
  it('asks a node for all versions at once, so that it is no slower than one that invents a receipt', async () => {
    const hashes: Hash[] = ['0x01', '0x02', '0x03']
    const asked: Hash[] = []
    const all = Promise.withResolvers<void>()
    const client = {
      async getTransactionReceipt({ hash }: { hash: Hash }) {
        asked.push(hash)
        if (asked.length === hashes.length) all.resolve()
        await all.promise
        throw new TransactionReceiptNotFoundError({ hash })
      },
    }
    const nodes = { count: 1, queryAll: createQueryAllProviders([client]) }
    const versions = hashes.map((hash) => ({ hash }))
    await check({ settings: { nodes } as never }, { nonce: USED, versions })
    expect(asked.toSorted()).toEqual(hashes)
  })

  it('counts what is confirmed, and never less', async () => {
    const chains = [mined(108)]
    expect((await check({ chains }, SENT)).confirmedCount).toBe(NEXT)
    const settings = { progress: { windowSize: 1, confirmedCount: 50, missingSince: new Map() } }
    expect((await check({ chains, settings }, SENT)).confirmedCount).toBe(50)
    expect((await check({ chains: [mined(109)] }, SENT)).confirmedCount).toBe(0)
  })

  it.each<[string, Described, NodeChain, boolean]>([
    ['nothing', { nonce: NEXT }, {}, false],
    ['a block', SENT, mined(109), true],
    ['a confirmation', recorded(108), mined(108), true],
    ['no confirmation', recorded(109), mined(109), false],
  ])('that finds %s says whether rows may have changed', async (_, transaction, chain, expected) => {
    expect((await check({ chains: [chain] }, transaction)).hasChanged).toBe(expected)
  })
})
