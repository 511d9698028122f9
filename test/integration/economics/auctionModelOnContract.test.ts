import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandomAuction } from '../../../contracts/economics/createRandomAuction.ts'
import { amountA, reward } from '../../../contracts/economics/marketScenario.ts'
import { type Chain, openReplayChain } from '../../../contracts/economics/openReplayChain.ts'
import { windowsOf } from '../../../contracts/economics/playAuction.ts'
import { type Replayed, replayAuction } from '../../../contracts/economics/replayAuction.ts'
import { sampledAuction } from '../../../contracts/economics/replaySampledAuctions.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'

const windows = windowsOf(12)
const seeds = Array.from({ length: 5 }, (_, index) => 40_000 + index)

describe("the economics' model against the compiled contract", () => {
  let chain: Chain

  beforeAll(async () => {
    chain = await openReplayChain(await readCompiledContracts(), windows)
  })

  afterAll(() => chain?.stop())

  it.each(seeds)('auction %i, in which anything is tried, matches the model', async (seed) => {
    expect(await replayAuction(chain, createRandomAuction(seed, windows))).toEqual([])
  })

  it.each(seeds)('auction %i, with an adversary in it, matches the model', async (seed) => {
    expect(await replayAuction(chain, sampledAuction(seed, 12))).toEqual([])
  })

  it('a model with a longer first window is detected', async () => {
    const end = 120
    const takeover: Replayed = {
      terms: { windows, amountA, reward, expectedAmountB: 1_000_000, duration: end },
      stakes: [2 * (amountA / 10), 2 * (amountA / 10)],
      log: [
        { time: 2, step: { kind: 'anchor', feeBps: 250 } },
        { time: 4, step: { kind: 'bid', by: 0, amountB: 2_000_000 } },
        { time: end + 60, step: { kind: 'deposit', by: 1, amountB: 2_000_000 } },
        { time: end + 200, step: { kind: 'settle' } },
      ],
    }
    expect(await replayAuction(chain, takeover)).toEqual([])
    const wrong = { ...takeover, terms: { ...takeover.terms, windows: { ...windows, pickup: 61 } } }
    const [first] = await replayAuction(chain, wrong)
    expect(first).toBe(
      '{"kind":"deposit","by":1,"amountB":2000000} at 180: undefined, model PickupReserved',
    )
  })
})
