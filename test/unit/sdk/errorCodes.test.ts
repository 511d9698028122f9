import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CAIRN_ERROR_CODES, CairnError } from '../../../sdk/index.ts'

const SDK = join(import.meta.dirname, '../../../sdk')

test('CAIRN_ERROR_CODES has every code that the SDK itself throws', () => {
  const thrown = readdirSync(SDK, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .flatMap((name) => [
      ...readFileSync(join(SDK, name), 'utf8').matchAll(
        /(?:CairnError\(|RelayerError\(\{ code: |super\()'([A-Z_]+)'/g,
      ),
    ])
    .map(([, code]) => code)
  expect(thrown).toContain('NOT_AN_ENCLAVE')
  expect(CAIRN_ERROR_CODES).toEqual(expect.arrayContaining(thrown))
})

test('a code that every object has as a property isn’t retryable', () => {
  expect(new CairnError('constructor', '').retryable).toBe(false)
  expect(new CairnError('RATE_LIMITED', '').retryable).toBe(true)
})
