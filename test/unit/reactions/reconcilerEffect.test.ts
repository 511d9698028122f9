import { describe, expect, test } from 'vitest'
import {
  type Effect,
  effectName,
  intentOfEffect,
  subjectOf,
} from '../../../services/relayer/reconciler/reconcilerEffect.ts'
import type { Delivery } from '../../../src/intent/intentFacts.ts'

const delivery = { solveTxHash: '0x0d', solvedBlock: 7 } as unknown as Delivery
const blobs = { paramsHash: '0x01', blobsHash: '0x02' } as const
const proposal = { digest: '0x03', sealed: '0x', isSigned: true } as const
const deposited = { paramsHash: '0x01', depositBlock: 5 } as const
const settle = { kind: 'settle', ...deposited, deliveries: [delivery] } as const
const reveal = { kind: 'reveal', ...deposited, solver: '0x04' } as const

describe('a refusal or success of one effect doesn’t count for one about', () => {
  test.each<[string, Effect, Partial<Effect>[]]>([
    [
      'another creation, other blobs or another bundle',
      { kind: 'anchor', ...blobs, proposal },
      [
        { kind: 'append' },
        { paramsHash: '0x09' },
        { blobsHash: '0x09' },
        { proposal: null },
        { proposal: { ...proposal, digest: '0x09' } },
      ],
    ],
    [
      'another winner or deposit',
      reveal,
      [{ paramsHash: '0x09' }, { solver: '0x09' }, { depositBlock: 6 }],
    ],
    [
      'another delivery, or the same in another block',
      settle,
      [
        { paramsHash: '0x09' },
        { depositBlock: 6 },
        { deliveries: [] },
        { deliveries: [{ ...delivery, solveTxHash: '0x09' }] },
        { deliveries: [{ ...delivery, solvedBlock: 8 }] },
      ],
    ],
    [
      'another refund',
      { kind: 'undelivered', ...deposited },
      [{ kind: 'refund' }, { paramsHash: '0x09' }, { depositBlock: 6 }],
    ],
    ['another intent’s terms', { kind: 'refund', paramsHash: '0x01' }, [{ paramsHash: '0x09' }]],
  ])('%s', (_, effect, others) => {
    const subjects = [effect, ...others.map((other) => ({ ...effect, ...other }) as Effect)]
    expect(new Set(subjects.map(subjectOf)).size).toBe(subjects.length)
  })

  test('nothing else: equal effects have equal subjects, and a name contains its intent', () => {
    expect(subjectOf({ ...settle })).toBe(subjectOf(settle))
    expect(intentOfEffect(effectName(77n, settle))).toBe(77n)
    expect(intentOfEffect('approve 0x01')).toBeNull()
  })
})
