import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { reopenTransaction } from '../../../services/chain/transactions/requestAgain.ts'
import { GAS_PRICE_ORACLE } from '../../../services/chain/transactions/rollupDataFees.ts'
import type { Phase } from '../../../services/chain/transactions/senderContext.ts'
import type {
  Sender,
  StartSenderOptions,
} from '../../../services/chain/transactions/startSender.ts'
import { createTransactionFeed } from '../../../services/chain/transactions/transactionFeed.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { FAST_START_OPTIONS } from '../../rig/fastStartOptions.ts'
import { buildGasOracleCode } from '../../rig/stubGasOracle.ts'
import { createLocalSigner } from './localSigner.ts'
import { CHAIN_ID, startTransactionRig, type TransactionRig } from './transactionRig.ts'

const MORTAL = fileURLToPath(new URL('./killedSender.ts', import.meta.url))
const PHASES: Phase[] = ['chosen', 'signed', 'saved', 'sent', 'mined', 'confirmed']
/** Versions that replace another. */
const AGAIN: Phase[] = ['signed', 'saved', 'sent']

let rig: TransactionRig

beforeAll(async () => {
  rig = await startTransactionRig()
})
afterAll(() => rig.stop())
beforeEach(() => rig.nextAccount())
afterEach(async () => {
  await rig.stopSenders()
  await rig.chain.setAutomine(true)
})

const start = (options: Partial<StartSenderOptions> = {}) => rig.start(options)

/** Mines until all are over, and returns them. */
async function allOver(transactions: Transaction[]): Promise<Transaction[]> {
  let rows: Transaction[] = []
  const isOver = async () => {
    rows = await Promise.all(transactions.map(({ id }) => rig.read(id)))
    return rows.every(({ state }) => ['confirmed', 'failed', 'superseded'].includes(state))
  }
  await rig.until(isOver, 'every transaction is over', true)
  return rows
}

const statesOf = (rows: Transaction[]) => rows.map(({ state }) => state)

/** Waits until it has come at least so far. */
async function waitFor(transaction: Transaction, state: string): Promise<void> {
  const states = ['chosen', 'signed', 'sent', 'mined', 'confirmed']
  const hasCome = async () =>
    states.indexOf((await rig.read(transaction.id)).state) >= states.indexOf(state)
  await rig.until(hasCome, state)
}

/** Waits for a sender's next pass. @returns when it ended, in milliseconds */
async function nextPass(sender: Sender): Promise<number> {
  const { passedAt } = sender.report()
  await rig.until(async () => sender.report().passedAt !== passedAt, 'the next pass')
  return Number(sender.report().passedAt)
}

/** What a sender of its own account was asked for, and when it dies. */
type Killed = {
  account: PrivateKeyAccount
  number: number
  phase: Phase
  /** It dies when it comes to the phase for the how manieth time, in the second transaction's life. */
  time: number
  asked: Transaction[]
}

/** Runs each sender in a separate process until it dies. */
async function allDie(killed: Killed[], mine: () => Promise<void>): Promise<void> {
  const { databaseUrl } = rig.postgres
  const signals: (NodeJS.Signals | null)[] = []
  const children = killed.map(({ number, phase, time, asked }) => {
    const effect = asked[1]?.effect ?? ''
    const about = [databaseUrl, rig.node.rpc, String(number), phase, effect, String(time)]
    const child = spawn(process.execPath, [...FAST_START_OPTIONS, MORTAL, ...about], {
      stdio: 'inherit',
    })
    return child.once('exit', (_, signal) => signals.push(signal))
  })
  try {
    await rig.until(async () => signals.length === killed.length, 'all are dead', mine)
  } finally {
    // Whoever is left would keep our output open, and the run from its end.
    for (const child of children) child.kill('SIGKILL')
  }
  expect(new Set(signals)).toEqual(new Set(['SIGKILL']))
}

