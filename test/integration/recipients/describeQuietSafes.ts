import type pg from 'pg'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  contentsKey,
  NOTHING_YET,
  transfersReadUpTo,
} from '../../../services/relayer/recipients/balances/loadBalances.ts'
import { requestBalanceRefresh } from '../../../services/relayer/recipients/balances/requestBalanceRefresh.ts'
import {
  markFollowed,
  markQuiet,
  markUnpaidQuiet,
  saveProgress,
  wake,
} from '../../../services/relayer/recipients/safeTransfers/followedSafes.ts'
import { createUnreadSearch } from '../../../services/relayer/recipients/safeTransfers/listSafes.ts'
import { startTransferFollower } from '../../../services/relayer/recipients/safeTransfers/startTransferFollower.ts'
import { rewind } from '../../../services/relayer/recipients/safeTransfers/transferCheckpoints.ts'
import { until } from '../../rig/until.ts'
import {
  CHAIN,
  chain,
  client,
  configuredTokens,
  database,
  follow,
  formatBalance,
  insertNewSafe,
  insertSafe,
  isReadRarely,
  mint,
  payer,
  postgres,
  readSafe,
  rpc,
  safeAddress,
  sendFrom,
} from './followerTestbed.ts'

/** A block that a reading may have come to. */
const BLOCK = { number: 10, hash: '0x10', timestamp: 1_700_000_000 } as const

function onChain(safeAddress: Hex) {
  return { chainId: CHAIN, safeAddress }
}

