import { expect, test } from 'vitest'
import { relayPonderLine } from '../../../services/indexer/follow/relayPonderLine.ts'

const FULL = 'could not extend file "base/16384/24601": No space left on device'

/** What Ponder logs of a query that fails every time. */
function failingQuery(times: number) {
  return Array.from({ length: times }, (_, retry_count) => {
    const error = { name: 'QueryError', message: `${FULL}\nCheck free disk space.` }
    return { level: 40, msg: 'Failed database query', retry_count, error }
  })
}

function supervision(state: string) {
  const said: string[] = []
  const reports: object[] = []
  const note = (level: string) => (_: object, text: string) => void said.push(`${level} ${text}`)
  const log = { warn: note('warn'), debug: note('debug') }
  return {
    ...{ said, reports, chain: { name: 'base_sepolia' }, log },
    ...{ report: (change: object) => void reports.push(change), status: () => ({ state }) },
  }
}

test.each([
  'starting',
  'resuming',
])('a full disk while an index is %s is said once, within seconds', (state) => {
  const on = supervision(state)
  for (const line of failingQuery(9)) relayPonderLine(on as never, line)
  const words = `Failed database query: ${FULL}`
  expect(on.said.filter((line) => line.startsWith('warn'))).toEqual([`warn Ponder: ${words}`])
  expect(on.said.findIndex((line) => line.startsWith('warn'))).toBeLessThan(5)
  expect(on.reports).toEqual([{ problem: words }])
})

test('a query that fails a few times is nothing to act on', () => {
  const on = supervision('live')
  for (const line of failingQuery(3)) relayPonderLine(on as never, line)
  expect(on.said.every((line) => line.startsWith('debug'))).toBe(true)
  for (const line of failingQuery(9)) relayPonderLine(on as never, line)
  expect(on.reports).toEqual([])
})
