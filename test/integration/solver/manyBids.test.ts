import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { type SolverRig, startSolverRig } from './solverRig.ts'

const AUCTIONS = 8
/** Milliseconds that the node takes to answer a call that states its gas, as rehearsals do. */
const REHEARSAL_MS = 500

let rig: SolverRig
let node: FaultyRpc

beforeAll(async () => {
  rig = await startSolverRig()
  node = await startFaultyRpc(rig.pair.base.node.rpc)
  rig.order.chains = rig.order.chains.map((chain) =>
    chain.chainId === rig.pair.base.chainId ? { ...chain, rpcUrls: [node.url] } : chain,
  )
  node.inject(({ method, params }) => {
    const isRehearsal = method === 'eth_call' && Object(params[0]).gas !== undefined
    return isRehearsal ? { hold: pause(REHEARSAL_MS) } : undefined
  })
})
afterAll(async () => {
  await node?.close()
  await rig?.stop()
})

it('bids for many auctions at once, however long a node takes to rehearse each', async () => {
  const solver = await rig.start()
  await rig.until(rig.isReady, 'it has staked')
  const ids: bigint[] = []
  for (let at = 0; at < AUCTIONS; at++) ids.push(await rig.offer(600))
  await rig.pair.play.letRecipientsStand(ids.at(-1)!)
  const { db, close } = openDatabase({ databaseUrl: rig.postgres.databaseUrl })
  const bids = async () => {
    const { rows } = await sql<{ count: number; seconds: number }>`
      select count(*)::integer as count,
        extract(epoch from max(requested_at) - min(requested_at))::float8 as seconds
      from app.transaction where kind = 'bid'`.execute(db)
    return rows[0]!
  }
  await rig.until(async () => (await bids()).count >= AUCTIONS, 'all are bid for')
  const { seconds } = await bids()
  await close()
  await solver.stop()
  expect(seconds).toBeLessThan((REHEARSAL_MS / 1_000) * (AUCTIONS / 2))
})
