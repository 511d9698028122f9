import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Roots } from '../../../services/enclave/keys/rootFile.ts'
import { ToolError } from '../../../tools/commandLine.ts'
import { combineShares, shareRoots } from '../../../tools/enclave/rootShares.ts'

const roots: Roots = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))]

describe('shares of the roots', () => {
  test('any three of five give all roots back', async () => {
    const shares = await shareRoots(roots, 5, 3)
    for (const chosen of [
      [0, 1, 2],
      [4, 2, 0],
      [1, 3, 4],
      [0, 1, 2, 3, 4],
    ]) {
      expect(await combineShares(chosen.map((at) => ` ${shares[at]}\n`))).toEqual(roots)
    }
  })

  test('too few, damaged, foreign or no shares are refused, and no error reveals any of them', async () => {
    const shares = await shareRoots(roots, 3, 2)
    const others = await shareRoots([new Uint8Array(32).fill(7)], 3, 2)
    const [second = ''] = shares.slice(1)
    const other = second.slice(-4, -2) === '00' ? '01' : '00'
    const damaged = `${second.slice(0, -4)}${other}${second.slice(-2)}`
    for (const given of [
      [],
      ['hello'],
      [shares[0]!],
      [shares[0]!, shares[0]!],
      [shares[0]!, others[1]!],
      [shares[0]!, damaged],
      [shares[0]!, (await shareRoots(roots, 3, 2))[1]!],
    ]) {
      const asked = combineShares(given)
      await expect(asked).rejects.toBeInstanceOf(ToolError)
      await asked.catch((error: Error) => {
        for (const share of given) expect(error.message).not.toContain(share.slice(-16))
      })
    }
    await expect(shareRoots(roots, 3, 1)).rejects.toBeInstanceOf(ToolError)
    await expect(shareRoots(roots, 2, 3)).rejects.toBeInstanceOf(ToolError)
  })
})
