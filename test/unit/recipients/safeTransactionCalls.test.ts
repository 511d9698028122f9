import fc from 'fast-check'
import { encodeFunctionData, getAddress, type Hex, hashMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { parseMultiSend } from '../../../core/safe/parseMultiSend.ts'
import { multiSendAbi } from '../../../core/safe/safeAbi.ts'
import { multiSendCall } from '../../../sdk/safe/multiSend.ts'
import { checkCall } from '../../../services/relayer/recipients/sponsored/checkCall.ts'
import {
  requireUnchanged,
  type SafeNow,
} from '../../../services/relayer/recipients/sponsored/readSafe.ts'
import { ownerSignature } from '../../../services/relayer/recipients/sponsored/relaySafeTransaction.ts'
import { endedWithoutEffect } from '../../../services/relayer/recipients/sponsored/sponsorContext.ts'

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as Hex
const bytes = (most: number, least = 0) =>
  fc.uint8Array({ minLength: least, maxLength: most }).map(hex)
const call = fc.record({
  to: bytes(20, 20),
  value: fc.bigInt(0n, 2n ** 256n - 1n),
  data: bytes(80),
})
const multiSendCallOnly: Hex = `0x${'5e'.repeat(20)}`

describe('the calls of a batch', () => {
  test('are those that were put in, in their order', () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 8 }), (calls) => {
        const plain = calls.map((one) => ({ ...one, operation: 0 }))
        expect(parseMultiSend(multiSendCall(calls))).toEqual(plain)
      }),
    )
  })

  test('are nothing where a byte is missing, or one too many', () => {
    fc.assert(
      fc.property(call, fc.integer({ min: 1, max: 40 }), (one, missing) => {
        const whole = multiSendCall([one])
        expect(parseMultiSend(whole.slice(0, -2 * missing) as Hex)).toBeNull()
        expect(parseMultiSend(`${whole}${'00'.repeat(missing)}` as Hex)).toBeNull()
      }),
    )
  })

  test('are nothing where the list ends within a call, or there is none', () => {
    const to = 'aa'.repeat(20)
    const word = (value: bigint) => value.toString(16).padStart(64, '0')
    const first = `00${to}${word(1n)}${word(2n)}beef`
    const parse = (packed: string) => {
      const args = [`0x${packed}`] as const
      return parseMultiSend(
        encodeFunctionData({ abi: multiSendAbi, functionName: 'multiSend', args }),
      )
    }
    expect(parse(first)).toEqual([{ operation: 0, to: `0x${to}`, value: 1n, data: '0xbeef' }])
    expect(parse('')).toBeNull()
    for (const rest of [1, 53, 84]) expect(parse(first + '00'.repeat(rest))).toBeNull()
    for (const size of [3n, 2n ** 248n, 2n ** 256n - 1n])
      expect(parse(`00${to}${word(1n)}${word(size)}beef`)).toBeNull()
  })

  test('are read from arguments in capital letters as well', () => {
    const data = multiSendCall([{ to: multiSendCallOnly, value: 1n, data: '0xab' }])
    const capital: Hex = `${data.slice(0, 10) as Hex}${data.slice(10).toUpperCase()}`
    expect(parseMultiSend(capital)).toEqual(parseMultiSend(data))
    expect(parseMultiSend(capital)).toHaveLength(1)
  })

  test('never make the parser fail, whatever is sent', () => {
    fc.assert(
      fc.property(bytes(300), fc.boolean(), (data, isBatch) => {
        const calldata = isBatch ? (`0x8d80ff0a${data.slice(2)}` as Hex) : data
        const parsed = parseMultiSend(calldata)
        expect(parsed === null || parsed.length > 0).toBe(true)
      }),
    )
  })

  test('are 64 at most', () => {
    const many = (count: number) =>
      multiSendCall(
        Array.from({ length: count }, () => ({
          to: multiSendCallOnly,
          value: 0n,
          data: '0x' as Hex,
        })),
      )
    expect(parseMultiSend(many(64))).toHaveLength(64)
    expect(parseMultiSend(many(65))).toBeNull()
  })

  test('are plain, through the one library, and without a value of the batch', () => {
    const to: Hex = `0x${'0a'.repeat(20)}`
    const data = multiSendCall([{ to, value: 1n, data: '0x' }])
    const batch = { to: multiSendCallOnly, value: 0n, data, operation: 1 }
    const judge = (change: object) => () =>
      checkCall({ ...batch, ...change }, { multiSendCallOnly })
    expect(judge({})).not.toThrow()
    expect(judge({ operation: 0, to, value: 5n, data: '0x' })).not.toThrow()
    const nested = data.replace(`00${to.slice(2)}`, `01${to.slice(2)}`)
    for (const change of [
      { to },
      { value: 1n },
      { data: '0x' },
      { operation: 2 },
      { data: nested },
    ])
      expect(judge(change)).toThrow()
    expect(judge({ to })).toThrow(`MultiSendCallOnly at ${getAddress(multiSendCallOnly)}`)
  })
})

