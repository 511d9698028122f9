import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { findFilesThatImport } from '../../run/findFilesThatImport.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const that = (load: string) =>
  findFilesThatImport(load, 'test/integration/recipients/*.test.ts', ROOT)

it('finds files that import a package themselves, and those that do so by another file', () => {
  const files = that('@safe-global/protocol-kit')
  expect(files).toContain('test/integration/recipients/predictSafeAddress.test.ts')
  expect(files).toContain('test/integration/recipients/protocolKit.test.ts')
  expect(files).not.toContain('test/integration/recipients/recipients.test.ts')
})

it('finds none where a package isn’t loaded', () => {
  expect(that('a-package-of-nobody')).toEqual([])
})
