import { expect, it } from 'vitest'
import { createBackoff } from '../../../services/solver/act/backoff.ts'

it('runs an action once at a time and pauses longer after each failure', async () => {
  let now = 0
  let tries = 0
  const failures: unknown[] = []
  const backoff = createBackoff(() => now)
  const attempt = (fails: boolean) =>
    backoff.attempt(
      'a',
      async () => {
        tries++
        if (fails) throw new Error(`try ${tries}`)
      },
      (error) => failures.push(error),
    )
  await Promise.all([attempt(true), attempt(true)])
  expect(tries).toBe(1)
  await attempt(true)
  expect(tries).toBe(1)
  now = 500
  await attempt(true)
  now = 1_400
  await attempt(true)
  expect(tries).toBe(2)
  now = 1_500
  await attempt(false)
  await attempt(true)
  expect(tries).toBe(4)
  expect(failures).toHaveLength(3)
  await backoff.idle()
})
