import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parsePriceDocument } from '../../../api/http/prices/priceDocument.ts'
import { chainsFileSchema } from '../../../services/config/chainConfig.ts'
import { policySchema } from '../../../services/solver/policy/policySchema.ts'

/** The `json` blocks of a page. */
function examplesOf(page: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../../docs', page), 'utf8')
  return [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

const [chains = '', prices = ''] = examplesOf('operating.md')

test('the example of a chains file is valid', () => {
  expect(chainsFileSchema.parse(JSON.parse(chains)).chains).toHaveLength(1)
})

test('the example of tokens on the reconciler’s page is valid', () => {
  const [tokens] = examplesOf('reconciler.md')
  const file = JSON.parse(chains)
  Object.assign(file.chains[0], JSON.parse(`{${tokens}}`))
  const [chain] = chainsFileSchema.parse(file).chains
  expect(chain?.tokens?.USDC?.confirmations).toHaveLength(2)
})

test('the example of prices is valid', () => {
  expect(parsePriceDocument(prices).size).toBe(1)
})

test('the example of a solver’s policy is valid', () => {
  const [policy = ''] = examplesOf('solver.md')
  expect(policySchema.parse(JSON.parse(policy)).pairs).toHaveLength(3)
})
