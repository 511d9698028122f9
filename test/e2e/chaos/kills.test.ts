import { expect, it } from 'vitest'
import { playCampaign, SHORT } from '../../chaos/campaign.ts'
import { describeKills } from '../../chaos/describeKills.ts'
import { VICTIMS } from '../../chaos/victims.ts'

/**
 * Always the same, and such that the first eight intents have each fate, and both solvers theirs: how many
 * more there are depends on how long the kills take. Any other, and two hundred kills: npm run test:chaos
 */
const SEED = 20_272

it('every process killed with -9 under traffic recovers; nothing is lost and nothing done twice', async () => {
  const report = await playCampaign(
    { ...SHORT, seed: SEED, kills: VICTIMS.length, tell: () => {} },
    (logs) => console.log(`logs: ${logs}`),
  )
  console.log([...describeKills(report.kills), JSON.stringify(report.ends)].join('\n'))
  expect(report.problems).toEqual([])
  expect(report.kills.map(({ victim }) => victim).toSorted()).toEqual(VICTIMS.toSorted())
  expect(report.ends.completed).toBeGreaterThan(0)
}, 600_000)
