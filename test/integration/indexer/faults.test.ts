import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { seededRandom } from '../../rig/seededRandom.ts'
import { awaitHeadSeen, checkIndex } from '../../sim/checkIndex.ts'
import { NODE_FAULTS } from '../../sim/flakyNode.ts'
import {
  openSimulationTestbed,
  type SimulatedChain,
  type SimulationTestbed,
} from '../../sim/simulationTestbed.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const random = seededRandom(11)
let testbed: SimulationTestbed
let base: SimulatedChain
let horizen: SimulatedChain

beforeAll(async () => {
  testbed = await openSimulationTestbed(random)
  ;[base, horizen] = testbed.chains
  await checkIndex(testbed.postgres, testbed.chains, new Set())
})

afterAll(() => testbed?.close())

async function playSome(chain: SimulatedChain): Promise<void> {
  for (let deed = 0; deed < 5; deed++) await chain.traffic.act()
}

const bad = NODE_FAULTS.filter((fault) => fault !== 'none')

test.each(
  bad,
)('with a node that is %s the other chain continues, and the index recovers afterwards', async (fault) => {
  base.node.setFault(fault)
  await playSome(base)
  await playSome(horizen)
  await awaitHeadSeen(testbed.postgres, horizen)
  base.node.setFault('none')
  await checkIndex(testbed.postgres, testbed.chains, new Set())
  // These nodes only answer late or not at all: no event is ever reported as reorged.
  expect(await readOrphans()).toEqual([])
})

async function readOrphans(): Promise<unknown[]> {
  const client = await testbed.postgres.connect()
  const { rows } = await client.query(`select * from app.orphaned_event where cause = 'reorg'`)
  await client.end()
  return rows
}

test('after PostgreSQL crashes and restarts, the index equals a replay', async () => {
  await playSome(base)
  await testbed.postgres.crash()
  await playSome(horizen)
  await testbed.postgres.restart()
  await playSome(base)
  expect(await checkIndex(testbed.postgres, testbed.chains, new Set())).toBeGreaterThan(50)
})

test('a block that PostgreSQL refuses to commit is retried, and counted once', async () => {
  const client = await testbed.postgres.connect()
  // Survives the transaction that it ends, unlike a row.
  await client.query(`
    create sequence public.refused maxvalue 3;
    create function public.refuse() returns trigger language plpgsql as $$
    begin
      if nextval('public.refused') < 3 then raise 'not now'; end if;
      return null;
    exception when sequence_generator_limit_exceeded then return null;
    end $$`)
  const { rows } = await client.query(
    `select schemaname from pg_tables where tablename = 'event' and schemaname like 'cairn\\_%'`,
  )
  expect(rows).toHaveLength(2)
  for (const { schemaname } of rows) {
    await client.query(`
      create constraint trigger refuse after insert on ${schemaname}.event
      deferrable initially deferred for each row execute function public.refuse()`)
  }
  await playSome(base)
  await playSome(horizen)
  await checkIndex(testbed.postgres, testbed.chains, new Set())
  const { rows: calls } = await client.query('select last_value from public.refused')
  expect(calls).toEqual([{ last_value: '3' }])
})
