import { isDeepStrictEqual } from 'node:util'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { startApi } from '../../../api/rest/startApi.ts'
import { createRangeSizer } from '../../../services/chain/history/rangeSizer.ts'
import { NOTHING_YET } from '../../../services/relayer/recipients/balances/loadBalances.ts'
import { markQuiet } from '../../../services/relayer/recipients/safeTransfers/followedSafes.ts'
import { readTransfersHealth } from '../../../services/relayer/recipients/safeTransfers/readTransfersHealth.ts'
import { startTransferFollower } from '../../../services/relayer/recipients/safeTransfers/startTransferFollower.ts'
import type { TransferEvent } from '../../../services/relayer/recipients/safeTransfers/transferFollowerContext.ts'
import { writeRoleHeartbeats } from '../../../services/store/roles/writeRoleHeartbeats.ts'
import { until } from '../../rig/until.ts'
import {
  CHAIN,
  chain,
  client,
  configuredTokens,
  database,
  follow,
  followUntil,
  formatBalance,
  insertLateSafe,
  insertNewSafe,
  insertSafe,
  limitToTenBlocks,
  mint,
  postgres,
  readAllRows,
  readSafe,
  reconnect,
  round,
  rpc,
  safeAddress,
  sendFrom,
} from './followerTestbed.ts'

