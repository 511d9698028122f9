import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DirectoryInUse, lockDirectory } from '../../../devnet/directoryLock.ts'
import { startTimeOf } from '../../../services/process/processFacts.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-lock-'))
afterAll(() => rmSync(directory, { recursive: true }))
const write = (content: string) => writeFileSync(join(directory, 'devnet.lock'), content)

describe('the lock on a devnet’s directory', () => {
  it('excludes others until it is released', () => {
    const release = lockDirectory(directory)
    expect(() => lockDirectory(directory)).toThrow(DirectoryInUse)
    release()
    lockDirectory(directory)()
  })

  it('is taken over from a process that has exited', () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    write(JSON.stringify({ pid, startTime: '1' }))
    lockDirectory(directory)()
  })

  it('is taken over if its process id now belongs to another process', () => {
    write(JSON.stringify({ pid: process.ppid, startTime: 'some other time' }))
    lockDirectory(directory)()
  })

  it('is respected while its owner lives, and the owner is named', () => {
    write(JSON.stringify({ pid: process.ppid, startTime: startTimeOf(process.ppid) }))
    expect(() => lockDirectory(directory)).toThrow(new RegExp(`process ${process.ppid}`))
    rmSync(join(directory, 'devnet.lock'))
  })

  it('is taken over when it was only partly written', () => {
    write('{"pid": 1')
    lockDirectory(directory)()
  })
})
