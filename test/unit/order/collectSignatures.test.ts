import { expect, test, vi } from 'vitest'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { throwEnclaveProblem } from '../../../services/orders/execution/throwEnclaveProblem.ts'
import {
  collectSignatures,
  QuorumMissingError,
} from '../../../services/quorum/collectSignatures.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

type Answer = { message: { n: number }; signature: Hex; signer: Hex }

const signing = (signer: Hex, n = 1) => ({ message: { n }, signature: signer, signer })

/**
 * Collects from one enclave per answer: what it signs, or its refusal. A genuine signature equals its signer. Each key is
 * its own operator, except that 0xa1 and 0xa2 share one and 0xff isn't registered.
 */
function collect(
  quorum: number,
  answers: readonly (Answer | 'MESSAGE_REFUSED' | 'NO_ROOT' | 'mute')[],
) {
  const rejected: [Hex, string][] = []
  const judge = {
    quorum,
    isGenuine: ({ signature, signer }: Answer) => signature === signer,
    operatorOf: async (signer: Hex) =>
      signer === '0xff' ? null : signer.startsWith('0xa') ? ('0xa0' as const) : signer,
    onRejected: (signer: Hex, why: string) => void rejected.push([signer, why]),
  }
  const enclaves = answers.map((_, at) => at as unknown as Enclave)
  const asked: number[] = []
  const collected = collectSignatures<Answer>(enclaves, judge, async (enclave) => {
    const at = enclave as unknown as number
    asked.push(at)
    const answer = answers[at]
    if (answer === 'mute') return new Promise<never>(() => {})
    if (typeof answer !== 'object') throw new EnclaveError(answer as 'NO_ROOT')
    return answer
  })
  return { collected, asked, rejected }
}

test.each([
  ['refuses', 'MESSAGE_REFUSED'],
  ['signs something else', signing('0x09', 2)],
] as const)('two enclaves suffice when a third one %s', async (_, rogue) => {
  const { collected } = collect(2, [rogue, signing('0x02'), signing('0x01')])
  expect(await collected).toMatchObject({ answer: signing('0x01'), signatures: ['0x01', '0x02'] })
})

test('asks no more enclaves than the quorum, and leaves no timer behind', async () => {
  vi.useFakeTimers()
  try {
    const { collected, asked } = collect(2, [signing('0x01'), signing('0x02'), signing('0x03')])
    await collected
    expect(asked).toEqual([0, 1])
    await expect(collect(1, ['MESSAGE_REFUSED']).collected).rejects.toThrow()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('an enclave that signs twice counts once', async () => {
  const { collected } = collect(2, [signing('0x01'), signing('0x01')])
  await expect(collected).rejects.toMatchObject({ code: 'QUORUM_MISSING' })
  expect(() => throwEnclaveProblem(new QuorumMissingError())).toThrow(
    expect.objectContaining({ code: 'ENCLAVE_UNREACHABLE' }),
  )
})

test('with a quorum of one, a refusal of the request is final, and an enclave without keys is skipped', async () => {
  const refused = collect(1, ['MESSAGE_REFUSED', signing('0x01')])
  await expect(refused.collected).rejects.toMatchObject({ code: 'MESSAGE_REFUSED' })
  expect(refused.asked).toEqual([0])
  const away = collect(1, ['NO_ROOT', signing('0x01')])
  expect((await away.collected).signatures).toEqual(['0x01'])
})

test('with too few signatures, throws the first refusal', async () => {
  const { collected } = collect(2, [signing('0x01'), 'MESSAGE_REFUSED', 'NO_ROOT'])
  await expect(collected).rejects.toMatchObject({ code: 'MESSAGE_REFUSED' })
})

test.each([
  ['forged', { ...signing('0x03'), signature: '0x04' }],
  ['not registered', signing('0xff')],
] as const)('a signature that is %s doesn’t count and is reported', async (why, rogue) => {
  const { collected, rejected } = collect(2, [rogue, signing('0x02'), signing('0x01')])
  expect((await collected).signatures).toEqual(['0x01', '0x02'])
  expect(rejected).toEqual([[rogue.signer, why]])
  const alone = collect(1, [rogue, signing('0x02')])
  expect((await alone.collected).signatures).toEqual(['0x02'])
})

test('two keys of one operator count once', async () => {
  const { collected } = collect(2, [signing('0xa1'), signing('0xa2'), signing('0x01')])
  expect((await collected).signatures).toEqual(['0x01', '0xa2'])
})

test('unsigned parts of the call must be identical too', async () => {
  const rogue = { ...signing('0x00'), encryptedBlob: '0xbad' }
  const { collected } = collect(2, [rogue, signing('0x02'), signing('0x01')])
  expect((await collected).signatures).toEqual(['0x01', '0x02'])
})

test.each([
  [1, ['mute', signing('0x01')], ['0x01']],
  [2, ['mute', signing('0x02'), signing('0x01')], ['0x01', '0x02']],
] as const)('of %i that must sign, one that never answers is passed over', async (quorum, answers, by) => {
  expect((await collect(quorum, answers).collected).signatures).toEqual(by)
})

test('while answers are slow, one more enclave is asked each second, not all', async () => {
  vi.useFakeTimers()
  try {
    for (const quorum of [1, 2]) {
      const { collected, asked } = collect(quorum, ['mute', 'mute', 'mute', 'mute', 'mute'])
      void collected
      const counts = [asked.length]
      for (let second = 0; second < 3; second++) {
        await vi.advanceTimersByTimeAsync(1_000)
        counts.push(asked.length)
      }
      expect(counts).toEqual([0, 1, 2, 3].map((more) => quorum + more))
    }
  } finally {
    vi.useRealTimers()
  }
})

test('one that was asked because another is slow is replaced at once if it can’t sign', async () => {
  vi.useFakeTimers()
  try {
    const { collected, asked } = collect(1, ['mute', 'NO_ROOT', signing('0x01'), signing('0x02')])
    await vi.advanceTimersByTimeAsync(1_000)
    expect((await collected).signatures).toEqual(['0x01'])
    expect(asked).toEqual([0, 1, 2])
  } finally {
    vi.useRealTimers()
  }
})
