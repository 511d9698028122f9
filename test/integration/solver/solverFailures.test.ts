import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { stakeAccount } from '../../../devnet/deploy/stakeAccount.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import type { Phase } from '../../../services/chain/transactions/senderContext.ts'
import { createSolverAccount } from '../../../services/solver/account/solverAccount.ts'
import { holdAccountLock } from '../../../services/solver/journal/holdAccountLock.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'
import { readIntentOnChain } from './fakeRelayer.ts'
import { type SolverRig, startSolverRig } from './solverRig.ts'

/** The moments at which money could be paid twice; the long campaign covers every phase of every kind. */
const isCampaign = process.env.CAMPAIGN === 'chaos'
const PHASES: Phase[] = isCampaign
  ? ['chosen', 'signed', 'saved', 'sent', 'mined', 'confirmed']
  : ['saved', 'sent', 'mined']
const KINDS = isCampaign ? ['seal', 'stake', 'bid', 'deposit', 'deliver'] : ['deliver']
const MOMENTS = KINDS.flatMap((kind) => PHASES.map((phase) => [kind, phase] as const))

let rig: SolverRig

beforeAll(async () => {
  rig = await startSolverRig()
})
afterAll(() => rig.stop())

/** Moves time to the bidding once the solver can bid, and past the auction's end after the first bid. */
function endingAuction(id: bigint): () => Promise<void> {
  let ended = false
  return async () => {
    const { solver, phase } = await readIntentOnChain(rig.pair, id)
    if (ended || phase !== 1) return
    if (/^0x0+$/.test(solver)) {
      if (await rig.isReady()) await rig.pair.play.letRecipientsStand(id)
      return
    }
    ended = true
    await rig.pair.play.endAuction()
  }
}

describe('a solver killed by kill -9', () => {
  it.each(
    MOMENTS,
  )('during a %s, at the end of phase "%s", pays once and is paid once', async (kind, phase) => {
    const id = await rig.offer()
    const before = await rig.zenOf(rig.relayer.payee)
    const goOn = endingAuction(id)
    await rig.dieAt(kind, phase, goOn)
    const solver = await rig.start()
    await rig.until(async () => {
      await goOn()
      return (await readIntentOnChain(rig.pair, id)).phase === 3
    }, 'it is settled')
    const { amountB } = await readIntentOnChain(rig.pair, id)
    expect((await rig.zenOf(rig.relayer.payee)) - before).toBe(amountB)
    // There is a second bid if the auction's last blocks come before the test ends it.
    const history = await rig.history(id)
    expect(history.filter((type) => type !== 'BidPlaced')).toEqual([
      ...['IntentCreated', 'IntentAnchored', 'SolverDeposited', 'IntentSettled', 'IntentSolved'],
    ])
    expect(history.length).toBeLessThanOrEqual(7)
    await rig.until(
      async () => (await solver.activeIntents()).every(({ intentId }) => intentId !== id),
      'the journal has closed it',
    )
    await solver.stop()
  })
})

describe('a relayer that names a false recipient', () => {
  it('causes no payment until it sends recipients signed by an enclave', async () => {
    const thief = `0x${'7e'.repeat(20)}` as const
    rig.relayer.liesAbout(thief)
    const id = await rig.offer()
    const before = await rig.zenOf(rig.relayer.payee)
    const goOn = endingAuction(id)
    const solver = await rig.start()
    const isDelivering = async () => {
      await goOn()
      const [active] = await solver.activeIntents()
      return active?.phase === 'delivering'
    }
    await rig.until(isDelivering, 'it wants to deliver')
    for (let block = 0; block < 5; block++) await rig.pair.horizen.client.mine({ blocks: 1 })
    expect(await rig.zenOf(thief)).toBe(0n)
    rig.relayer.liesAbout(null)
    await rig.until(
      async () => (await readIntentOnChain(rig.pair, id)).phase === 3,
      'it is settled',
    )
    expect(await rig.zenOf(thief)).toBe(0n)
    expect((await rig.zenOf(rig.relayer.payee)) - before).toBe(
      (await readIntentOnChain(rig.pair, id)).amountB,
    )
    await solver.stop()
  })
})

describe('a relayer that reveals nothing to the winner', () => {
  it('costs the winner one call: it asks on chain, and pays the recipients that two nodes show there', async () => {
    const { config, node } = rig.pair.base
    const second = await startFaultyRpc(node.rpc)
    const { chains } = rig.order
    rig.order.chains = chains.map((chain) =>
      chain.chainId === config.chainId
        ? { ...chain, rpcUrls: [...chain.rpcUrls, second.url] }
        : chain,
    )
    rig.relayer.keepsSilent(true)
    const id = await rig.offer()
    const before = await rig.zenOf(rig.relayer.payee)
    const goOn = endingAuction(id)
    const solver = await rig.start()
    const isDeposited = async () => {
      await goOn()
      return (await readIntentOnChain(rig.pair, id)).phase === 2
    }
    await rig.until(isDeposited, 'it has won')
    expect((await readIntentOnChain(rig.pair, id)).asked).toBe(false)
    await rig.pair.play.letQuartersPass(1)
    await rig.until(async () => (await readIntentOnChain(rig.pair, id)).asked, 'it asks')
    await rig.pair.play.reveal(id, await rig.relayer.sealedFor(id))
    await rig.until(
      async () => (await readIntentOnChain(rig.pair, id)).phase === 3,
      'it is settled',
    )
    rig.relayer.keepsSilent(false)
    expect((await rig.zenOf(rig.relayer.payee)) - before).toBe(
      (await readIntentOnChain(rig.pair, id)).amountB,
    )
    await solver.stop()
    rig.order.chains = chains
    await second.close()
  })
})

