import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { followPolicy } from '../../../services/solver/policy/followPolicy.ts'
import { CHAINS, POLICY_FILE } from './solverTestbed.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-policy-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

it('is read again when the file has changed; what can’t be used leaves the one before it', () => {
  const path = join(directory, 'policy.json')
  let written = 0
  const write = (text: string) => {
    writeFileSync(path, text)
    // Two writes within a file system's tick would have the same time.
    written += 1
    utimesSync(path, written, written)
  }
  const revealed: (string | null)[] = []
  write(JSON.stringify(POLICY_FILE))
  const policy = followPolicy(path, CHAINS, (problem) => revealed.push(problem))
  expect(policy().finalBlocks).toBe(2)
  expect(revealed).toEqual([])
  write(JSON.stringify({ ...POLICY_FILE, bidding: { finalBlocks: 9 } }))
  expect(policy().finalBlocks).toBe(9)
  write('{"marginBps": ')
  expect(policy().finalBlocks).toBe(9)
  expect(policy().finalBlocks).toBe(9)
  rmSync(path)
  expect(policy().finalBlocks).toBe(9)
  write(JSON.stringify(POLICY_FILE))
  expect(policy().finalBlocks).toBe(2)
  expect(revealed).toHaveLength(4)
  expect(revealed[1]).toContain('is not JSON')
  expect(revealed[2]).toContain('ENOENT')
  expect([revealed[0], revealed[3]]).toEqual([null, null])
})

it('stops the start when it can’t be used at first', () => {
  expect(() => followPolicy(join(directory, 'none.json'), CHAINS, () => {})).toThrow(/ENOENT/)
})
