import { toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createVaultChains } from '../../../services/orders/chain/vaultChain.ts'
import { followVault } from '../../../services/orders/follow/followVault.ts'
import { loadOrderEvents } from '../../../services/orders/follow/orderEventStore.ts'
import { migrateOrdersDatabase } from '../../../services/orders/migrateOrdersDatabase.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

const CHAIN = 84532
/** Enough blocks for the cursor to be saved without an order event. */
const BLOCKS = 1_100

let anvil: RunningAnvil
let node: FaultyRpc
let postgres: PostgresUnderTest
let database: OpenDatabase
beforeAll(async () => {
  ;[anvil, postgres] = await Promise.all([
    startAnvil({ chainId: CHAIN, blockTime: 0 }),
    startPostgresUnderTest(),
  ])
  await migrateOrdersDatabase(postgres.databaseUrl)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
  node = await startFaultyRpc(anvil.rpc)
})
afterAll(async () => {
  await database?.close()
  await node?.close()
  await Promise.all([anvil?.stop(), postgres?.stop()])
})

test('a node that lags behind a final block drops neither the snapshot nor the copied events', async () => {
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(BLOCKS)])
  const [chain] = createVaultChains([
    {
      name: 'base_sepolia',
      chainId: CHAIN,
      rpcUrls: [node.url],
      startBlock: 1,
      bridge: `0x${'b1'.repeat(20)}`,
      vault: `0x${'a1'.repeat(20)}`,
      confirmations: 5,
    },
  ])
  const follower = followVault(database.db, chain!)
  const { head } = await follower.refresh()
  expect(head.number).toBe(BLOCKS)
  const copy = await loadOrderEvents(database.db, chain!)
  expect(copy?.cursor.blockNumber).toBe(BLOCKS - 5)
  const old = await callRpc(anvil.rpc, 'eth_getBlockByNumber', [toHex(30), false])
  node.inject(({ params }) => (params[0] === 'latest' ? { result: old } : undefined))
  await expect(follower.refresh()).rejects.toThrow('lags behind')
  expect(follower.latest()?.head).toEqual(head)
  expect(await loadOrderEvents(database.db, chain!)).toEqual(copy)
  node.inject(undefined)
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(1)])
  expect((await follower.refresh()).head.number).toBe(BLOCKS + 1)
})
