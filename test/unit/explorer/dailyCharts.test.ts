import { expect, test } from 'vitest'
import { renderDailyBarChart } from '../../../api/explorer/charts/dailyBarChart.ts'
import { renderDailyVolumeChart } from '../../../api/explorer/charts/dailyVolumeChart.ts'
import type { Token } from '../../../api/http/tokens/tokenLookup.ts'

/** Days since 1970 of 2026-01-31. */
const DAY = 20_484
const TOKEN = {
  address: `0x${'70'.repeat(20)}`,
  symbol: 'USDC',
  decimals: 6,
  isListed: true,
} as unknown as Token

/** The scale's and the days' words of each drawing. */
function axesOf(markup: { toString(): string }): string[][] {
  return [...String(markup).matchAll(/<svg[\s\S]*?<\/svg>/g)].map(([svg]) =>
    [...svg.matchAll(/<text class="axis"[^>]*>([^<]*)</g)].map(([, word]) => word as string),
  )
}

test('a volume has a scale in whole tokens and days, on a desk and on a phone', () => {
  const volumes = Array.from({ length: 16 }, (_, day) => BigInt(day) * 25_000_000_000n)
  const [wide, narrow] = axesOf(renderDailyVolumeChart(volumes, DAY - 15, TOKEN))
  const scale = ['0', '200K', '400K']
  const days = ['01-16', '01-18', '01-20', '01-22', '01-24', '01-26', '01-28', '01-30']
  expect(wide).toEqual([...scale, ...days])
  expect(narrow).toEqual([...scale, '01-16', '01-20', '01-24', '01-28'])
})

test('the scale of small amounts isn’t rounded to zero', () => {
  const cents = axesOf(renderDailyVolumeChart([0n, 43_000n], DAY - 1, TOKEN))[0]
  expect(cents?.slice(0, 3)).toEqual(['0', '0.025', '0.05'])
})

test('days without any volume have a scale too, and no bars', () => {
  const text = String(renderDailyVolumeChart([0n, 0n], DAY - 1, TOKEN))
  expect(axesOf(text)[0]?.slice(0, 3)).toEqual(['0', '0.5', '1'])
  expect(text).not.toContain('<rect')
})

test('a token of unknown decimals is counted in base units', () => {
  const text = String(renderDailyVolumeChart([3n], DAY, { ...TOKEN, decimals: null }))
  expect(axesOf(text)[0]?.slice(0, 3)).toEqual(['0', '2', '4'])
  expect(text).toContain('In base units of its token')
})

test('a volume’s exact amounts are in a table, newest first', () => {
  const text = String(renderDailyVolumeChart([1_500_000n, 2_000_001n], DAY - 1, TOKEN))
  expect(text.indexOf('exactly 2.000001, ')).toBeGreaterThan(0)
  expect(text.indexOf('exactly 1.5, ')).toBeGreaterThan(text.indexOf('exactly 2.000001, '))
})

test('outcomes have bars and a line in both drawings', () => {
  const one = { day: DAY, created: 4, bids: 9, completed: 2, cancelled: 0, expired: 1, failed: 0 }
  const text = String(renderDailyBarChart([one], DAY - 6, DAY))
  expect(text.match(/<rect class="k-completed"/g)).toHaveLength(2)
  expect(text.match(/<polyline class="line"/g)).toHaveLength(2)
  expect(axesOf(text)[1]).toEqual(['0', '2', '4', '01-25', '01-27', '01-29', '01-31'])
})
