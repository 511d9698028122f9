import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRangeSizer } from '../../../services/chain/history/rangeSizer.ts'
import { NOTHING_YET } from '../../../services/relayer/recipients/balances/loadBalances.ts'
import { describeLyingTransferNodes } from './describeLyingTransferNodes.ts'
import { describeQuietSafes } from './describeQuietSafes.ts'
import { describeSafeBalanceTracking } from './describeSafeBalanceTracking.ts'
import { describeTransferReorgs } from './describeTransferReorgs.ts'
import { refusingCode } from './falseToken.ts'
import {
  announce,
  CHAIN,
  chain,
  client,
  closeTestbed,
  configuredTokens,
  emptyTestbed,
  falseToken,
  follow,
  formatBalance,
  insertNewSafe,
  insertSafe,
  mint,
  ODD,
  openTestbed,
  payer,
  readSafe,
  rpc,
  safeAddress,
  sendFrom,
  tokens,
} from './followerTestbed.ts'

beforeAll(openTestbed)
afterAll(closeTestbed)
beforeEach(emptyTestbed)

describeLyingTransferNodes()

describe('a Safe’s balance', () => {
  test('a Safe’s balance appears, grows and is swept; transfers between others are ignored', async () => {
    const [safe, other] = [await insertNewSafe(), await insertNewSafe()]
    await mint('ZEN', payer.address, 1_000n)
    await follow()
    expect(await readSafe(safe)).toEqual(NOTHING_YET)

    await mint('ZEN', safe, 7n)
    await follow()
    expect(await readSafe(safe)).toMatchObject({
      balances: [formatBalance('ZEN', 7n)],
      swept: false,
    })
    await mint('ZEN', safe, 3n)
    await mint('USDC', safe, 5n)
    await follow()
    const both = { balances: [formatBalance('ZEN', 10n), formatBalance('USDC', 5n)], swept: false }
    expect(await readSafe(safe)).toMatchObject(both)

    await sendFrom(safe, 'ZEN', other, 10n)
    const { timestamp } = await chain.client.getBlock()
    await follow()
    expect(await readSafe(safe)).toMatchObject({ swept: false })
    await sendFrom(safe, 'USDC', payer.address, 5n)
    await follow()
    const nothing = { balances: [formatBalance('ZEN', 0n), formatBalance('USDC', 0n)], swept: true }
    expect(await readSafe(safe)).toMatchObject(nothing)
    expect(await readSafe(other)).toMatchObject({
      balances: [formatBalance('ZEN', 10n)],
      swept: false,
    })
    // Of the one that was asked first: nothing has been seen of it since.
    expect((await readSafe(safe)).balancesAt).toBe(Number(timestamp))
  })

  test('transfers of zero give a Safe no balance, and don’t make it swept', async () => {
    const safe = await insertNewSafe()
    await payer.execute({
      to: tokens.ZEN,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [safe, 0n] }),
    })
    await follow()
    expect(await readSafe(safe)).toEqual(NOTHING_YET)
  })

  test('a Safe isn’t swept while a listed token with transfers hasn’t been read', async () => {
    const safe = await insertNewSafe()
    await mint('ZEN', safe, 7n)
    await follow()
    await sendFrom(safe, 'ZEN', payer.address, 7n)
    await follow()
    expect(await readSafe(safe)).toMatchObject({ swept: true })
    await client.query(
      `insert into app.safe_balance select (jsonb_populate_record(b, jsonb_build_object(
         'token', $1::text, 'balance', null, 'asked_time', null))).* from app.safe_balance b`,
      [tokens.USDC],
    )
    expect(await readSafe(safe)).toMatchObject({
      balances: [formatBalance('ZEN', 0n)],
      swept: false,
    })
  })

  test('a round without news reads nothing but the head', async () => {
    const safe = await insertNewSafe()
    await mint('ZEN', safe, 7n)
    await follow()
    const before = rpc.calls.length
    await follow()
    const asked = rpc.calls.slice(before).map(({ method }) => method)
    expect(asked.filter((method) => method !== 'eth_chainId')).toEqual([
      'eth_getBlockByNumber',
      'eth_getBlockByNumber',
    ])
  })

  test('a Safe’s balance is read once per change from the token, never summed from events', async () => {
    const safe = await insertNewSafe()
    for (let count = 0; count < 5; count++) await mint('ZEN', safe, 1n)
    const before = rpc.count('eth_call')
    await follow()
    expect(rpc.count('eth_call') - before).toBe(1)
    expect((await readSafe(safe)).balances).toEqual([formatBalance('ZEN', 5n)])
  })

  test('a balance that changes without a Transfer is noticed after a while', async () => {
    const safe = await insertNewSafe()
    const token = await falseToken(ODD, 9n)
    await announce(token, safe)
    await follow()
    await falseToken(ODD, 5n)
    await chain.client.increaseTime({ seconds: 100 })
    await chain.client.mine({ blocks: 1 })
    await follow({ refreshAfter: 1_000 })
    expect((await readSafe(safe)).balances).toEqual([{ token, balance: 9n, isListed: true }])
    await follow({ refreshAfter: 50 })
    expect((await readSafe(safe)).balances).toEqual([{ token, balance: 5n, isListed: true }])
  })

  test('a payment up to ten minutes before a Safe was issued is found, since clocks differ', async () => {
    const [early, late] = [safeAddress(), safeAddress()]
    await insertNewSafe()
    await mint('ZEN', early, 2n)
    await follow()
    const { timestamp } = await chain.client.getBlock()
    await chain.client.increaseTime({ seconds: 100 })
    await mint('ZEN', late, 3n)
    await follow()
    // One after the other, or the later one would be read from the earlier one's first block on.
    await insertSafe(late, Number(timestamp) + 600)
    await follow()
    expect((await readSafe(late)).balances).toEqual([formatBalance('ZEN', 3n)])
    await insertSafe(early, Number(timestamp) + 599)
    await follow()
    expect((await readSafe(early)).balances).toEqual([formatBalance('ZEN', 2n)])
  })
})

