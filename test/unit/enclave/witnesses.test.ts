import { expect, test } from 'vitest'
import { gatherAnswers } from '../../../services/enclave/settlement/gatherAnswers.ts'
import { usualAgreement } from '../../../services/enclave/settlement/rpcWitnesses.ts'

const never = new Promise<string>(() => {})
const fails = () => Promise.reject(new Error('away'))

test('most witnesses must agree, two at least, unless there is but one', () => {
  expect([1, 2, 3, 4, 5, 6].map(usualAgreement)).toEqual([1, 2, 2, 3, 3, 4])
})

test('whoever hangs is waited for a little only; whoever fails, not at all', async () => {
  const answers = async (asked: Promise<string>[], enough: number) =>
    (await gatherAnswers(asked, enough, 20)).map(({ witness, answer }) => `${witness}${answer}`)
  expect(await answers([never, Promise.resolve('a'), Promise.resolve('a')], 2)).toEqual([
    '1a',
    '2a',
  ])
  const late = new Promise<string>((resolve) => setTimeout(resolve, 5, 'b'))
  expect(await answers([late, Promise.resolve('a'), never], 1)).toEqual(['1a', '0b'])
  expect(await answers([fails(), Promise.resolve('a')], 2)).toEqual(['1a'])
  expect(await answers([], 1)).toEqual([])
})
