import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { HELD } from '../../../../services/indexer/ponder/awaitPonderStartSignal.ts'

const PROGRAM = fileURLToPath(new URL('./heldPonderChild.ts', import.meta.url))

/** What the program tells. It is released as soon as it says that it is held, or at once. */
async function tellingOf(env: NodeJS.ProcessEnv, when: 'at once' | 'when held'): Promise<string[]> {
  const child = fork(PROGRAM, { env: { ...process.env, ...env } })
  const reported: string[] = []
  child.on('message', (message) => {
    reported.push(String(message))
    if (message === 'held' && child.connected) child.send({ startBlock: 7 })
  })
  if (when === 'at once') child.send({ startBlock: 7 })
  // Its last message may come after its exit.
  await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  return reported
}

test('a held Ponder waits until it is released', async () => {
  expect(await tellingOf({ [HELD]: '1' }, 'when held')).toEqual(['held', 'released at 7'])
})

test('a release before a held Ponder listens isn’t lost', async () => {
  expect((await tellingOf({ [HELD]: '1' }, 'at once')).at(-1)).toBe('released at 7')
})

test('a Ponder that isn’t held continues at once', async () => {
  expect(await tellingOf({ [HELD]: '' }, 'when held')).toEqual(['released at undefined'])
})
