import type { Survivor } from './mutation.ts'

/** Mutations no test catches, each with its reason. Any other survivor fails the check. */
export const acceptedSurvivors: Survivor[] = [
  {
    label: 'calldata: no unit',
    reason: 'a blob of zero units is an empty slice, and so is the result without a blob',
  },
  {
    label: 'view: a next tranche of a closed order',
    reason: 'a closed order has nothing left, so not enough for a tranche either',
  },
  {
    label: 'consent: g is a digit',
    reason: 'g would stand for 16, and digits end at 15',
  },
  {
    label: 'push: one byte is an answer',
    reason:
      'the word was zero before the call, so fewer than 32 bytes of an answer never make it one',
  },
]
