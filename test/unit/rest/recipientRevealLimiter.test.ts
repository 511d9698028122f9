import { expect, test } from 'vitest'
import { createRecipientRevealLimiter } from '../../../api/rest/recipientBundles/recipientRevealLimiter.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'

const source = (phase: SourceFacts['phase']) => ({ phase }) as SourceFacts
const forever = () => new Promise<never>(() => {})
const refusalOf = (asked: Promise<unknown>) =>
  Promise.race([
    asked.then(
      () => null,
      ({ code }) => code,
    ),
    new Promise((resolve) => setTimeout(resolve, 20, 'waits')),
  ])

test('strangers who read ended intents delay no winner that has to pay, and nobody who signed', async () => {
  const gate = createRecipientRevealLimiter()
  for (let at = 0; at < 33; at++) {
    gate.pass(source('completed'), `client ${at}`, forever).catch(() => {})
  }
  const late = gate.pass(source('completed'), 'late', forever)
  expect(await refusalOf(late)).toBe('ENCLAVE_UNREACHABLE')
  expect(await gate.pass(source('deposited'), 'winner', async () => 1)).toBe(1)
  expect(await gate.pass(source('completed'), null, async () => 2)).toBe(2)
})

test('one client that signs nothing causes so many reveals, and others are served', async () => {
  const gate = createRecipientRevealLimiter()
  const read = (client: string | null) =>
    refusalOf(gate.pass(source('deposited'), client, async () => {}))
  const answers = await Promise.all(Array.from({ length: 60 }, () => read('flood')))
  expect(answers.filter((code) => code === 'RATE_LIMITED').length).toBeGreaterThan(0)
  expect(answers.filter((code) => code === null).length).toBeGreaterThanOrEqual(50)
  expect(await read('other')).toBeNull()
  expect(await read(null)).toBeNull()
})
