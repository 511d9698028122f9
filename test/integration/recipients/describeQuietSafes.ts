import { describe, expect, test } from 'vitest'
import { contentsKey, NOTHING_YET } from '../../../services/recipients/balances/loadBalances.ts'
import { readTo } from '../../../services/recipients/balances/readTo.ts'
import { wakeSafes } from '../../../services/recipients/balances/wakeSafes.ts'
import { sendToRest } from '../../../services/recipients/transfers/sendToRest.ts'
import { startTransferFollower } from '../../../services/recipients/transfers/startTransferFollower.ts'
import {
  CHAIN,
  chain,
  client,
  configuredTokens,
  contents,
  database,
  follow,
  held,
  isQuiet,
  mint,
  newSafe,
  payer,
  postgres,
  rpc,
  sendFrom,
  until,
} from './followerScene.ts'

/** Tests of Safes to which nothing happens, on a scene that is open. */
export function describeQuietSafes(): void {
  describe('a Safe to which nothing happens for long', () => {
    test('is read once in a while, and a late payment is found then', async () => {
      const safe = await newSafe()
      await follow()
      await sendToRest(client, CHAIN, { quietAfter: -60 })
      expect(await isQuiet(safe)).toBe(true)
      await mint('ZEN', safe, 3n)
      const before = rpc.count('eth_getLogs')
      await follow()
      expect(rpc.count('eth_getLogs')).toBe(before)
      expect(await contents(safe)).toEqual(NOTHING_YET)

      await client.query(`update app.followed_safe set read_at = now() - interval '61 minutes'`)
      await follow()
      expect((await contents(safe)).balances).toEqual([held('ZEN', 3n)])
      expect(await isQuiet(safe)).toBe(false)
      await mint('ZEN', safe, 1n)
      await follow()
      expect((await contents(safe)).balances).toEqual([held('ZEN', 4n)])
    })

    test('is read when its time comes though nothing has come, and then rests on', async () => {
      const [one, two] = [await newSafe(), await newSafe()]
      await follow()
      await sendToRest(client, CHAIN, { quietAfter: -60 })
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
      expect([await isQuiet(one), await isQuiet(two)]).toEqual([true, true])
    })

    test('rests neither while something is in it nor soon after it was swept', async () => {
      const [full, swept, long] = [await newSafe(), await newSafe(), await newSafe()]
      for (const safe of [full, swept, long]) await mint('ZEN', safe, 2n)
      await follow()
      for (const safe of [swept, long]) await sendFrom(safe, 'ZEN', payer.address, 2n)
      await follow()
      await client.query('update app.stealth_entry set created_at = created_at - 100000')
      await client.query('update app.safe_balance set asked_time = 0 where safe_address = $1', [
        long,
      ])
      await sendToRest(client, CHAIN, { quietAfter: 86_400 })
      const quiet = [await isQuiet(full), await isQuiet(swept), await isQuiet(long)]
      expect(quiet).toEqual([false, false, true])
    })

    test('is read at once when its recipient asks, who gets what is true', async () => {
      const safe = await newSafe()
      await follow()
      await sendToRest(client, CHAIN, { quietAfter: -60 })
      await chain.client.increaseTime({ seconds: 100 })
      await mint('ZEN', safe, 3n)
      const follower = startTransferFollower({
        ...{ databaseUrl: postgres.databaseUrl, pollMs: 600_000 },
        chain: { ...chain.config, tokens: configuredTokens() },
      })
      try {
        await until(() => follower.report().latest !== null)
        expect(await contents(safe)).toEqual(NOTHING_YET)
        const asked = [{ chainId: CHAIN, safeAddress: safe }]
        const { timestamp } = await chain.client.getBlock()
        expect((await readTo(database.db, asked)).get(contentsKey(asked[0]!))).toBeLessThan(
          Number(timestamp),
        )
        await wakeSafes(database.db, asked, 60_000)
        expect((await contents(safe)).balances).toEqual([held('ZEN', 3n)])
        expect((await readTo(database.db, asked)).get(contentsKey(asked[0]!))).toBe(
          Number(timestamp),
        )
      } finally {
        await follower.stop()
      }
    })

    test('keeps nobody waiting for long while nobody reads, and is read for a while from then on', async () => {
      const safe = await newSafe()
      await follow()
      await sendToRest(client, CHAIN, { quietAfter: -60 })
      const asked = [{ chainId: CHAIN, safeAddress: safe }]
      const begun = performance.now()
      await wakeSafes(database.db, asked, 300)
      const waited = performance.now() - begun
      await wakeSafes(database.db, asked, 60_000)
      expect(waited).toBeLessThan(30_000)
      expect(performance.now() - begun - waited).toBeLessThan(30_000)
      await follow()
      await sendToRest(client, CHAIN, { quietAfter: -60 })
      expect(await isQuiet(safe)).toBe(false)
    })
  })
}
