import { expect, test } from 'vitest'
import { createConcurrencyLimiter } from '../../../api/http/limits/concurrencyLimiter.ts'

/** A limiter of two tasks at once and one in its queue, whose tasks end when the test says so. */
function rig() {
  const limiter = createConcurrencyLimiter(2, 1)
  const begun: string[] = []
  const ends = new Map<string, { end: () => void; fail: (error: Error) => void }>()
  const pass = (name: string) =>
    limiter.pass(() => {
      begun.push(name)
      return new Promise<string>((resolve, reject) =>
        ends.set(name, { end: () => resolve(name), fail: reject }),
      )
    })
  return { pass, begun, ends }
}

/** Lets everything run that waits for nothing from outside. */
const turns = () => new Promise((resolve) => setImmediate(resolve))

test('only so many tasks run at once; others wait their turn, and further ones are refused', async () => {
  const { pass, begun, ends } = rig()
  const all = [pass('a'), pass('b'), pass('c')]
  await expect(pass('d')).rejects.toThrow('too many tasks are waiting')
  await turns()
  expect(begun).toEqual(['a', 'b'])
  ends.get('a')?.end()
  await turns()
  // The queued task has the place, and whoever comes now waits.
  const later = pass('e')
  await turns()
  expect(begun).toEqual(['a', 'b', 'c'])
  ends.get('b')?.end()
  await turns()
  expect(begun).toEqual(['a', 'b', 'c', 'e'])
  for (const name of ['c', 'e']) ends.get(name)?.end()
  expect(await Promise.all([...all, later])).toEqual(['a', 'b', 'c', 'e'])
  const two = [pass('f'), pass('g')]
  await turns()
  expect(begun.slice(4)).toEqual(['f', 'g'])
  for (const name of ['f', 'g']) ends.get(name)?.end()
  await Promise.all(two)
})

test('a task that fails holds its place until then', async () => {
  const { pass, begun, ends } = rig()
  const all = ['a', 'b', 'c'].map((name) => pass(name).catch((error: Error) => error.message))
  await turns()
  expect(begun).toEqual(['a', 'b'])
  ends.get('b')?.fail(new Error('b failed'))
  await turns()
  expect(begun).toEqual(['a', 'b', 'c'])
  for (const name of ['a', 'c']) ends.get(name)?.end()
  expect(await Promise.all(all)).toEqual(['a', 'b failed', 'c'])
})
