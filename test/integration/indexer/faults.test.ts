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

test('PostgreSQL that refuses to commit a block: it is tried again, and counted once', async () => {
  const client = await stage.postgres.connect()
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
  await checkIndex(stage.postgres, stage.chains, new Set())
  const { rows: calls } = await client.query('select last_value from public.refused')
  expect(calls).toEqual([{ last_value: '3' }])
})
