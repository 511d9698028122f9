import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { checkIndex, headIsSeen } from '../../sim/checkIndex.ts'
import { dice } from '../../sim/dice.ts'
import { openStage, type SimulatedChain, type Stage } from '../../sim/stage.ts'
import { WEATHERS } from '../../sim/stormyNode.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const chance = dice(11)
let stage: Stage
let base: SimulatedChain
let horizen: SimulatedChain

beforeAll(async () => {
  stage = await openStage(chance)
  ;[base, horizen] = stage.chains
  await checkIndex(stage.postgres, stage.chains, new Set())
})

afterAll(() => stage?.close())

async function playSome(chain: SimulatedChain): Promise<void> {
  for (let deed = 0; deed < 5; deed++) await chain.traffic.act()
}

const bad = WEATHERS.filter((weather) => weather !== 'calm')

test.each(
  bad,
)('a line that is %s: the other chain goes on, and once it is calm all is as replayed', async (weather) => {
  base.node.setWeather(weather)
  await playSome(base)
  await playSome(horizen)
  await headIsSeen(stage.postgres, horizen)
  base.node.setWeather('calm')
  await checkIndex(stage.postgres, stage.chains, new Set())
})

test('PostgreSQL that dies in the middle of it and comes back: the index is as replayed', async () => {
  await playSome(base)
  await stage.postgres.crash()
  await playSome(horizen)
  await stage.postgres.restart()
  await playSome(base)
  expect(await checkIndex(stage.postgres, stage.chains, new Set())).toBeGreaterThan(50)
})
