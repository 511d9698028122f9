import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { spawnGuarded } from '../../../services/process/spawnGuarded.ts'

const program = (source: string) => spawnGuarded(process.execPath, ['-e', source])

test('a line is heard also by who asks for it after it came', async () => {
  const guarded = await program('console.log("ready"); setInterval(() => {}, 1000)')
  while (guarded.lastLines().length === 0) await pause(20)
  expect(await guarded.says('ready')).toBeNull()
  await guarded.end()
})

test('a line is heard by who waits for it', async () => {
  const guarded = await program(
    'setTimeout(() => console.log("now ready"), 300); setInterval(() => {}, 1000)',
  )
  expect(await guarded.says('ready')).toBeNull()
  await guarded.end()
})

test('a program that ends without the line answers with what it said', async () => {
  const guarded = await program('console.log("no port"); console.log("leaving")')
  expect(await guarded.says('ready')).toBe('no port\nleaving')
})
