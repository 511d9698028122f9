import { StaleWhileRevalidate } from '../../services/store/cache/staleWhileRevalidate.ts'
import { type Reading, readingsPer } from './metrics.ts'

/** A part of the service, the chain if the problem is on one, and the problem's code or the part's status. */
export type LabelledProblem = { part: string; chain: string; code: string }

/** Milliseconds for which the problems are cached, since both metrics show them. */
const FRESH_FOR = 1_000

/** Metrics of what a `GET /health` says, so that one alert covers all of it. */
export function createProblemMetrics(read: () => Promise<LabelledProblem[]>): Reading[] {
  const cache = new StaleWhileRevalidate<LabelledProblem[]>({
    freshFor: FRESH_FOR,
    keptFor: FRESH_FOR,
  })
  const problemsNow = async () => (await cache.get(read)).value
  return [
    readingsPer(async () => [await problemsNow()], {})(
      'cairn_healthy',
      '1 while GET /health says ok, 0 while it says degraded.',
      ({ length }) => Number(length === 0),
    ),
    readingsPer(async () => distinct(await problemsNow()), {
      part: ({ part }) => part,
      chain: ({ chain }) => chain,
      code: ({ code }) => code,
    })('cairn_problem', '1 for each problem of GET /health, by its code or status.', () => 1),
  ]
}

/** Two samples of one metric must not have the same labels. */
function distinct(problems: readonly LabelledProblem[]): LabelledProblem[] {
  return [...new Map(problems.map((one) => [JSON.stringify(one), one])).values()]
}
