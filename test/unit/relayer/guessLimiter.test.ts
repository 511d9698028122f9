import { expect, test } from 'vitest'
import {
  createGuessLimiter,
  MOST_GUESSES,
} from '../../../services/relayer/recipientBundles/guessLimiter.ts'

const intent = { sourceChainId: 1, intentId: 7n, paramsHash: '0x01', user: '0xa1' } as const

test('a wrong guess counts even if rows are changed so that it seems right when it is repeated', () => {
  const guesses = createGuessLimiter()
  for (let wrong = 0; wrong < MOST_GUESSES; wrong++) {
    const ciphertext = `0x${wrong}` as const
    expect(guesses.take(intent, ciphertext)).toBe(true)
    // Stored in place of the right one, and sent again.
    expect(guesses.take(intent, ciphertext)).toBe(true)
    expect(guesses.take(intent, ciphertext)).toBe(true)
    guesses.giveBack(intent, ciphertext)
  }
  expect(guesses.take(intent, '0xff')).toBe(false)
})

test('a right one doesn’t count, in any encryption', () => {
  const guesses = createGuessLimiter()
  for (const ciphertext of ['0x1', '0x2', '0x3', '0x4', null, null, null, null] as const) {
    expect(guesses.take(intent, ciphertext)).toBe(true)
    guesses.giveBack(intent, ciphertext)
  }
})