describe('an owner’s signature', () => {
  const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const hash: Hex = `0x${'ab'.repeat(32)}`
  const of = (signature: Hex, whose = owner.address.toLowerCase() as Hex) =>
    ownerSignature(hash, signature, whose)
  const withV = (signature: Hex, v: number) =>
    `${signature.slice(0, -2)}${v.toString(16).padStart(2, '0')}` as Hex

  test('is accepted in every form that a key makes, and passed on as the Safe knows it', async () => {
    const plain = await owner.sign({ hash })
    const v = Number.parseInt(plain.slice(-2), 16)
    expect(await of(plain)).toBe(plain)
    expect(await of(withV(plain, v - 27))).toBe(plain)
    const message = await owner.sign({ hash: hashMessage({ raw: hash }) })
    const reported = withV(message, Number.parseInt(message.slice(-2), 16) + 4)
    expect(await of(message)).toBe(reported)
    expect(await of(reported)).toBe(reported)
  })

  test('is none of another key’s, of another length or of another kind', async () => {
    const plain = await owner.sign({ hash })
    const v = Number.parseInt(plain.slice(-2), 16)
    expect(await of(plain, `0x${'22'.repeat(20)}`)).toBeNull()
    for (const other of [
      `${plain}00`,
      plain.slice(0, -2),
      withV(plain, v + 4),
      withV(plain, 29),
      withV(plain, 255),
    ])
      expect(await of(other as Hex)).toBeNull()
    // What a Safe knows as an approval on chain, and as a contract's word.
    const approval = `0x${owner.address.slice(2).padStart(64, '0')}${'00'.repeat(32)}`.toLowerCase()
    for (const kind of ['00', '01']) expect(await of(`${approval}${kind}` as Hex)).toBeNull()
  })
})

describe('a Safe whose call is paid for', () => {
  const owner: Hex = `0x${'11'.repeat(20)}`
  const other: Hex = `0x${'22'.repeat(20)}`
  const official = { is: 'official', owners: [owner], threshold: 1n, nonce: 0n } as SafeNow
  const judge = (change: object) => () =>
    requireUnchanged({ ...official, ...change } as SafeNow, owner)

  test('has its stealth address as its only owner, with threshold 1', () => {
    expect(judge({})).not.toThrow()
    for (const change of [
      { threshold: 2n },
      { threshold: 0n },
      { owners: [other] },
      { owners: [owner, other] },
      { owners: [] },
    ])
      expect(judge(change)).toThrow('no longer the Safe’s only owner')
  })
})

test('what came to nothing is tried again, on chain three times at most', () => {
  const ended = (state: string, succeeded: boolean | null, round: number) =>
    endedWithoutEffect({ state, succeeded, round } as never)
  expect(ended('failed', null, 9)).toBe(true)
  // The first attempt is in round 0.
  expect(ended('failed', false, 1)).toBe(true)
  expect(ended('failed', false, 2)).toBe(false)
  expect(ended('superseded', true, 2)).toBe(false)
  for (const state of ['chosen', 'signed', 'sent', 'mined', 'confirmed'])
    expect(ended(state, true, 0)).toBe(false)
})
