import { expect, test } from 'vitest'
import { createAsOfReads } from '../../../api/http/asOfReads.ts'
import { AsOfError } from '../../../services/store/asOf/resolveAsOf.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { readingFor } from '../../../services/store/database/fairShares.ts'

const HEAD = { timestamp: 1_700_000_000, blockNumber: 500, safeBlock: 490, finalizedBlock: 400 }
const NOW: ChainsNow = { ready: [], backfilling: [], heads: new Map([[84_532, HEAD]]) }
const ASKED = [{ chainId: 84_532, blockNumber: 500 }]

function readsOf(limits: { perSecond: number; burst: number }) {
  return createAsOfReads({ db: null as never, configured: [] }, limits)
}

test('requests for a point in time are charged to the client', async () => {
  const reads = readsOf({ perSecond: 1, burst: 2 })
  const ask = (client: string) => readingFor(client, () => reads.at(NOW, ASKED))
  await ask('a')
  await ask('a')
  await expect(ask('a')).rejects.toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  await ask('b')
})

test('the head’s time needs no request to a node', async () => {
  const { cutoffs } = await readsOf({ perSecond: 1, burst: 9 }).at(NOW, ASKED)
  expect(cutoffs.get(84_532)).toEqual({ blockNumber: 500, timestamp: HEAD.timestamp })
})

test.each([
  [[], 'bad_choice'],
  [[...ASKED, ...ASKED], 'bad_choice'],
  [[{ chainId: 84_532, blockNumber: 501 }], 'not_indexed'],
  [[{ chainId: 1, blockNumber: 1 }], 'unknown_chain'],
])('%j is refused as %s', async (asked, problem) => {
  const refusal = await readsOf({ perSecond: 1, burst: 9 })
    .at(NOW, asked)
    .catch((error) => error)
  expect(refusal).toBeInstanceOf(AsOfError)
  expect(refusal.problem).toBe(problem)
})
