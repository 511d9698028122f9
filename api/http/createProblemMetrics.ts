import { cachedFor } from '../../services/store/cache/staleWhileRevalidate.ts'
import { type Reading, readingsPer } from './metrics.ts'

/** A part of the service, the chain if the problem is on one, and the problem's code or the part's status. */
export type LabelledProblem = { part: string; chain: string; code: string }

/** Milliseconds for which both metrics use one answer. */
const FRESH_FOR = 1_000

/** What a `GET /health` says; some problems leave its status `ok`. */
type HealthNow = { isOk: boolean; problems: readonly LabelledProblem[] }

/** Metrics of what a `GET /health` says, so that one alert covers all of it. */
export function createProblemMetrics(read: () => Promise<HealthNow>): Reading[] {
  const now = cachedFor(FRESH_FOR, read)
  return [
    readingsPer(async () => [await now()], {})(
      'cairn_healthy',
      '1 while GET /health says ok, 0 while it says degraded.',
      ({ isOk }) => Number(isOk),
    ),
    readingsPer(async () => distinct((await now()).problems), {
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
