import { beforeAll, expect, it } from 'vitest'
import { compileArtifacts } from '../../../contracts/artifacts.ts'
import committed from '../../../contracts/storageLayout.json' with { type: 'json' }
import { type ProvenContract, provenVariables, readStorageLayout } from './readStorageLayout.ts'

// A cold compile on a busy machine.
beforeAll(() => compileArtifacts(), 300_000)

const contracts = Object.keys(provenVariables) as ProvenContract[]

it.each(contracts)('%s: what is proven lies where the committed layout says', async (contract) => {
  expect(await readStorageLayout(contract)).toEqual(committed[contract])
})

it.each(contracts)('%s: what is proven comes first, a slot a variable', (contract) => {
  expect(committed[contract].variables.map(({ name, slot }) => [name, slot])).toEqual(
    provenVariables[contract].map((name, slot) => [name, slot]),
  )
})