describe('a lost journal', () => {
  it('is restored from the wins that the relayer lists', async () => {
    const id = await rig.offer()
    const goOn = endingAuction(id)
    await rig.dieAt('deposit', 'confirmed', goOn)
    const client = await rig.postgres.connect()
    await client.query('drop schema solver cascade')
    await client.query('truncate app.transaction cascade')
    const solver = await rig.start()
    await rig.until(
      async () => (await readIntentOnChain(rig.pair, id)).phase === 3,
      'it is settled',
    )
    const history = await rig.history(id)
    expect(history.filter((type) => type === 'IntentSolved')).toHaveLength(1)
    await solver.stop()
  })
})

it('a winner delivers at the price that the chains file allows, however dear gas gets meanwhile', async () => {
  const { chains } = rig.order
  rig.order.chains = chains.map((chain) => ({ ...chain, maxFeeGwei: 5_000 }))
  const { client } = rig.pair.horizen
  const id = await rig.offer()
  const before = await rig.zenOf(rig.relayer.payee)
  const goOn = endingAuction(id)
  const solver = await rig.start()
  const raiseBaseFee = async () => {
    await goOn()
    if ((await readIntentOnChain(rig.pair, id)).phase > 1)
      await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000n * 10n ** 9n })
  }
  await rig.until(async () => {
    await raiseBaseFee()
    return (await rig.zenOf(rig.relayer.payee)) > before
  }, 'it has delivered')
  await solver.stop()
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n })
  rig.order.chains = chains
})

describe('a changed configuration', () => {
  it('lets no solver start without a chain on which it must deliver, with another key meanwhile, or with another bridge’s journal', async () => {
    const id = await rig.offer()
    await rig.dieAt('deposit', 'confirmed', endingAuction(id))
    const { chains } = rig.order
    for (const missing of chains) {
      rig.order.chains = chains.filter((chain) => chain !== missing)
      await expect(rig.start()).rejects.toThrow(
        new RegExp(`chain ${missing.chainId} is missing, on which 1 open intents need this solver`),
      )
    }
    rig.order.chains = chains
    const { privateKey } = rig.order
    rig.order.privateKey = deriveDevnetAccounts().solvers[1]!.privateKey
    const words = /1 open intents need the solver 0x.* Start with its key/
    await expect(rig.start()).rejects.toThrow(words)
    // As held by another instance with the first key.
    const lock = holdAccountLock(rig.order.databaseUrl, createSolverAccount(privateKey).address)
    await until(async () => lock.isHeld(), 'it is at work')
    await (await rig.start()).stop()
    await lock.stop()
    rig.order.privateKey = privateKey
    rig.order.chains = chains.map((chain) => ({
      ...chain,
      bridge: `0x${'ab'.repeat(20)}` as const,
    }))
    await expect(rig.start()).rejects.toThrow(
      /the bridge of base_sepolia is .* name an empty database/,
    )
    rig.order.chains = chains
    const solver = await rig.start()
    await rig.until(
      async () => (await readIntentOnChain(rig.pair, id)).phase === 3,
      'it is settled',
    )
    await solver.stop()
  })
})

it('an intent lost to another solver on a removed chain doesn’t keep other intents from being listed', async () => {
  const { db, close } = openDatabase({ databaseUrl: rig.postgres.databaseUrl })
  const lost = { source_chain_id: 10, intent_id: '98', phase: 'outbid', outcome: null }
  await sql`insert into solver.intent select (jsonb_populate_record(one, ${JSON.stringify(lost)}::jsonb)).*
    from solver.intent as one limit 1`.execute(db)
  const solver = await rig.start()
  expect(await solver.activeIntents()).toContainEqual(
    expect.objectContaining({ intentId: 98n, network: 'optimism_mainnet' }),
  )
  await solver.stop()
  await sql`delete from solver.intent where intent_id = 98`.execute(db)
  await close()
})