/** Tests of how Safes are followed over interruptions, on a scene that is open. */
export function describeSafeBalanceTracking(): void {
  describe('following Safes', () => {
    test('reads backwards for a Safe that appears late with an old date', async () => {
      const early = await insertNewSafe()
      const late = safeAddress()
      await mint('ZEN', late, 6n)
      await mint('ZEN', early, 1n)
      await follow()
      await insertSafe(late, 1_700_000_000)
      await chain.client.mine({ blocks: 1 })
      await follow()
      expect((await readSafe(late)).balances).toEqual([formatBalance('ZEN', 6n)])
    })

    test('queries many Safes in parts through a node limited to ten blocks', async () => {
      const safes = [
        await insertNewSafe(),
        await insertNewSafe(),
        await insertNewSafe(),
        await insertNewSafe(),
        await insertNewSafe(),
      ]
      for (const [position, safe] of safes.entries()) await mint('ZEN', safe, BigInt(position + 1))
      await chain.client.mine({ blocks: 40 })
      rpc.inject(limitToTenBlocks)
      await follow({ safesAtOnce: 2 })
      for (const [position, safe] of safes.entries())
        expect((await readSafe(safe)).balances).toEqual([
          formatBalance('ZEN', BigInt(position + 1)),
        ])
    })

    test('gives the same result when interrupted at any of its statements', async () => {
      const [one, two] = [await insertNewSafe(), await insertNewSafe()]
      await mint('ZEN', one, 3n)
      await mint('USDC', two, 4n)
      await sendFrom(one, 'ZEN', two, 1n)
      await follow()
      const requested = await readAllRows()
      let ended = 0
      for (let after = 0; ; after++) {
        await client.query('truncate app.safe_balance, app.followed_safe, app.transfer_checkpoint')
        await client.query('truncate app.transfer_position')
        const wasEnded = await followUntil(after)
        if (!wasEnded) break
        ended += 1
        await follow()
        expect(await readAllRows()).toEqual(requested)
      }
      expect(ended).toBeGreaterThan(8)
    })

    test('names the database, and no node, while it accepts no writes, and goes on by itself', async () => {
      const setReadOnly = async (value: 'on' | 'off') => {
        await client.query(`alter system set default_transaction_read_only = ${value}`)
        await client.query('select pg_reload_conf()')
      }
      const safe = await insertNewSafe()
      const events: TransferEvent[] = []
      const follower = startTransferFollower({
        databaseUrl: postgres.databaseUrl,
        pollMs: 50,
        chain: { ...chain.config, tokens: configuredTokens() },
        onEvent: (event) => events.push(event),
      })
      try {
        await until(async () => follower.report().caughtUpAt !== null)
        await setReadOnly('on')
        await mint('ZEN', safe, 1n)
        await until(async () => follower.report().problem !== null)
        expect(follower.report()).toMatchObject({ problem: 'DATABASE_UNREACHABLE' })
        const detail = expect.stringContaining('read-only transaction')
        expect(events).toMatchObject([{ problem: 'DATABASE_UNREACHABLE', detail }])
        await setReadOnly('off')
        await until(async () => (await readSafe(safe)).balances[0]?.balance === 1n)
        // The round that has read it may not have ended.
        await until(async () => follower.report().problem === null)
      } finally {
        await setReadOnly('off')
        await follower.stop()
      }
    })

    test('runs in one of two instances, and the other takes over, even after a database crash', async () => {
      const safe = await insertNewSafe()
      const start = () =>
        startTransferFollower({
          databaseUrl: postgres.databaseUrl,
          pollMs: 50,
          chain: { ...chain.config, tokens: configuredTokens() },
        })
      const [first, second] = [start(), start()]
      const both = [first, second]
      try {
        await until(() => both.filter((one) => one.report().isLeading).length === 1)
        await mint('ZEN', safe, 1n)
        await until(async () => (await readSafe(safe)).balances[0]?.balance === 1n)
        const leader = both.find((one) => one.report().isLeading)!
        await leader.stop()
        await mint('ZEN', safe, 1n)
        await until(async () => (await readSafe(safe)).balances[0]?.balance === 2n)

        await postgres.restart()
        await reconnect()
        await mint('ZEN', safe, 1n)
        await until(
          async () => (await readSafe(safe).catch(() => null))?.balances[0]?.balance === 3n,
        )
      } finally {
        await Promise.all(both.map((one) => one.stop()))
      }
    })
  })

  describe('reading backwards', () => {
    test('reading backwards resumes where it was interrupted', async () => {
      const late = await insertLateSafe()
      const stopping = new AbortController()
      let ranges = 0
      let lastRead = 0
      rpc.inject((call) => {
        const fault = limitToTenBlocks(call)
        if (call.method !== 'eth_getLogs' || fault) return fault
        lastRead = Number((call.params[0] as { toBlock: Hex }).toBlock)
        if (++ranges === 6) stopping.abort()
        return undefined
      })
      await expect(follow({}, client, { stop: stopping.signal })).rejects.toThrow()
      const { rows } = await client.query(
        'select next_block from app.followed_safe where next_block > 0',
      )
      const nextBlock = Number(rows[0].next_block)
      expect(nextBlock).toBeGreaterThan(10)
      expect(nextBlock).toBe(lastRead + 1)

      const before = rpc.calls.length
      await follow()
      const asked = rpc.calls.slice(before).filter(({ method }) => method === 'eth_getLogs')
      const from = asked.map(({ params }) => Number((params[0] as { fromBlock: Hex }).fromBlock))
      expect(Math.min(...from)).toBe(nextBlock)
      expect((await readSafe(late)).balances).toEqual([formatBalance('ZEN', 6n)])
    })

    test('reading backwards goes only part of the way per round, while the head is followed', async () => {
      const known = await insertNewSafe()
      const late = await insertLateSafe()
      await mint('ZEN', known, 5n)
      const sizer = createRangeSizer({ first: 1, most: 1 })
      expect(await round({}, client, { sizer })).toMatchObject({ behind: 1, isUnfinished: true })
      expect((await readSafe(known)).balances).toEqual([formatBalance('ZEN', 5n)])
      expect(await readSafe(late)).toEqual(NOTHING_YET)
      await follow()
      expect((await readSafe(late)).balances).toEqual([formatBalance('ZEN', 6n)])
    })

    test('reading backwards takes back what it read from removed blocks', async () => {
      const late = await insertLateSafe()
      await follow()
      const snapshot = await chain.client.snapshot()
      await chain.client.mine({ blocks: 5 })
      await follow()
      const position = Number(await chain.client.getBlockNumber())
      await client.query('update app.followed_safe set is_quiet = true, next_block = $1', [
        position + 1,
      ])
      await chain.client.revert({ id: snapshot })
      await mint('ZEN', late, 1n)
      await chain.client.mine({ blocks: 9 })
      await follow()
      const { rows } = await client.query('select max(next_block) as next from app.followed_safe')
      expect(Number(rows[0].next)).toBeLessThan(position)
      await follow({ quietEvery: 0 })
      await follow()
      expect((await readSafe(late)).balances).toEqual([formatBalance('ZEN', 7n)])
    })
  })

  test('the health report follows the second of two instances once it takes over from a killed first one', async () => {
    const leading = {
      chainId: CHAIN,
      isLeading: true,
      latest: null,
      problem: null,
      safes: null,
      failures: 0,
    }
    const status = (caughtUpAt: number | null) =>
      JSON.stringify({ chains: [{ ...leading, caughtUpAt }] })
    await client.query(
      `insert into app.role_status (role, instance, status, beat_at)
       values ('transfers', 'killed', $1, now() - interval '2 seconds'),
         ('transfers', 'taken over', $2, now())`,
      [status(null), status(Date.now())],
    )
    expect(await readTransfersHealth(database.db, [CHAIN])).toMatchObject([{ status: 'ok' }])
    // The follower's clock differs from the reader's.
    const clock = Date.now() - 600_000
    const onItsClock = { ...leading, caughtUpAt: clock - 2_000, clock }
    await client.query(
      `update app.role_status set status = $1, beat_at = now() where instance = 'taken over'`,
      [JSON.stringify({ chains: [onItsClock] })],
    )
    expect(await readTransfersHealth(database.db, [CHAIN])).toMatchObject([
      { status: 'ok', lagSeconds: 2 },
    ])
    await client.query('delete from app.role_status')
  })

  test('the health report shows the follower’s progress until it stops', async () => {
    const quiet = await insertNewSafe()
    await follow()
    await markQuiet(client, CHAIN, { quietAfter: -60 })
    const safe = await insertNewSafe()
    const follower = startTransferFollower({
      // Nothing is waited for here but a failure.
      databaseUrl: postgres.databaseUrl,
      pollMs: 50,
      totalTimeoutMs: 500,
      chain: { ...chain.config, rpcUrls: [rpc.url], tokens: configuredTokens() },
    })
    const health = async () => (await readTransfersHealth(database.db, [CHAIN]))[0]!
    expect(await health()).toMatchObject({ status: 'stopped' })
    const beating = writeRoleHeartbeats(database.db, 'transfers', () => ({
      chains: [follower.report()],
    }))
    const api = await startApi({
      databaseUrl: postgres.databaseUrl,
      chains: [chain.config],
      expectsReactions: true,
      host: '127.0.0.1',
      port: 0,
    })
    const ask = async (path: string) => (await fetch(`${api.url}${path}`)).text()
    try {
      let first = await health()
      const isOk = async () => {
        first = await health()
        return first.status === 'ok'
      }
      await until(isOk)
      const head = Number(await chain.client.getBlockNumber())
      // On a busy machine, a request may have taken too long before.
      expect(first).toMatchObject({ position: head, head, problem: null })
      const counted = { followed: 1, quiet: 1, behind: 0 }
      await until(async () => isDeepStrictEqual((await health()).safes, counted))
      rpc.inject(() => ({ drop: true }))
      await until(async () => (await health()).status === 'failing')
      expect(await health()).toMatchObject({ problem: 'RPC_UNREACHABLE', position: head })
      expect((await health()).failures).toBeGreaterThan(first.failures)
      const numbers = await ask('/metrics')
      expect(numbers).toContain('cairn_transfers_up{chain="horizen_testnet"} 0')
      expect(numbers).toContain(`cairn_transfers_block{chain="horizen_testnet"} ${head}`)
      expect(numbers).toContain('cairn_transfers_safes{chain="horizen_testnet",state="followed"} 1')
      expect(numbers).toMatch(/cairn_transfers_failures_total\{chain="horizen_testnet"\} [1-9]/)
      expect(numbers).toContain('cairn_transfers_safes{chain="horizen_testnet",state="quiet"} 1')
      for (const one of [safe, quiet]) expect(numbers).not.toContain(one)
      const reported = JSON.parse(await ask('/health'))
      const { problem, position } = await health()
      expect(reported.transfers).toMatchObject([
        { chain: 'horizen_testnet', status: 'failing', problem, position },
      ])
      rpc.inject(undefined)
      await until(async () => (await health()).status === 'ok')
    } finally {
      await api.stop()
      await beating.stop()
      await follower.stop()
    }
    expect(await health()).toMatchObject({ status: 'stopped', position: null })
  })
}
