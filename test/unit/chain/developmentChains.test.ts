import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isMainnet } from '../../../core/chain/chainNames.ts'
import { DEVELOPMENT_CHAINS } from '../../../core/chain/developmentChains.ts'

test('the development chains are those of the contracts, and none is a mainnet', () => {
  const source = new URL(
    '../../../contracts/src/attestation/DevelopmentChains.sol',
    import.meta.url,
  )
  const listed = readFileSync(source, 'utf8').matchAll(/chainId == ([\d_]+)/g)
  const ids = Array.from(listed, ([, id = '']) => Number(id.replaceAll('_', '')))
  expect(ids.length).toBeGreaterThan(0)
  expect(ids.toSorted()).toEqual([...DEVELOPMENT_CHAINS].toSorted())
  expect(ids.filter(isMainnet)).toEqual([])
})
