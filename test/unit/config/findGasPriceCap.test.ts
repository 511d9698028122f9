import { expect, test } from 'vitest'
import { findGasPriceCap } from '../../../services/config/findGasPriceCap.ts'

const gwei = 1_000_000_000n

test('what is paid for each gas at most is a chain’s own, then all chains’, then what is usual there', () => {
  expect(findGasPriceCap({ chainId: 8_453, maxFeeGwei: 0.05 }, 7n * gwei)).toBe(50_000_000n)
  expect(findGasPriceCap({ chainId: 8_453 }, 7n * gwei)).toBe(7n * gwei)
  expect(findGasPriceCap({ chainId: 1 })).toBe(200n * gwei)
  expect(findGasPriceCap({ chainId: 137 })).toBe(2_000n * gwei)
  expect(findGasPriceCap({ chainId: 8_453 })).toBe(10n * gwei)
})