describe('unlisted tokens', () => {
  test('unlisted tokens are shown while they report a balance, and never make a Safe swept', async () => {
    const safe = await insertNewSafe()
    const [full, empty] = [await falseToken(1, 5n), await falseToken(2, 0n)]
    await announce(full, safe)
    await announce(empty, safe)
    await follow()
    const shown = { token: full, balance: 5n, isListed: false }
    expect(await readSafe(safe)).toMatchObject({ balances: [shown], swept: false })

    await mint('ZEN', safe, 1n)
    await sendFrom(safe, 'ZEN', payer.address, 1n)
    await follow()
    expect(await readSafe(safe)).toMatchObject({
      balances: [formatBalance('ZEN', 0n), shown],
      swept: true,
    })
  })

  test('unlisted tokens that flood a Safe are limited, and delay no listed token', async () => {
    const safe = await insertNewSafe()
    for (let number = 10; number < 35; number++) await announce(await falseToken(number, 1n), safe)
    await mint('ZEN', safe, 8n)
    await follow()
    const { balances } = await readSafe(safe)
    expect(balances[0]).toEqual(formatBalance('ZEN', 8n))
    expect(balances).toHaveLength(21)
  })

  test('unlisted tokens that fill a block beyond a node’s limit hide no listed token', async () => {
    const [safe, flooded] = [await insertNewSafe(), await insertNewSafe()]
    await follow()
    await announce(await falseToken(5, 1n), flooded)
    const flood = Number(await chain.client.getBlockNumber())
    await mint('ZEN', safe, 8n)
    rpc.inject(({ method, params }) => {
      if (method !== 'eth_getLogs') return undefined
      const [{ fromBlock, toBlock, address }] = params as [
        { fromBlock: Hex; toBlock: Hex; address?: Hex[] },
      ]
      const isIn = Number(fromBlock) <= flood && flood <= Number(toBlock)
      if (address !== undefined || !isIn) return undefined
      return { error: { code: -32005, message: 'query returned more than 10000 results' } }
    })
    const sizer = createRangeSizer({ first: 2_000 })
    await follow({}, client, { sizer })
    expect((await readSafe(safe)).balances).toEqual([formatBalance('ZEN', 8n)])
    expect(sizer.width()).toBeGreaterThan(1_000)
  })

  test('unlisted tokens with malformed answers are forgotten', async () => {
    const safe = await insertNewSafe()
    const token = await falseToken(3, 1n)
    await announce(token, safe)
    rpc.inject(({ method }) => (method === 'eth_call' ? { result: '0x01' } : undefined))
    await follow()
    expect(await readSafe(safe)).toEqual(NOTHING_YET)
    expect((await client.query('select from app.safe_balance')).rowCount).toBe(0)
  })

  test('unlisted tokens that revert with a busy node’s message are forgotten, and make no node back off', async () => {
    const safe = await insertNewSafe()
    const token = await falseToken(4, 1n)
    await announce(token, safe)
    await chain.client.setCode({ address: token, bytecode: refusingCode('rate limit exceeded') })
    const before = rpc.count('eth_call')
    await follow()
    expect(rpc.count('eth_call') - before).toBe(1)
    expect((await client.query('select from app.safe_balance')).rowCount).toBe(0)
  })

  test('unlisted tokens that don’t answer are forgotten, but a listed one is read again', async () => {
    const safe = await insertNewSafe()
    await mint('ZEN', safe, 2n)
    rpc.inject(({ method }) =>
      method === 'eth_call' ? { error: { code: 3, message: 'execution reverted' } } : undefined,
    )
    await follow()
    expect(await readSafe(safe)).toEqual(NOTHING_YET)
    rpc.inject(undefined)
    await follow()
    expect((await readSafe(safe)).balances).toEqual([formatBalance('ZEN', 2n)])
  })

  test('a listed token that is broken in hundreds of Safes holds up no other token’s balances', async () => {
    const safe = await insertNewSafe()
    const broken = configuredTokens().ODD.address
    await client.query(
      `insert into app.safe_balance (chain_id, safe_address, token, is_listed, first_block, last_block)
       select $1, '0x' || lpad(n::text, 40, '0'), $2, true, 0, 0 from generate_series(1, 600) n`,
      [CHAIN, broken],
    )
    await chain.client.setCode({ address: broken, bytecode: '0x' })
    await mint('ZEN', safe, 3n)
    for (let rounds = 0; rounds < 3; rounds++) {
      await chain.client.mine({ blocks: 1 })
      await follow()
    }
    expect((await readSafe(safe)).balances).toEqual([formatBalance('ZEN', 3n)])
  })
})

describeTransferReorgs()
describeSafeBalanceTracking()
describeQuietSafes()