it('solvers of two accounts with one database and open intents can start at once, as after a machine’s restart', async () => {
  const { privateKey } = rig.order
  const [own, other] = deriveDevnetAccounts().solvers
  const { db, close } = openDatabase({ databaseUrl: rig.postgres.databaseUrl })
  const addOpenIntent = (account: string) =>
    sql`insert into solver.intent select (jsonb_populate_record(one, ${JSON.stringify({
      account: account.toLowerCase(),
      intent_id: '99',
      phase: 'deposited',
      outcome: null,
      fill_deadline: Math.floor(Date.now() / 1_000) + 600,
    })}::jsonb)).* from solver.intent as one limit 1`.execute(db)
  await addOpenIntent(own!.address)
  await addOpenIntent(other!.address)
  const starting = [own!, other!].map((account) => {
    rig.order.privateKey = account.privateKey
    return rig.start()
  })
  rig.order.privateKey = privateKey
  const results = await Promise.allSettled(starting)
  for (const result of results) if (result.status === 'fulfilled') await result.value.stop()
  await sql`delete from solver.intent where intent_id = 99`.execute(db)
  await close()
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
})

describe('an intent whose best bidder doesn’t deposit', () => {
  it('is picked up in the second window, delivered and paid, and the best bidder forfeits its lock', async () => {
    const { base, play } = rig.pair
    const [, rival] = base.solvers as [AccountSender, AccountSender]
    await stakeAccount(base.client, rival, deriveDevnetAccounts().solvers[1]!, base.contracts)
    const id = await rig.offer()
    await play.letRecipientsStand(id)
    await play.bid(id, 1n, rival)
    await play.endAuction()
    const before = await rig.zenOf(rig.relayer.payee)
    const solver = await rig.start()
    for (let block = 0; block < 5; block++) await base.client.mine({ blocks: 1 })
    expect((await readIntentOnChain(rig.pair, id)).phase).toBe(1)
    await base.client.increaseTime({ seconds: 100 })
    await rig.until(
      async () => (await readIntentOnChain(rig.pair, id)).phase === 3,
      'it is settled',
    )
    const settled = await readIntentOnChain(rig.pair, id)
    expect(settled.solver).toBe(deriveDevnetAccounts().solvers[0]!.address)
    expect((await rig.zenOf(rig.relayer.payee)) - before).toBe(settled.amountB)
    expect(await rig.history(id)).toContain('BidForfeited')
    await solver.stop()
  })
})

describe('a chain that produces a block only when there is a transaction', () => {
  it('gets one from the winner, which would miss both windows for its deposit and lose its lock', async () => {
    const { base, play } = rig.pair
    const solver = await rig.start()
    await rig.until(rig.isReady, 'it has staked')
    const id = await rig.offer()
    await play.letRecipientsStand(id)
    const { address } = deriveDevnetAccounts().solvers[0]!
    const ours = async () => (await readIntentOnChain(rig.pair, id)).solver === address
    await rig.until(ours, 'it leads')
    const { endTime } = await readIntentOnChain(rig.pair, id)
    await base.client.setNextBlockTimestamp({ timestamp: endTime - 2n })
    await base.client.mine({ blocks: 1 })
    // Nobody sends anything, so nothing on the chain shows that the auction is over.
    await until(
      async () => (await readIntentOnChain(rig.pair, id)).phase === 2,
      'it has deposited',
      { timeout: 60_000 },
    )
    await rig.until(
      async () => (await readIntentOnChain(rig.pair, id)).phase === 3,
      'it is settled',
    )
    await solver.stop()
  })
})

describe('a chain that stalled for ten minutes', () => {
  it('doesn’t keep a solver that starts at its next block from bidding', async () => {
    const { base, play } = rig.pair
    await base.client.increaseTime({ seconds: 600 })
    await base.client.mine({ blocks: 1 })
    const solver = await rig.start()
    await until(
      async () => (await solver.status()).stats.lastRoundAt !== null,
      'it has measured the time between blocks',
    )
    const id = await rig.offer()
    await play.letRecipientsStand(id)
    await rig.until(
      async () => !/^0x0+$/.test((await readIntentOnChain(rig.pair, id)).solver),
      'it has bid',
    )
    await solver.stop()
  })
})

describe('a chain that stalls before it includes a bid', () => {
  it('includes no stale bid: the solver cancels it after five minutes', async () => {
    const { base, play } = rig.pair
    const client = await rig.postgres.connect()
    const solver = await rig.start()
    await rig.until(rig.isReady, 'it has staked')
    const id = await rig.offer()
    await base.client.setAutomine(false)
    await play.letRecipientsStand(id)
    const bids = `from app.transaction t join app.transaction_version v on v.transaction_id = t.id
      where t.kind = 'bid' and t.effect like '%:' || $1 || ':%' and v.sent_at is not null`
    const isSent = async (also = '') =>
      (await client.query(`select ${bids} ${also}`, [String(id)])).rows.length > 0
    await until(isSent, 'it has bid')
    expect(await isSent('and v.is_cancel')).toBe(false)
    await client.query(
      `update app.transaction set requested_at = requested_at - interval '301 seconds' where kind = 'bid'`,
    )
    await until(() => isSent('and v.is_cancel'), 'it has cancelled its bid')
    await base.client.setAutomine(true)
    await client.end()
    await solver.stop()
  })
})
