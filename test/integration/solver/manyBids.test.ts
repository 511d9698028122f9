import { sql } from 'kysely'
import { afterAll, beforeAll, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { type SolverRig, startSolverRig } from './solverRig.ts'

const AUCTIONS = 8

let rig: SolverRig
let node: FaultyRpc

beforeAll(async () => {
  rig = await startSolverRig()
  node = await startFaultyRpc(rig.pair.base.node.rpc)
  rig.order.chains = rig.order.chains.map((chain) =>
    chain.chainId === rig.pair.base.chainId ? { ...chain, rpcUrls: [node.url] } : chain,
  )
})
afterAll(async () => {
  await node?.close()
  await rig?.stop()
})

it('rehearses and bids for many auctions at once', async () => {
  const solver = await rig.start()
  await rig.until(rig.isReady, 'it has staked')
  const ids: bigint[] = []
  for (let at = 0; at < AUCTIONS; at++) ids.push(await rig.offer(600))
  // The node answers none of the rehearsals, which state their gas, until it has been asked for all.
  const all = Promise.withResolvers<void>()
  const rehearsed = new Set<unknown>()
  node.inject(({ method, params }) => {
    if (method !== 'eth_call') return undefined
    const { gas, data } = Object(params[0])
    if (gas === undefined) return undefined
    if (rehearsed.add(data).size === AUCTIONS) all.resolve()
    return { hold: all.promise }
  })
  await rig.pair.play.letRecipientsStand(ids.at(-1)!)
  const { db, close } = openDatabase({ databaseUrl: rig.postgres.databaseUrl })
  onTestFinished(close)
  const bids = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from app.transaction where kind = 'bid'`.execute(db)
    return rows[0]!.count
  }
  await rig.until(async () => (await bids()) >= AUCTIONS, 'all are bid for')
  await solver.stop()
})
