import { describe, expect, it } from 'vitest'
import { signRequested } from '../../../services/chain/transactions/signRequested.ts'
import type { Simulation } from '../../../services/chain/transactions/simulateCall.ts'
import { type Behaviour, fakeSenderPass, NEXT, signedTransaction } from './fakeSenderPass.ts'

const SUCCEEDS: Simulation = { outcome: 'succeeds', gas: 100_000n }
/** What a transaction of `SUCCEEDS` may cost, besides its value of 3 wei. */
const COST = 100_000n * 2_010n

const requested = (id: number, more: Partial<Parameters<typeof signedTransaction>[0]> = {}) => ({
  ...signedTransaction({ id, state: 'chosen', ...more }),
  nonce: null,
})

type Requested = { simulation?: Simulation; l1Fee?: bigint; kind?: string }

/** Signs requests, named by their places. @returns the nonces, in order, and everything else that was done */
async function sign(behaviour: Behaviour, ...requests: Requested[]) {
  const { pass, did } = fakeSenderPass(behaviour)
  const simulated = requests.map(({ simulation = SUCCEEDS, l1Fee = 0n, kind = 'gift' }, index) => {
    return { transaction: requested(index, { kind }), simulation, l1Fee }
  })
  const outOfGas = await signRequested(pass, simulated)
  const nonces = did.flatMap((one) => (typeof one === 'string' ? [] : [(one as Nonce).nonce]))
  return { outOfGas, nonces, did, windowSize: pass.context.progress.windowSize }
}

type Nonce = { nonce: number }

const balance = (wei: bigint) => ({ view: { balance: wei } })
const used = (...nonces: number[]) => nonces.map((nonce) => signedTransaction({ nonce }))

describe('the nonces of requested transactions', () => {
  const gift = {}
  const fill = { kind: 'fill' }

  it.each<[string, Behaviour, Requested[], number[]]>([
    ['are the next ones', {}, [gift, gift], [NEXT, NEXT + 1]],
    ['are never below the account’s', { view: { pending: NEXT - 2 } }, [gift], [NEXT]],
    ['are behind ours', { signed: used(NEXT, NEXT + 1) }, [gift, gift], [NEXT + 2, NEXT + 3]],
    [
      'first fill the gaps between ours',
      { signed: used(NEXT + 1) },
      [gift, gift],
      [NEXT, NEXT + 2],
    ],
    [
      'are all behind what another program has sent',
      { view: { pending: NEXT + 2 } },
      [gift, gift],
      [NEXT + 2, NEXT + 3],
    ],
    [
      'are behind what another program has sent below ours',
      { signed: used(NEXT + 1), view: { pending: NEXT + 2 } },
      [gift],
      [NEXT + 2],
    ],
    [
      'replace what another program has sent below ours if they fill gaps',
      { signed: used(NEXT + 1), view: { pending: NEXT + 2 } },
      [fill, gift],
      [NEXT, NEXT + 2],
    ],
    [
      'don’t replace what another program has sent while none of ours waits for it',
      { view: { pending: NEXT + 2 } },
      [fill],
      [NEXT + 2],
    ],
  ])('%s', async (_, behaviour, requests, expected) => {
    expect((await sign(behaviour, ...requests)).nonces).toEqual(expected)
  })
})

describe('a nonce that one of several nodes names alone', () => {
  it('is used if it is near what is known, since not all nonces are, and not far above', async () => {
    const byOne = (next: number, more: Behaviour = {}) =>
      sign({ view: { next, pending: next, isByOne: true }, ...more }, {})
    expect((await byOne(16)).nonces).toEqual([16])
    await expect(byOne(17)).rejects.toThrow('a single node counts 17 transactions of the account')
    expect((await byOne(17, { signed: used(0) })).nonces).toEqual([17])
    const settings = { progress: { windowSize: 1, confirmedCount: 100, missingSince: new Map() } }
    expect((await byOne(116, { settings })).nonces).toEqual([116])
    const pending = { next: 7, pending: 17, isByOne: true }
    await expect(sign({ view: pending }, {})).rejects.toThrow('a single node')
  })
})

