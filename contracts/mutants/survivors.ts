import type { Survivor } from './mutation.ts'

/** Mutations that no test notices, each with the reason. One that isn't here fails the check. */
export const survivors: Survivor[] = [
  {
    label: 'calldata: no unit',
    reason: 'a blob of no unit is an empty slice, and so is what is returned for none',
  },
  {
    label: 'view: a next tranche of a closed order',
    reason: 'a closed order has nothing left, so not enough for a tranche either',
  },
  {
    label: 'consent: g is a digit',
    reason: 'g would stand for 16, and what is above 15 is no digit',
  },
  {
    label: 'push: one byte is an answer',
    reason:
      'the word was zero before the call, so fewer than 32 bytes of an answer never make it one',
  },
]
