import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Phase } from '../../../services/chain/transactions/sender.ts'
import { intentOf } from './fakeRelayer.ts'
import { type SolverRig, startSolverRig } from './solverRig.ts'

/** Where money could be paid twice; every moment of each kind of transaction in the long campaign. */
const isCampaign = process.env.CAMPAIGN === 'chaos'
const PHASES: Phase[] = isCampaign
  ? ['chosen', 'signed', 'saved', 'sent', 'mined', 'confirmed']
  : ['saved', 'sent', 'mined']
const KINDS = isCampaign ? ['bid', 'deposit', 'deliver'] : ['deliver']
const MOMENTS = KINDS.flatMap((kind) => PHASES.map((phase) => [kind, phase] as const))

let rig: SolverRig

beforeAll(async () => {
  rig = await startSolverRig()
})
afterAll(() => rig.stop())

/** Lets the auction end once somebody has bid. */
function endingAuction(id: bigint): () => Promise<void> {
  let ended = false
  return async () => {
    const { solver, phase } = await intentOf(rig.pair, id)
    if (ended || phase !== 1 || /^0x0+$/.test(solver)) return
    ended = true
    await rig.pair.play.endAuction()
  }
}

describe('a solver that is killed with -9', () => {
  it.each(
    MOMENTS,
  )('when a %s is about to be past "%s" pays once and is paid once', async (kind, phase) => {
    const id = await rig.offer()
    const before = await rig.zenOf(rig.relayer.payee)
    const goOn = endingAuction(id)
    await rig.dieAt(kind, phase, goOn)
    const solver = await rig.start()
    await rig.until(async () => {
      await goOn()
      return (await intentOf(rig.pair, id)).phase === 3
    }, 'it is settled')
    const { amountB } = await intentOf(rig.pair, id)
    expect((await rig.zenOf(rig.relayer.payee)) - before).toBe(amountB)
    expect(await rig.story(id)).toEqual([
      ...['IntentCreated', 'IntentAnchored', 'BidPlaced', 'SolverDeposited', 'IntentSettled'],
      'IntentSolved',
    ])
    await rig.until(
      async () => (await solver.activeIntents()).every(({ intentId }) => intentId !== id),
      'the journal has closed it',
    )
    await solver.stop()
  })
})

describe('a relayer that lies about the amounts', () => {
  it('is not believed: nothing is paid until it tells the truth', async () => {
    rig.relayer.liesBy(1n)
    const id = await rig.offer()
    const before = await rig.zenOf(rig.relayer.payee)
    const goOn = endingAuction(id)
    const solver = await rig.start()
    const isDelivering = async () => {
      await goOn()
      const [active] = await solver.activeIntents()
      return active?.phase === 'delivering'
    }
    await rig.until(isDelivering, 'it wants to deliver')
    for (let block = 0; block < 5; block++) await rig.pair.horizen.client.mine({ blocks: 1 })
    expect(await rig.zenOf(rig.relayer.payee)).toBe(before)
    rig.relayer.liesBy(0n)
    await rig.until(async () => (await intentOf(rig.pair, id)).phase === 3, 'it is settled')
    expect((await rig.zenOf(rig.relayer.payee)) - before).toBe(
      (await intentOf(rig.pair, id)).amountB,
    )
    await solver.stop()
  })
})

describe('a lost journal', () => {
  it('is refilled by what the relayer knows to be won', async () => {
    const id = await rig.offer()
    const goOn = endingAuction(id)
    await rig.dieAt('deposit', 'confirmed', goOn)
    const client = await rig.postgres.connect()
    await client.query('drop schema solver cascade')
    await client.query('truncate app.transaction cascade')
    const solver = await rig.start()
    await rig.until(async () => (await intentOf(rig.pair, id)).phase === 3, 'it is settled')
    expect(await rig.story(id)).toHaveLength(6)
    await solver.stop()
  })
})
