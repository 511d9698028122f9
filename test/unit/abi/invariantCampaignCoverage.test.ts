import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'

const campaign = new URL('../../../contracts/test/invariant/', import.meta.url)

it('the campaign, after each of whose steps the books must balance, calls every function that changes state', async () => {
  const files = await readdir(campaign)
  const sources = await Promise.all(files.map((file) => readFile(new URL(file, campaign), 'utf8')))
  const changing = bridgeIntentV2Abi.flatMap((entry) =>
    entry.type === 'function' && !['view', 'pure'].includes(entry.stateMutability)
      ? [entry.name]
      : [],
  )
  expect(changing).toContain('solveIntent')
  const called = (name: string) =>
    sources.some((source) => new RegExp(`bridges?(\\[[^\\]]+\\])?\\s*\\.${name}[(,]`).test(source))
  expect(changing.filter((name) => !called(name))).toEqual([])
})
