import { describe, expect, test } from 'vitest'
import {
  announce,
  chain,
  client,
  events,
  falseToken,
  follow,
  formatBalance,
  insertNewSafe,
  insertSafe,
  mint,
  ODD,
  payer,
  readSafe,
  round,
  rpc,
  safeAddress,
  sendFrom,
} from './followerTestbed.ts'

/** Tests of blocks that leave the chain after they were read, on a testbed that is open. */
export function describeTransferReorgs(): void {
  describe('a reorg', () => {
    test('a reorg takes back what was received and sent in removed blocks', async () => {
      const [paid, swept, late] = [await insertNewSafe(), await insertNewSafe(), safeAddress()]
      await mint('ZEN', swept, 4n)
      await mint('ZEN', late, 2n)
      await follow()
      const snapshot = await chain.client.snapshot()
      await mint('ZEN', paid, 9n)
      await mint('ZEN', late, 1n)
      await sendFrom(swept, 'ZEN', payer.address, 4n)
      await chain.client.mine({ blocks: 5 })
      await follow()
      // Both its payments are read at once.
      await insertSafe(late, 1_700_000_000)
      await chain.client.mine({ blocks: 1 })
      await follow()
      expect(await readSafe(late)).toMatchObject({ balances: [formatBalance('ZEN', 3n)] })
      expect(await readSafe(paid)).toMatchObject({ balances: [formatBalance('ZEN', 9n)] })
      expect(await readSafe(swept)).toMatchObject({ swept: true })

      const elsewhere = await copyRowsToOtherChain()
      await chain.client.revert({ id: snapshot })
      await mint('USDC', paid, 1n)
      await chain.client.mine({ blocks: 12 })
      await follow()

      expect(events.map(({ type }) => type)).toEqual(['rewound'])
      expect(await readSafe(paid)).toMatchObject({
        balances: [formatBalance('USDC', 1n)],
        swept: false,
      })
      expect(await readSafe(swept)).toMatchObject({
        balances: [formatBalance('ZEN', 4n)],
        swept: false,
      })
      expect(await readSafe(late)).toMatchObject({ balances: [formatBalance('ZEN', 2n)] })
      expect(await readRowsOfOtherChain()).toEqual(elsewhere)
    })

    test('a reorg has balances read again that were read in removed blocks', async () => {
      const safe = await insertNewSafe()
      const token = await falseToken(ODD, 9n)
      await announce(token, safe)
      await follow()
      const snapshot = await chain.client.snapshot()
      await falseToken(ODD, 5n)
      await chain.client.increaseTime({ seconds: 100 })
      await chain.client.mine({ blocks: 1 })
      await follow({ refreshAfter: 50 })
      expect((await readSafe(safe)).balances).toEqual([{ token, balance: 5n, isListed: true }])
      await chain.client.revert({ id: snapshot })
      await chain.client.mine({ blocks: 3 })
      await follow()
      expect((await readSafe(safe)).balances).toEqual([{ token, balance: 9n, isListed: true }])
    })

    test('a reorg to a shorter chain is noticed before the chain has grown back', async () => {
      const safe = await insertNewSafe()
      await follow()
      const snapshot = await chain.client.snapshot()
      await mint('ZEN', safe, 9n)
      await follow()
      await chain.client.mine({ blocks: 5 })
      await follow()
      await chain.client.revert({ id: snapshot })
      await mint('USDC', safe, 1n)
      await follow()
      expect(events.map(({ type }) => type)).toEqual(['rewound'])
      expect(await readSafe(safe)).toMatchObject({ balances: [formatBalance('USDC', 1n)] })
    })

    test('after a reorg deeper than the stored history, reading starts afresh', async () => {
      const safe = await insertNewSafe()
      await mint('ZEN', safe, 4n)
      await follow()
      await client.query(`update app.transfer_checkpoint set block_hash = '0xbad'`)
      await client.query(`update app.safe_balance set balance = 77, token = '0xbad'`)
      await follow()
      expect((await readSafe(safe)).balances).toEqual([formatBalance('ZEN', 4n)])
    })

    test('a node that lags behind the last block read makes the reader wait', async () => {
      const safe = await insertNewSafe()
      await mint('ZEN', safe, 4n)
      await follow()
      rpc.inject(({ params }) =>
        params[0] === 'latest'
          ? { change: (block) => ({ ...Object(block), number: '0x3' }) }
          : undefined,
      )
      // Blocks that the node doesn't have yet must not count as read.
      expect(await round({}, client, {})).toMatchObject({ isUnfinished: false, isAtHead: false })
      rpc.inject(undefined)
      expect(await round({}, client, {})).toMatchObject({ isUnfinished: false, isAtHead: true })
      expect(events).toEqual([])
      expect((await readSafe(safe)).balances).toEqual([formatBalance('ZEN', 4n)])
    })
  })
}

const TABLES = ['safe_balance', 'followed_safe', 'transfer_checkpoint', 'transfer_position']
const OTHER_CHAIN = 1

/** As if another chain had the same blocks and payments. @returns its rows */
async function copyRowsToOtherChain(): Promise<unknown[]> {
  for (const table of TABLES)
    await client.query(
      `insert into app.${table}
       select (jsonb_populate_record(t, jsonb_build_object('chain_id', $1::bigint))).* from app.${table} t`,
      [OTHER_CHAIN],
    )
  return readRowsOfOtherChain()
}

async function readRowsOfOtherChain(): Promise<unknown[]> {
  const found = await Promise.all(
    TABLES.map((table) =>
      client.query(`select * from app.${table} t where chain_id = $1 order by t::text`, [
        OTHER_CHAIN,
      ]),
    ),
  )
  return found.map(({ rows }) => rows)
}
