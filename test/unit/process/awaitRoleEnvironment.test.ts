import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { HELD_ROLE } from '../../../services/process/awaitRoleEnvironment.ts'
import { spawnRole } from '../../../services/process/spawnRole.ts'

const MAIN = new URL('../../../services/main.ts', import.meta.url).pathname

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-held-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('a held role starts with the variables that arrive later', async () => {
  const logFile = join(directory, 'push.log')
  const later = Promise.withResolvers<NodeJS.ProcessEnv>()
  const { ended, ready } = spawnRole({
    role: 'push',
    logFile,
    laterEnv: later.promise,
    env: { PATH: process.env.PATH, CHAINS: join(directory, 'none.json') },
  })
  // It complains of the values that it gets: so it has waited for them.
  later.resolve({ DATABASE_URL: 'late://value' })
  await expect(ready).rejects.toThrow(/DATABASE_URL/)
  expect(await ended).toBe('ended with code 2')
  // Its last words may still be on their way into the file.
  await expect.poll(() => readFileSync(logFile, 'utf8')).toContain('none.json')
  expect(readFileSync(logFile, 'utf8')).not.toMatch(/DATABASE_URL is (missing|not set|required)/)
})

test('a held role ends when its parent stops it, without starting; one that drains has longer', async () => {
  const { ended, stop } = spawnRole({
    role: 'api',
    logFile: join(directory, 'api.log'),
    laterEnv: new Promise(() => {}),
    env: { PATH: process.env.PATH, API_DRAIN_SECONDS: '15' },
  })
  const timer = vi.spyOn(globalThis, 'setTimeout')
  await stop()
  expect(await ended).toBe('ended with code 0')
  expect(timer).toHaveBeenCalledWith(expect.any(Function), 27_000)
  timer.mockRestore()
})

test('a held role ends with its parent', async () => {
  const child = spawn(process.execPath, ['--no-warnings', MAIN, 'push'], {
    env: { PATH: process.env.PATH, [HELD_ROLE]: '1' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit')
  child.disconnect()
  expect(await ended).toEqual([0, null])
})