/** Tests of Safes to which nothing happens, on a scene that is open. */
export function describeQuietSafes(): void {
  describe('a quiet Safe', () => {
    test('a quiet Safe is read at intervals, which find a late payment', async () => {
      const safe = await insertNewSafe()
      await follow()
      await markQuiet(client, CHAIN, { quietAfter: -60 })
      expect(await isReadRarely(safe)).toBe(true)
      await mint('ZEN', safe, 3n)
      const before = rpc.count('eth_getLogs')
      await follow()
      expect(rpc.count('eth_getLogs')).toBe(before)
      expect(await readSafe(safe)).toEqual(NOTHING_YET)

      await client.query(`update app.followed_safe set read_at = now() - interval '61 minutes'`)
      await follow()
      expect((await readSafe(safe)).balances).toEqual([formatBalance('ZEN', 3n)])
      expect(await isReadRarely(safe)).toBe(false)
      await mint('ZEN', safe, 1n)
      await follow()
      expect((await readSafe(safe)).balances).toEqual([formatBalance('ZEN', 4n)])
    })

    test('a quiet Safe is read when due, even without news, and then rests again', async () => {
      const [one, two] = [await insertNewSafe(), await insertNewSafe()]
      await follow()
      await markQuiet(client, CHAIN, { quietAfter: -60 })
      await chain.client.mine({ blocks: 3 })
      await follow()
      await client.query(
        `update app.followed_safe set read_at = now() - make_interval(
         mins => case safe_address when $1 then 61 else 31 end)`,
        [one],
      )
      const before = rpc.count('eth_getLogs')
      await follow()
      // Both in one, since the other's time would soon have come.
      expect(rpc.count('eth_getLogs') - before).toBe(2)
      await chain.client.mine({ blocks: 3 })
      await follow()
      expect(rpc.count('eth_getLogs') - before).toBe(2)
      expect([await isReadRarely(one), await isReadRarely(two)]).toEqual([true, true])
    })

    test('a Safe doesn’t rest while it holds funds or soon after a sweep', async () => {
      const [full, swept, long] = [
        await insertNewSafe(),
        await insertNewSafe(),
        await insertNewSafe(),
      ]
      for (const safe of [full, swept, long]) await mint('ZEN', safe, 2n)
      await follow()
      for (const safe of [swept, long]) await sendFrom(safe, 'ZEN', payer.address, 2n)
      await follow()
      await client.query('update app.stealth_entry set created_at = created_at - 100000')
      await client.query('update app.safe_balance set asked_time = 0 where safe_address = $1', [
        long,
      ])
      await markQuiet(client, CHAIN, { quietAfter: 86_400 })
      const quiet = [await isReadRarely(full), await isReadRarely(swept), await isReadRarely(long)]
      expect(quiet).toEqual([false, false, true])
    })

    test('Safes rest earlier where many were never paid, first those of intents with many recipients', async () => {
      const many = [
        await insertNewSafe(7_777),
        await insertNewSafe(7_777),
        await insertNewSafe(7_777),
      ]
      const [other, paid] = [await insertNewSafe(), await insertNewSafe(7_777)]
      await mint('ZEN', paid, 1n)
      await follow()
      await markUnpaidQuiet(client, CHAIN, { mostUnpaid: 4 })
      for (const safe of [...many, other, paid]) expect(await isReadRarely(safe)).toBe(false)
      await markUnpaidQuiet(client, CHAIN, { mostUnpaid: 3 })
      const areQuiet = async () => {
        const quiet: boolean[] = []
        for (const safe of many) quiet.push(await isReadRarely(safe))
        return quiet
      }
      expect(await areQuiet()).toEqual([false, false, true])
      await markUnpaidQuiet(client, CHAIN, { mostUnpaid: 2 })
      expect(await areQuiet()).toEqual([false, true, true])
      expect([await isReadRarely(other), await isReadRarely(paid)]).toEqual([false, false])
      // A late payment is found like that of any quiet one.
      await mint('ZEN', many[2]!, 2n)
      await follow({ quietEvery: 0 })
      await follow({ quietEvery: 0 })
      expect((await readSafe(many[2]!)).balances).toEqual([formatBalance('ZEN', 2n)])
    })

    test('a Safe whose row is committed after newer ones is found, and any other within an hour', async () => {
      const unread = createUnreadSearch()
      const now = Math.floor(Date.now() / 1_000)
      const countRead = async (rounds: number) => {
        for (let round = 0; round < rounds; round++) await follow({}, client, { unread })
        return (await client.query('select from app.followed_safe')).rowCount
      }
      await insertNewSafe()
      expect(await countRead(3)).toBe(1)
      const late = await postgres.connect()
      await late.query('begin')
      await insertSafe(safeAddress(), now, undefined, late)
      await insertNewSafe()
      expect(await countRead(3)).toBe(2)
      await late.query('commit')
      expect(await countRead(1)).toBe(3)

      // As no transaction would do it.
      expect(await countRead(3)).toBe(3)
      await client.query(`delete from app.followed_safe`)
      expect(await countRead(1)).toBe(0)
      unread.comparedAllAt -= 3_600_001
      expect(await countRead(1)).toBe(3)
    })

    const writers: [string, (db: pg.Client, safes: readonly Hex[]) => Promise<unknown>][] = [
      ['waking', (db, safes) => wake(db, CHAIN, safes)],
      [
        'waking for a recipient',
        (_, safes) => requestBalanceRefresh(database.db, safes.map(onChain), 0),
      ],
      ['noting progress', (db, safes) => saveProgress(db, CHAIN, safes, BLOCK, true)],
      ['following', (db, safes) => markFollowed(db, CHAIN, safes)],
      ['resting', (db) => markQuiet(db, CHAIN, { quietAfter: -60 })],
      ['resting unpaid', (db) => markUnpaidQuiet(db, CHAIN, { mostUnpaid: 0 })],
      ['a reorg', (db) => rewind(db, CHAIN, 1)],
      ['a deep reorg', (db) => rewind(db, CHAIN, null)],
    ]
    test.each(
      writers,
    )('a quiet Safe is locked after Safes with lower addresses: %s', async (name, write) => {
      // Written in the contrary order, in which a scan of the table finds them.
      const safes = [safeAddress(), safeAddress(), safeAddress()].sort().reverse()
      for (const safe of safes) await insertSafe(safe, 1_700_000_000)
      await chain.client.mine({ blocks: 3 })
      await follow()
      const isQuietly = !name.startsWith('resting')
      if (isQuietly) {
        await client.query('update app.followed_safe set is_quiet = true, next_block = 9')
      }
      const [holder, writer] = [await postgres.connect(), await postgres.connect()]
      await holder.query('begin')
      await holder.query('select from app.followed_safe where safe_address = $1 for update', [
        safes.at(-1),
      ])
      const writing = write(writer, safes)
      try {
        await until(async () => {
          const { rows } = await client.query('select from pg_locks where not granted')
          return rows.length > 0
        })
        const { rowCount } = await client.query(
          'select from app.followed_safe for update skip locked',
        )
        expect(rowCount).toBe(2)
      } finally {
        await holder.query('rollback')
        await writing
      }
    })

    test('a quiet Safe is read at once when its recipient asks, and the answer is current', async () => {
      const safe = await insertNewSafe()
      await follow()
      await markQuiet(client, CHAIN, { quietAfter: -60 })
      await chain.client.increaseTime({ seconds: 100 })
      await mint('ZEN', safe, 3n)
      const follower = startTransferFollower({
        databaseUrl: postgres.databaseUrl,
        pollMs: 600_000,
        chain: { ...chain.config, tokens: configuredTokens() },
      })
      try {
        await until(() => follower.report().latest !== null)
        expect(await readSafe(safe)).toEqual(NOTHING_YET)
        const asked = [{ chainId: CHAIN, safeAddress: safe }]
        const { timestamp } = await chain.client.getBlock()
        expect(
          (await transfersReadUpTo(database.db, asked)).get(contentsKey(asked[0]!)),
        ).toBeLessThan(Number(timestamp))
        await requestBalanceRefresh(database.db, asked, 60_000)
        expect((await readSafe(safe)).balances).toEqual([formatBalance('ZEN', 3n)])
        expect((await transfersReadUpTo(database.db, asked)).get(contentsKey(asked[0]!))).toBe(
          Number(timestamp),
        )
      } finally {
        await follower.stop()
      }
    })

    test('a quiet Safe that its recipient asks for is read among others, which are then read sooner', async () => {
      const [own, also] = [await insertNewSafe(), await insertNewSafe()]
      const others = [await insertNewSafe(), await insertNewSafe(), await insertNewSafe()]
      await follow()
      await markQuiet(client, CHAIN, { quietAfter: -60 })
      await client.query(
        `update app.followed_safe set read_at = now() - interval '1 minute' * (
           1 + array_position($1::text[], safe_address))`,
        [[...others, own, also]],
      )
      await chain.client.mine({ blocks: 3 })
      await follow()
      await requestBalanceRefresh(database.db, [onChain(own), onChain(also)], 0)
      const before = rpc.calls.length
      await follow({ safesAtOnce: 4 })
      const named = rpc.calls.slice(before).flatMap(({ method, params }) => {
        if (method !== 'eth_getLogs') return []
        const [{ topics }] = params as [{ topics: [Hex, Hex[]?] }]
        return topics[1] ? [topics[1].map((topic) => `0x${topic.slice(26)}`).sort()] : []
      })
      // Of the others those whose turn is next.
      expect(named[0]).toEqual([own, also, others[2], others[1]].sort())
      expect([await isReadRarely(own), await isReadRarely(others[2]!)]).toEqual([false, true])
    })

    test('a quiet Safe delays nobody for long while no reader runs, and is read for a while afterwards', async () => {
      const safe = await insertNewSafe()
      await follow()
      await markQuiet(client, CHAIN, { quietAfter: -60 })
      const asked = [{ chainId: CHAIN, safeAddress: safe }]
      const begun = performance.now()
      await requestBalanceRefresh(database.db, asked, 300)
      const waited = performance.now() - begun
      await requestBalanceRefresh(database.db, asked, 60_000)
      expect(waited).toBeLessThan(30_000)
      expect(performance.now() - begun - waited).toBeLessThan(30_000)
      await follow()
      await markQuiet(client, CHAIN, { quietAfter: -60 })
      expect(await isReadRarely(safe)).toBe(false)
    })
  })
}
