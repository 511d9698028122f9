import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listIntentTransitions } from '../../../core/push/listIntentTransitions.ts'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { startPush } from '../../../services/push/startPush.ts'
import { readChainStates } from '../../../services/store/chains/readChainStates.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { until } from '../../rig/until.ts'
import { type BridgePair, readChainEvents } from '../indexer/bridgePair.ts'
import {
  awaitCaughtUp,
  awaitLive,
  startTestIndexer,
  type TestDatabase,
} from '../indexer/indexerUnderTest.ts'

type Indexed = { pair: BridgePair; database: TestDatabase }

/**
 * The journal while Ponder builds an index anew and readers are switched to it, beside the index that was there
 * before. Both chains have to be indexed already.
 */
export function describeReindex(open: () => Indexed): void {
  let pair: BridgePair
  let database: TestDatabase
  let store: OpenDatabase
  let push: { stop(): Promise<void> }
  let next: Indexer | undefined

  beforeAll(async () => {
    ;({ pair, database } = open())
    store = openDatabase({ databaseUrl: database.url })
    push = await startPush({ databaseUrl: database.url, log: pino({ level: 'silent' }) })
  })

  afterAll(async () => {
    await Promise.all([push?.stop(), next?.stop()])
    await store?.close()
  })

  test('replacing the index records nothing twice and loses nothing', async () => {
    await comesToRest()
    const reported = await journal(database.client)
    expect(reported.length).toBeGreaterThan(5)
    const schema = () => activeSchema(database.client, pair.base.chainId)
    const former = await schema()

    // Of another first block, it is another build.
    next = await startTestIndexer(database.url, [
      { ...pair.base.config, startBlock: 1 },
      pair.horizen.config,
    ])
    const meanwhile = await pair.play.create()
    await awaitLive(next, pair.base)
    await until(async () => (await schema()) !== former, 'readers see the new index')
    await pair.play.cancel(meanwhile)
    const later = await pair.play.create()

    await comesToRest()
    const lines = await journal(database.client)
    expect(lines.slice(0, reported.length)).toEqual(reported)
    const ofIntent = (id: bigint) =>
      lines.filter(({ intent }) => intent === String(id)).map(({ type }) => type)
    expect(ofIntent(meanwhile)).toEqual(['intent.pending', 'intent.cancelled'])
    expect(ofIntent(later)).toEqual(['intent.pending'])
  })

  /** Waits until the journal says what both chains' logs say, each fact once and nothing else. */
  async function comesToRest(): Promise<void> {
    await awaitCaughtUp(database.client, pair.base)
    await awaitCaughtUp(database.client, pair.horizen)
    const expected = (await factsOfChains()).toSorted()
    const facts = async () => (await journal(database.client)).map(({ fact }) => fact).toSorted()
    await until(async () => (await facts()).length >= expected.length, 'all is told')
    await until(async () => {
      const { rowCount } = await database.client.query('select 1 from app.push_pending limit 1')
      return rowCount === 0
    }, 'nothing is left to be looked at')
    expect(await facts()).toEqual(expected)
  }

  /** By the logs alone, whatever any index says. */
  async function factsOfChains(): Promise<string[]> {
    const both = [pair.base, pair.horizen]
    const events = (await Promise.all(both.map((chain) => readChainEvents(chain)))).flat()
    const { ready } = await readChainStates(store.db)
    const heads = new Map(ready.map(({ chainId, head }) => [chainId, head]))
    const { terms } = ready.find(({ chainId }) => chainId === pair.base.chainId)!.bridge!
    const intents = Map.groupBy(events, intentOf)
    const ofIntents = [...intents].flatMap(([id, own]) =>
      id === null ? [] : listIntentTransitions(own, heads, terms).map(({ key }) => key),
    )
    const ofOrders = events.filter(({ type }) => type in ORDER_TYPES)
    return [...ofIntents, ...ofOrders.map(({ type, point }) => `${type}@${point.blockHash}`)]
  }
}

type Line = { sequence: string; type: string; intent: string | null; fact: string }

/** A log of the vault is one fact. */
const ORDER_TYPES = { OrderFunded: true, TrancheFired: true, OrderClosed: true }

/** All lines: also those that don't stand, and reorgs. An order's are named by their log. */
async function journal(client: pg.Client): Promise<Line[]> {
  const { rows } = await client.query(
    `select sequence::text, type, intent_id::text as intent,
       case when order_id is null then coalesce(key, type)
         else data -> 'chainEvent' ->> 'type' || '@' || block_hash end as fact
     from app.push_event order by app.push_event.sequence`,
  )
  return rows
}

async function activeSchema(client: pg.Client, chainId: number): Promise<string> {
  const { rows } = await client.query(
    'select schema_name as name from app.projection where active and chain_id = $1',
    [chainId],
  )
  return rows[0].name
}

function intentOf({ type, args }: ChainEvent): string | null {
  const id = 'intentId' in args ? args.intentId : null
  return id === null || type in ORDER_TYPES ? null : String(id)
}
