import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { DirectoryInUse, isDirectoryLocked, lockDirectory } from '../../../devnet/directoryLock.ts'
import { findStartTime } from '../../../services/process/processInfo.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-lock-'))
afterAll(() => rmSync(directory, { recursive: true }))
afterEach(() => {
  for (const name of readdirSync(directory)) rmSync(join(directory, name))
})
const claim = (pid: number, startTime: string | null) =>
  writeFileSync(join(directory, `devnet.lock.${pid}.${encodeURIComponent(startTime ?? '')}`), '')

describe('the lock on a devnet’s directory', () => {
  it('excludes others until it is released', () => {
    const release = lockDirectory(directory)
    expect(() => lockDirectory(directory)).toThrow(DirectoryInUse)
    expect(isDirectoryLocked(directory)).toBe(true)
    release()
    expect(isDirectoryLocked(directory)).toBe(false)
    lockDirectory(directory)()
  })

  it('is taken over from a process that has exited', () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    claim(pid, '1')
    expect(isDirectoryLocked(directory)).toBe(false)
    lockDirectory(directory)()
    expect(readdirSync(directory)).toEqual([])
  })

  it('is taken over if its process id now belongs to another process', () => {
    claim(process.ppid, 'some other time')
    lockDirectory(directory)()
  })

  it('is respected while its owner lives, and the owner is named', () => {
    claim(process.ppid, findStartTime(process.ppid))
    expect(() => lockDirectory(directory)).toThrow(new RegExp(`process ${process.ppid}`))
    expect(readdirSync(directory)).toHaveLength(1)
  })

  it('is never held by two of ten processes that start at once over a dead owner’s claim', async () => {
    claim(spawnSync(process.execPath, ['-e', '']).pid, '1')
    const program = `
      import { lockDirectory } from ${JSON.stringify(new URL('../../../devnet/directoryLock.ts', import.meta.url).href)}
      while (Date.now() < ${Date.now() + 3_000}) {}
      try { lockDirectory(${JSON.stringify(directory)}); console.log('locked') } catch { console.log('refused') }
      setTimeout(() => {}, 60_000)`
    const said = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const flags = ['--input-type=module', '--no-warnings', '-e', program]
        const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
        const [line] = await once(child.stdout, 'data')
        return { child, line: String(line).trim() }
      }),
    )
    for (const { child } of said) child.kill()
    expect(said.filter(({ line }) => line === 'locked').length).toBeLessThanOrEqual(1)
    expect(said.every(({ line }) => line === 'locked' || line === 'refused')).toBe(true)
  })
})
