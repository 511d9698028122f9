import { expect, it } from 'vitest'
import { isReadableByOthers } from '../../../services/config/isReadableByOthers.ts'

const [ROOT, ACCOUNT] = [0, 1000]

it.each([
  ['its owner’s alone', ACCOUNT, ACCOUNT, 0o600, false],
  ['its owner’s alone, to read', ACCOUNT, ACCOUNT, 0o400, false],
  ['for a group', ACCOUNT, ACCOUNT, 0o640, true],
  ['for everybody', ACCOUNT, ACCOUNT, 0o604, true],
  ['root’s, for a group that reads', ROOT, ACCOUNT, 0o440, false],
  ['root’s, for a group that writes', ROOT, ACCOUNT, 0o660, true],
  ['root’s, for everybody', ROOT, ACCOUNT, 0o444, true],
  ['root’s, for a group, read by root itself', ROOT, ROOT, 0o440, true],
  ['another account’s, for a group', 999, ACCOUNT, 0o440, true],
])('judges a file that is %s', (_what, uid, account, mode, expected) => {
  expect(isReadableByOthers({ uid, mode: 0o100_000 | mode }, account)).toBe(expected)
})

it('finds none on Windows, which has no modes', () => {
  expect(isReadableByOthers({ uid: 0, mode: 0o666 }, null)).toBe(false)
})
