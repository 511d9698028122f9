import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isAlive } from '../../../services/process/processInfo.ts'
import { spawnGuardedProcess } from '../../../services/process/spawnGuardedProcess.ts'
import { until } from '../../rig/until.ts'

const program = (source: string) => spawnGuardedProcess(process.execPath, ['-e', source])

test('a line can be awaited even after it was printed', async () => {
  const guarded = await program('console.log("ready"); setInterval(() => {}, 1000)')
  while (guarded.lastLines().length === 0) await pause(20)
  expect(await guarded.says('ready')).toBeNull()
  await guarded.end()
})

test('a line can be awaited before it is printed', async () => {
  const guarded = await program(
    'setTimeout(() => console.log("now ready"), 300); setInterval(() => {}, 1000)',
  )
  expect(await guarded.says('ready')).toBeNull()
  await guarded.end()
})

test('a program that ends without the line is reported with its output', async () => {
  const guarded = await program('console.log("no port"); console.log("leaving")')
  expect(await guarded.says('ready')).toBe('no port\nleaving')
})

test('a program that does not exist is reported as not started', async () => {
  await expect(spawnGuardedProcess('/nowhere/at/all', [])).rejects.toThrow(
    /^could not start .*ENOENT/,
  )
})

const FOR_LONG = 'setInterval(() => {}, 1000)'

test('one guard has all of them, and each is ended alone', async () => {
  const [one, other] = await Promise.all([program(FOR_LONG), program(FOR_LONG)])
  expect(parentOf(one.pid)).toBe(parentOf(other.pid))
  expect(await one.end()).toEqual({ code: null, signal: 'SIGTERM' })
  expect(isAlive(other.pid)).toBe(true)
  await other.end()
})

test('a guard that is killed takes its programs along, and the next has another', async () => {
  const programs = await Promise.all([program(FOR_LONG), program(FOR_LONG)])
  process.kill(parentOf(programs[0]!.pid), 'SIGKILL')
  for (const { ended } of programs)
    expect(await ended).toEqual({ code: null, signal: null, reason: 'its guard was killed' })
  await until(() => programs.every(({ pid }) => !isAlive(pid)))

  const next = await program('console.log("ready"); setInterval(() => {}, 1000)')
  expect(await next.says('ready')).toBeNull()
  await next.end()
})

/** Starts two programs, says their ids, and goes on as it is told. */
const parent = (goOn: string) =>
  spawn(
    process.execPath,
    [
      '--no-warnings',
      '--input-type=module',
      '-e',
      `import { spawnGuardedProcess } from ${JSON.stringify(import.meta.resolve('../../../services/process/spawnGuardedProcess.ts'))}
       const start = () => spawnGuardedProcess(process.execPath, ['-e', ${JSON.stringify(FOR_LONG)}])
       const programs = [await start(), await start()]
       console.log(programs.map(({ pid }) => pid).join(' '))
       ${goOn}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )

test('all of them end when their parent is killed', async () => {
  const killed = parent('setInterval(() => {}, 1000)')
  const pids = await saidBy(killed)
  expect(pids.every(isAlive)).toBe(true)
  killed.kill('SIGKILL')
  await until(() => !pids.some(isAlive))
})

test('a process whose programs have ended isn’t kept by the guard', async () => {
  const ending = parent('for (const one of programs) await one.end()')
  expect(await once(ending, 'exit')).toEqual([0, null])
})

async function saidBy(child: ReturnType<typeof parent>): Promise<number[]> {
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return line.split(' ').map(Number)
}

function parentOf(pid: number): number {
  const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(parent)
}