describe('a requested transaction', () => {
  it('is signed, saved and sent, in this order', async () => {
    const { did } = await sign({}, {})
    expect(did).toEqual([
      expect.objectContaining({ nonce: NEXT, gas: 100_000n, maxFeePerGas: 2_010n, value: 3n }),
      'saved',
      'signed',
      'broadcast 0x9999',
      'row sent',
      'sent',
    ])
  })

  it.each<[string, Simulation, string[]]>([
    [
      'that would revert ends',
      { outcome: 'reverts', error: 'Paused', args: [], detail: '' },
      ['row failed', 'failed Paused'],
    ],
    [
      'that nodes can’t simulate waits',
      { outcome: 'unknown', detail: '' },
      ['row waits', 'waits NOT_SIMULATED'],
    ],
  ])('%s, and the next one takes its nonce', async (_, simulation, expected) => {
    const { did, nonces } = await sign({}, { simulation }, {})
    expect(did.slice(0, 2)).toEqual(expected)
    expect(nonces).toEqual([NEXT])
  })
})

describe('the balance', () => {
  it.each<[string, bigint, Requested[], number]>([
    ['must cover the gas and value of all', 2n * (COST + 3n), [{}, {}], 0],
    ['must cover each wei', 2n * (COST + 3n) - 1n, [{}, {}], 1],
    ['must cover the data', COST + 3n + 99n, [{ l1Fee: 100n }], 1],
    ['may just cover the data', COST + 3n + 100n, [{ l1Fee: 100n }], 0],
    ['may cover a cheaper one behind', COST + 3n, [{ l1Fee: 1n }, {}], 1],
  ])('%s', async (_, wei, requests, outOfGas) => {
    const result = await sign(balance(wei), ...requests)
    expect([result.outOfGas, result.nonces.length]).toEqual([outOfGas, requests.length - outOfGas])
    expect(result.did.filter((one) => one === 'waits OUT_OF_GAS')).toHaveLength(outOfGas)
  })

  const [unmined] = used(NEXT)
  const reserved = 100_000n * 5_000n + 3n + 40n

  it.each<[string, bigint, number, number]>([
    ['is reserved for what is unmined', reserved + COST + 3n, NEXT, 0],
    ['is reserved for each wei of that', reserved + COST + 2n, NEXT, 1],
    ['isn’t reserved for what is mined', COST + 3n, NEXT + 1, 0],
  ])('%s', async (_, wei, next, outOfGas) => {
    const signed = [{ ...(unmined as NonNullable<typeof unmined>), l1Fee: 40n }]
    const view = { balance: wei, next, pending: next }
    expect((await sign({ signed, view }, {})).outOfGas).toBe(outOfGas)
  })
})

describe('transactions are sent', () => {
  const TEN = Array.from({ length: 10 }, () => ({}))
  const sends = (did: unknown[]) => did.filter((one) => one === 'broadcast 0x9999').length

  it('one first, then eight times as many, while nodes accept all', async () => {
    const { did, nonces, windowSize } = await sign({}, ...TEN)
    expect(nonces).toEqual(TEN.map((_, index) => NEXT + index))
    expect(
      did.flatMap((one, index) => (one === 'saved' ? [sends(did.slice(0, index))] : [])),
    ).toEqual([0, 1, 9])
    expect(windowSize).toBe(128)
  })

  it('no further once nodes refuse one, and one first again', async () => {
    const settings = { progress: { windowSize: 8, confirmedCount: 0, missingSince: new Map() } }
    const { did, windowSize } = await sign(
      { settings, newRefusal: new Error('txpool is full') },
      ...TEN,
    )
    expect([sends(did), windowSize]).toEqual([8, 1])
  })
})

describe('a signer that refuses one of three', () => {
  const settings = { progress: { windowSize: 8, confirmedCount: 0, missingSince: new Map() } }
  const refuses = (code: string) => ({
    settings: {
      ...settings,
      sign: async ({ nonce }: Nonce, { id }: { id: number }) => {
        if (id === 1) throw Object.assign(new Error(), { code })
        return { hash: `0x${id}`, serialized: `0x${nonce}${id}` } as const
      },
    },
  })
  const broadcastOf = (did: unknown[]) =>
    did.filter((one) => String(one).startsWith('broadcast')).map((one) => String(one).slice(10))

  it('for good has the next one take its nonce', async () => {
    const { did } = await sign(refuses('TRANSACTION_NOT_ALLOWED'), {}, {}, {})
    expect(broadcastOf(did)).toEqual([`0x${NEXT}0`, `0x${NEXT + 1}2`])
    expect(did).toContain('failed TRANSACTION_NOT_ALLOWED')
  })

  it('for now has all behind it wait', async () => {
    const { did } = await sign(refuses('ENCLAVE_UNREACHABLE'), {}, {}, {})
    expect(broadcastOf(did)).toEqual([`0x${NEXT}0`])
    expect(did).toContain('waits ENCLAVE_UNREACHABLE')
  })
})
