import {
  chmodSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { watchPolicy } from '../../../services/solver/policy/watchPolicy.ts'
import { CHAINS, POLICY_FILE } from './solverTestbed.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-policy-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

it('is reloaded when the file changes; an invalid file leaves the previous policy in force', () => {
  const path = join(directory, 'policy.json')
  let written = 0
  const write = (text: string) => {
    writeFileSync(path, text)
    // Two writes within one tick of the file system would have the same time.
    written += 1
    utimesSync(path, written, written)
  }
  const revealed: (string | null)[] = []
  write(JSON.stringify(POLICY_FILE))
  const policy = watchPolicy(path, CHAINS, (problem) => revealed.push(problem))
  expect(policy().finalBlocks).toBe(2)
  expect(revealed).toEqual([])
  write(JSON.stringify({ ...POLICY_FILE, bidding: { finalBlocks: 9 } }))
  expect(policy().finalBlocks).toBe(9)
  write('{"marginBps": ')
  expect(policy().finalBlocks).toBe(9)
  expect(policy().finalBlocks).toBe(9)
  rmSync(path)
  expect(policy().finalBlocks).toBe(9)
  symlinkSync(path, path)
  expect(policy().finalBlocks).toBe(9)
  rmSync(path)
  write(JSON.stringify(POLICY_FILE))
  expect(policy().finalBlocks).toBe(2)
  expect(revealed).toHaveLength(5)
  expect(revealed[1]).toContain('not JSON: it ends too early')
  expect(revealed[2]).toContain('ENOENT')
  expect(revealed[3]).toContain('ELOOP')
  expect([revealed[0], revealed[4]]).toEqual([null, null])
})

it('is read again when its mode changes, as after it couldn’t be read', () => {
  const path = join(directory, 'closed.json')
  writeFileSync(path, JSON.stringify(POLICY_FILE), { mode: 0o600 })
  const problems: (string | null)[] = []
  const policy = watchPolicy(path, CHAINS, (problem) => problems.push(problem))
  utimesSync(path, 1, 1)
  policy()
  const first = statSync(path).ctimeMs
  // A file system's clock may be coarse.
  while (statSync(path).ctimeMs === first) chmodSync(path, 0o644)
  policy()
  expect(problems).toEqual([null, null])
})

it('is stale once it hasn’t changed for its maximum age, even while a newer file is invalid', () => {
  const path = join(directory, 'aged.json')
  const now = Date.now() / 1_000
  const write = (text: string, age: number) => {
    writeFileSync(path, text)
    utimesSync(path, now - age, now - age)
  }
  const withMaxAge = JSON.stringify({ ...POLICY_FILE, maxAgeSeconds: 1_000 })
  write(withMaxAge, 2_000)
  const policy = watchPolicy(path, CHAINS, () => {})
  expect(policy().isStale).toBe(true)
  write(withMaxAge, 0)
  expect(policy().isStale).toBe(false)
  write(withMaxAge, 1_001)
  expect(policy().isStale).toBe(true)
  write('{"marginBps": ', 0)
  expect(policy()).toMatchObject({ isStale: true, isFromBefore: true })
  write(JSON.stringify(POLICY_FILE), 999_999)
  expect(policy()).toMatchObject({ isStale: false, isFromBefore: false })
})

it('ages even if the clock is set back, as it would otherwise bid at old prices', () => {
  const path = join(directory, 'set-back.json')
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const write = () => {
    writeFileSync(path, JSON.stringify({ ...POLICY_FILE, maxAgeSeconds: 1_000 }))
    utimesSync(path, Date.now() / 1_000, Date.now() / 1_000)
  }
  write()
  const policy = watchPolicy(path, CHAINS, () => {})
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(1_000_000)
  expect(policy().isStale).toBe(false)
  vi.advanceTimersByTime(1)
  expect(policy().isStale).toBe(true)
  write()
  expect(policy().isStale).toBe(false)
})

it('fails the start if it is invalid', () => {
  expect(() => watchPolicy(join(directory, 'none.json'), CHAINS, () => {})).toThrow(/ENOENT/)
})