describe('a transaction', () => {
  it('is sent once, however often it is requested', async () => {
    const asked = await Promise.all(Array.from({ length: 5 }, () => rig.request('once')))
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1)
    start()
    expect(statesOf(await allOver(asked))).toEqual(Array(5).fill('confirmed'))
    expect(await rig.received('once')).toBe(1n)
  })

  it('can be awaited up to a given state', async () => {
    const feed = createTransactionFeed(rig.database.db, rig.postgres.databaseUrl)
    const { id } = await rig.request('awaited')
    const mined = feed.awaitTransaction(id, { until: 'mined', timeoutMs: 20_000 })
    start()
    expect((await mined)?.txHash).toMatch(/^0x/)
    const unconfirmed = await feed.awaitTransaction(id, { until: 'confirmed', timeoutMs: 0 })
    expect(unconfirmed?.state).toBe('mined')
    expect(await feed.awaitTransaction(9_999_999, { until: 'mined', timeoutMs: 0 })).toBeNull()
    await feed.stop()
  })

  it('survives kill -9 in every phase, and in its replacement’s', async () => {
    const lives = [
      ...PHASES.map((phase) => ({ phase, time: 1 })),
      ...AGAIN.map((phase) => ({ phase, time: 2 })),
    ]
    const killed: Killed[] = []
    for (const { phase, time } of lives) {
      await rig.nextAccount()
      const effects = [1, 2, 3].map((number) => `killed at ${phase} ${time}: ${number}`)
      const asked: Transaction[] = []
      for (const effect of effects) asked.push(await rig.request(effect))
      killed.push({ account: rig.account, number: rig.accountNumber, phase, time, asked })
    }
    // Replacements first: they take blocks that nobody's first version is in.
    await rig.chain.setAutomine(false)
    await allDie(
      killed.filter(({ time }) => time === 2),
      () => rig.mineWithout(1),
    )
    await allDie(
      killed.filter(({ time }) => time === 1),
      () => rig.chain.mine({ blocks: 1 }),
    )
    for (const { account } of killed) {
      start({ account: account.address, sign: createLocalSigner(account) })
    }
    const over = await allOver(killed.flatMap(({ asked }) => asked))
    expect(new Set(statesOf(over))).toEqual(new Set(['confirmed']))
    for (const { effect } of over)
      expect([effect, await rig.received(effect)]).toEqual([effect, 1n])
    for (const { account } of killed) {
      expect(await rig.chain.getTransactionCount({ address: account.address })).toBe(3)
    }
  }, 300_000)

  it('is sent once by two instances on one database, one of which stops', async () => {
    const asked: Transaction[] = []
    for (let i = 0; i < 12; i++) asked.push(await rig.request(`shared ${i}`))
    const first = start()
    const second = start()
    await waitFor(asked[3] as Transaction, 'mined')
    const leaders = () => [first, second].filter(({ sender }) => sender.report().isLeading)
    // On a machine that is slow enough the lease has just been lost.
    await rig.until(async () => leaders().length > 0, 'one leads')
    const [leader, ...others] = leaders()
    expect(others).toEqual([])
    await leader?.sender.stop()
    expect(statesOf(await allOver(asked))).toEqual(Array(12).fill('confirmed'))
    for (const { effect } of asked) expect(await rig.received(effect)).toBe(1n)
  })

  it('waits while the account is out of gas', async () => {
    const balance = await rig.chain.getBalance({ address: rig.account.address })
    await rig.chain.setBalance({ address: rig.account.address, value: 1_000n })
    const asked = [await rig.request('poor 1'), await rig.request('poor 2')]
    const { sender, events } = start()
    await rig.until(async () => sender.report().problem === 'OUT_OF_GAS', 'it says so')
    expect(sender.report().latest?.outOfGas).toBe(2)
    expect((await rig.read((asked[0] as Transaction).id)).problem).toBe('OUT_OF_GAS')
    expect(events.some(({ type }) => type === 'signed')).toBe(false)
    await rig.chain.setBalance({ address: rig.account.address, value: balance })
    expect(statesOf(await allOver(asked))).toEqual(['confirmed', 'confirmed'])
    await rig.until(async () => sender.report().problem === null, 'the trouble is over')
  })

  it('waits while the balance doesn’t cover the cost of its data on the parent chain', async () => {
    const bytecode = buildGasOracleCode(10n ** 16n)
    await rig.chain.setCode({ address: GAS_PRICE_ORACLE, bytecode })
    const asked = [await rig.request('on a rollup', { data: '0x1234' })]
    const { sender, events } = start()
    await rig.until(async () => sender.report().problem === 'OUT_OF_GAS', 'it says so')
    expect(events.some(({ type }) => type === 'signed')).toBe(false)
    const { l1Fee } = await rig.read((asked[0] as Transaction).id)
    // A transaction has some forty bytes even without data.
    expect(l1Fee).toBeGreaterThan(40n * 10n ** 16n)
    await rig.chain.setBalance({ address: rig.account.address, value: 2n * 10n ** 18n + l1Fee })
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    await rig.chain.setCode({ address: GAS_PRICE_ORACLE, bytecode: '0x' })
  })

  it('is awaited by a fifth of the passes while none waits', async () => {
    const { sender } = start({ pollMs: 200 })
    const first = await nextPass(sender)
    expect((await nextPass(sender)) - first).toBeGreaterThanOrEqual(990)
  })

  it('is awaited by every pass while one waits for the signer', async () => {
    const pollMs = 2_000
    await rig.request('unsigned')
    const away = Object.assign(new Error('away'), { code: 'ENCLAVE_UNREACHABLE' })
    const { sender } = start({ pollMs, sign: () => Promise.reject(away) })
    const first = await nextPass(sender)
    expect((await nextPass(sender)) - first).toBeLessThan(5 * pollMs)
  })

  it('is sent at once when it comes after a rest', async () => {
    const rest = 60_000
    const { sender } = start({ pollMs: rest / 5 })
    await rig.until(async () => sender.report().latest?.live === 0, 'none waits')
    const begun = performance.now()
    await waitFor(await rig.request('after a rest'), 'sent')
    expect(performance.now() - begun).toBeLessThan(rest)
  })

  it('is sent again after the node has dropped it', async () => {
    await rig.chain.setAutomine(false)
    const asked = [await rig.request('dropped')]
    start({ resendAfterMs: 200 })
    await waitFor(asked[0] as Transaction, 'sent')
    await rig.dropAll()
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('dropped')).toBe(1n)
  })

  it('is mined again after a reorg removed its block', async () => {
    const asked = [await rig.request('reorged')]
    const { events } = start({ confirmations: 3, resendAfterMs: 200 })
    await waitFor(asked[0] as Transaction, 'mined')
    await rig.chain.request({ method: 'anvil_reorg', params: [1, []] } as never)
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('reorged')).toBe(1n)
    expect(events.map(({ type }) => type)).toContain('taken-back')
  })

  /** Sends a transaction, stops its sender, and has the account's owner use the nonce by hand. */
  async function sendAndLoseNonce(name: string): Promise<Transaction> {
    await rig.chain.setAutomine(false)
    const asked = await rig.request(name)
    const { sender } = start({ resendAfterMs: 60_000, bumpAfterMs: 60_000 })
    await waitFor(asked, 'sent')
    await sender.stop()
    await rig.dropAll()
    await rig.chain.impersonateAccount({ address: rig.account.address })
    await rig.chain.request({
      method: 'eth_sendTransaction',
      params: [{ from: rig.account.address, to: rig.account.address, nonce: '0x0' }],
    } as never)
    return asked
  }

  it('takes another nonce if a foreign transaction with the same key uses its own', async () => {
    const asked = await sendAndLoseNonce('robbed')
    await rig.chain.mine({ blocks: 1 })
    const { events } = start({ resendAfterMs: 1_000 })
    expect(statesOf(await allOver([asked]))).toEqual(['confirmed'])
    expect(events).toContainEqual({
      type: 'trouble',
      chainId: expect.any(Number),
      problem: 'NONCE_TAKEN',
      detail: expect.stringContaining('used nonce 0 of 0x'),
    })
    expect(await rig.received('robbed')).toBe(1n)
    expect(await rig.chain.getTransactionCount({ address: rig.account.address })).toBe(2)
  })

  it('takes another nonce a block later if it is urgent, like a deposit whose account its operator uses by hand', async () => {
    const asked = await sendAndLoseNonce('urgent')
    await rig.chain.mine({ blocks: 2 })
    start({ confirmations: 1_000_000, isUrgent: () => true, resendAfterMs: 1_000 })
    const isMined = async () => (await rig.read(asked.id)).state === 'mined'
    await rig.until(isMined, 'it is mined', true)
    expect(await rig.received('urgent')).toBe(1n)
  })

  it('above an unused nonce has that gap filled', async () => {
    await rig.chain.setAutomine(false)
    const asked = [await rig.request('gap 1'), await rig.request('gap 2')]
    const { sender } = start()
    await waitFor(asked[1] as Transaction, 'sent')
    await sender.stop()
    // As after restoring a backup: the first one's row is gone, and the node forgot both.
    await rig.client.query('delete from app.transaction where id = $1', [asked[0]?.id])
    await rig.dropAll()
    // The gap was filled before, and no more may be under way than there are.
    const address = rig.account.address.toLowerCase()
    await rig.client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, state, round)
       values ('fill', $1, $2, $3, $3, '0x', 'confirmed', 2147483647)`,
      [asked[1]?.chainId, `${address}:0`, address],
    )
    start({ resendAfterMs: 100, maxUnmined: 1 })
    expect(statesOf(await allOver(asked.slice(1)))).toEqual(['confirmed'])
    expect(await rig.received('gap 2')).toBe(1n)
  })

  it('is sent although rows that describe no call lie beside it', async () => {
    const address = rig.account.address.toLowerCase()
    await rig.client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, value, gas_limit, l1_fee, deadline)
       select 'false', $1, $2 || row.*::text, $2, to_address, data, value::numeric, gas_limit, fee::numeric, 0
       from (values ('nobody', '0x', '0', null, '0'), ($2, '0x', '-1', null, '0'), ($2, '0x', 'NaN', null, '0'),
         ($2, '0x', '0', -1, '0'), ($2, '0x', '0', null, 'NaN'), ($2, '0xzz', '0', null, '0'))
         as row (to_address, data, value, gas_limit, fee)`,
      [CHAIN_ID, address],
    )
    await rig.client.query(
      `with signed as (
         insert into app.transaction (kind, chain_id, effect, account, to_address, data, state, nonce)
         values ('false', $1, $2, $2, $2, '0x', 'signed', 0) returning id)
       insert into app.transaction_version (hash, transaction_id, nonce, raw, gas_limit, max_fee, max_priority_fee)
       select * from (values ('0x12'), ('0x13')) as false_hash (hash), signed,
         (values (0, '0xzz', 21000, 'NaN'::numeric, 1)) as rest`,
      [CHAIN_ID, address],
    )
    await rig.client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, state, nonce, tx_hash)
       values ('false', $1, 'last nonce', $2, $2, '0x', 'failed', 9223372036854775807, '0x12')`,
      [CHAIN_ID, address],
    )
    await rig.chain.setCode({ address: GAS_PRICE_ORACLE, bytecode: buildGasOracleCode(1n) })
    const asked = [await rig.request('beside false rows')]
    start()
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('beside false rows')).toBe(1n)
    // Those who want their effects request them again.
    const statesOfNoCalls = async () => {
      const { rows } = await rig.client.query(
        `select distinct state from app.transaction where kind = 'false'
         and (to_address = 'nobody' or value <> 0 or gas_limit < 0 or l1_fee = 'NaN')`,
      )
      return rows.map(({ state }) => state)
    }
    await expect.poll(statesOfNoCalls, { timeout: 10_000 }).toEqual(['failed'])
    await rig.chain.setCode({ address: GAS_PRICE_ORACLE, bytecode: '0x' })
  })

  it('keeps its signed bytes until it has been over for a month', async () => {
    const address = rig.account.address.toLowerCase()
    const days = [40, 40, 20]
    await rig.client.query(
      `with old as (
         insert into app.transaction (kind, chain_id, effect, account, to_address, data, state, nonce, changed_at)
         select 'old', 1, n, $1, $1, '0x', case n when 2 then 'sent' else 'confirmed' end, n, now() - ($2::integer[])[n] * interval '1 day'
         from generate_series(1, 3) n returning id, nonce, changed_at)
       insert into app.transaction_version (hash, transaction_id, nonce, raw, gas_limit, max_fee, max_priority_fee, signed_at)
       select '0xo1d' || nonce, id, nonce, '0x', 0, 0, 0, changed_at from old`,
      [address, days],
    )
    start({ pruneAfterMs: 0 })
    const kept = async () => {
      const { rows } = await rig.client.query(
        `select nonce::integer from app.transaction_version where hash like '0xo1d%' order by 1`,
      )
      return rows.map(({ nonce }) => nonce)
    }
    await rig.until(async () => (await kept()).length < 3, 'old bytes are deleted')
    expect(await kept()).toEqual([2, 3])
  })

  it('can be reopened after its end, by one of several callers', async () => {
    const asked = [await rig.request('again')]
    start()
    const [over] = (await allOver(asked)) as [Transaction]
    const { account, to, data, value } = over
    const call = { account, to, data, value }
    const opened = await Promise.all(
      [1, 2, 3].map(() => reopenTransaction(rig.database.db, over, call)),
    )
    expect(opened.filter(Boolean)).toHaveLength(1)
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('again')).toBe(2n)
  })

  it('waits while the signer or the nodes are unreachable', async () => {
    let isAway = true
    const sign = createLocalSigner(rig.account)
    const asked = [await rig.request('away')]
    const { sender } = start({
      sign: (transaction, row) =>
        isAway
          ? Promise.reject(Object.assign(new Error('away'), { code: 'ENCLAVE_UNREACHABLE' }))
          : sign(transaction, row),
    })
    const waits = async () =>
      (await rig.read((asked[0] as Transaction).id)).problem === 'ENCLAVE_UNREACHABLE'
    await rig.until(waits, 'it waits for the signer')
    isAway = false
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    await rig.until(async () => sender.report().problem === null, 'the trouble is over')
  })

  it('says that the database accepts no writes, and goes on by itself once it does', async () => {
    const admin = await rig.postgres.connect()
    const setReadOnly = async (value: 'on' | 'off') => {
      await admin.query(`alter system set default_transaction_read_only = ${value}`)
      await admin.query('select pg_reload_conf()')
    }
    const { sender, events } = start()
    await rig.until(async () => sender.report().isLeading, 'it leads')
    await rig.chain.setAutomine(false)
    const asked = [await rig.request('read-only')]
    await rig.until(async () => (await rig.read(asked[0]!.id)).state === 'sent', 'it is sent')
    await setReadOnly('on')
    await rig.chain.mine({ blocks: 1 })
    const isSaid = async () => sender.report().problem === 'DATABASE_UNREACHABLE'
    await rig.until(isSaid, 'it says so')
    const said = events.findLast(({ type }) => type === 'trouble')
    expect(said).toMatchObject({ detail: expect.stringContaining('read-only transaction') })
    await setReadOnly('off')
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('read-only')).toBe(1n)
  })

  it('blames no database that answers for a statement that it refuses', async () => {
    const admin = await rig.postgres.connect()
    const { sender } = start()
    await rig.until(async () => sender.report().isLeading, 'it leads')
    await admin.query(
      `alter table app.transaction add constraint changed check (state <> 'sent') not valid`,
    )
    const asked = [await rig.request('refused')]
    await rig.until(async () => sender.report().problem === 'INTERNAL_ERROR', 'it says so')
    await admin.query('alter table app.transaction drop constraint changed')
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
  })

  it('is sent once although the database may confirm commits before they are on disk, and crashes', async () => {
    const admin = await rig.postgres.connect()
    const set = async (change: string) => {
      await admin.query(`alter system ${change}`)
      await admin.query('select pg_reload_conf()')
    }
    await set('set synchronous_commit = off')
    await set(`set wal_writer_delay = '10s'`)
    const asked = [await rig.request('not on disk')]
    // Requested is what the crash must not take back: only what the sender writes is in question.
    await admin.query('checkpoint')
    await rig.chain.setAutomine(false)
    const first = start()
    await rig.until(async () => (await rig.read(asked[0]!.id)).state === 'sent', 'it is sent')
    await rig.postgres.crash()
    await rig.postgres.restart()
    await first.sender.stop()
    start()
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('not on disk')).toBe(1n)
    const again = await rig.postgres.connect()
    await again.query('alter system reset all')
    await again.query('select pg_reload_conf()')
  })

  it('survives a restart of the database', async () => {
    const { sender } = start()
    await rig.until(async () => sender.report().isLeading, 'it leads')
    await rig.postgres.restart()
    await rig.until(
      () =>
        rig.request('restarted').then(
          () => true,
          () => false,
        ),
      'asked for',
    )
    const asked = [await rig.request('restarted')]
    expect(statesOf(await allOver(asked))).toEqual(['confirmed'])
    expect(await rig.received('restarted')).toBe(1n)
  })
})
