import { expect, test } from 'vitest'
import { listIntentTransitions } from '../../../core/push/listIntentTransitions.ts'
import * as scene from '../intent/sampleIntent.ts'

const { created, anchored, bid, deposited, delivered, settled, refunded, clocksAt, TERMS } = scene

const won = [created(), anchored(), bid(), deposited()]
const late = clocksAt(scene.REFUNDABLE_FROM + 10, scene.REFUNDABLE_FROM + 10)
const types = (...given: Parameters<typeof listIntentTransitions>) =>
  listIntentTransitions(...given).map(({ type }) => type)

test('each change of status is reported with the log that caused it', () => {
  const reported = listIntentTransitions([delivered(), ...won, settled()], late, TERMS)
  expect(reported.map(({ type, event }) => [type, event?.type])).toEqual([
    ['intent.pending', 'IntentCreated'],
    ['intent.solving', 'SolverDeposited'],
    ['intent.settled', 'IntentSolved'],
    ['intent.completed', 'IntentSettled'],
  ])
})

test('a deadline is reported at its own time, whenever it is read, and the refund after it', () => {
  expect(types([created()], clocksAt(scene.END_TIME - 1), TERMS)).toEqual(['intent.pending'])
  const expired = listIntentTransitions([created()], clocksAt(scene.END_TIME), TERMS)
  const refundedLater = [created(), refunded(0, scene.END_TIME + 9)]
  const after = listIntentTransitions(refundedLater, late, TERMS)
  expect(expired.map(({ type }) => type)).toEqual(['intent.pending', 'intent.expired'])
  expect(after.map(({ type }) => type)).toEqual([
    'intent.pending',
    'intent.expired',
    'intent.refunded',
  ])
  expect(after.slice(0, 2)).toEqual(expired)
})

test('a fact keeps its key however often it is read, and gets another in another block', () => {
  const keys = (events: typeof won) =>
    listIntentTransitions(events, late, TERMS).map(({ key }) => key)
  expect(keys([...won, delivered()])).toEqual(keys([delivered(), ...won]))
  const [first] = keys([created()])
  const [moved] = keys([created({}, scene.T + 1)])
  expect(moved).not.toBe(first)
})
