import { afterAll, beforeAll, expect, test } from 'vitest'
import { endFormerTransactions } from '../../../services/chain/transactions/endFormerTransactions.ts'
import { findTransaction } from '../../../services/chain/transactions/findTransaction.ts'
import { type Sender, startSender } from '../../../services/chain/transactions/startSender.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { createEnclaveTransactionSigner } from '../../../services/relayer/recipients/sponsored/enclaveTransactionSigner.ts'
import { until } from '../../rig/until.ts'
import {
  AT_ONCE,
  OUTSIDE,
  type Reply,
  type SponsorRig,
  startSponsorRig,
  transferOf,
} from './sponsorRig.ts'

const CHAIN = 2651420

let rig: SponsorRig
let client: Awaited<ReturnType<SponsorRig['postgres']['connect']>>
let sender: Sender
/** Whether the sender takes what it is asked for to have had its day. */
let isLate: boolean

beforeAll(async () => {
  rig = await startSponsorRig()
  client = await rig.postgres.connect()
})
afterAll(async () => {
  await sender?.stop()
  await rig?.stop()
})

test('a cancellation’s hash is never returned as that of a deployment or a relay', async () => {
  const { chain, db } = rig
  const wallet = await rig.register('a recipient')
  const deployed = await rig.paid(wallet)
  const made = await rig.delivered(wallet)
  const requestBriefly = await rig.openApi({ ...AT_ONCE, timeoutMs: 200 })
  await rig.stopSender()
  sender = startPatientSender()
  const relayBody = await rig.relayBody(deployed, transferOf(rig, 7n))
  const message = `DEPLOY_SAFE:${made.stealthAddress}:${CHAIN}`
  const deployBody = {
    stealthAddress: made.stealthAddress,
    chainId: String(CHAIN),
    signature: await made.owner.signMessage({ message }),
  }
  for (const [endpoint, body] of [
    ['relay-proxy', relayBody],
    ['deploy-safe', deployBody],
  ] as const) {
    isLate = false
    await chain.client.setAutomine(false)
    expect(await requestBriefly(endpoint, body)).toMatchObject(PENDING)
    const { id } = await newest()
    await until(async () => (await look(id)).state === 'sent')
    isLate = true
    await until(() => isCancelled(id))
    await until(async () => {
      await chain.client.mine({ blocks: 1 })
      return (await look(id)).state === 'mined'
    })
    expect(await requestBriefly(endpoint, body), endpoint).toMatchObject(PENDING)
    await chain.client.mine({ blocks: 20 })
    await until(async () => (await look(id)).state === 'superseded')
    // Asked for anew, and done this time.
    isLate = false
    await chain.client.setAutomine(true)
    const done: Reply = await rig.post(endpoint, body)
    expect(done).toMatchObject({ status: 200, body: { success: true } })
    expect(done.body.txHash).toBe((await look(id)).txHash)
  }
  expect(await rig.balance(deployed.safeAddress)).toBe(93n)

  async function look(id: number): Promise<Transaction> {
    return (await findTransaction(db, id)) as Transaction
  }
})

test('a Safe whose transaction an earlier gas account left pending is free again', async () => {
  const made = await rig.delivered(await rig.register('of an earlier root'))
  await sender?.stop()
  await rig.stopSender()
  const requestBriefly = await rig.openApi({ ...AT_ONCE, timeoutMs: 200 })
  const message = `DEPLOY_SAFE:${made.stealthAddress}:${CHAIN}`
  const signature = await made.owner.signMessage({ message })
  const { stealthAddress } = made
  const body = { stealthAddress, chainId: String(CHAIN), signature }
  expect(await requestBriefly('deploy-safe', body)).toMatchObject(PENDING)
  const { id } = await newest()
  await client.query('update app.transaction set account = $2 where id = $1', [id, OUTSIDE])
  rig.startSender()
  expect(await requestBriefly('deploy-safe', body)).toMatchObject(PENDING)
  await endFormerTransactions(rig.db, rig.relayer, ['deploySafe'])
  expect(await rig.deploy(made)).toMatchObject({ status: 200, body: { success: true } })
})

test('what an earlier gas account has confirmed is done again if a reorg removes it', async () => {
  const wallet = await rig.register('of a shallow block')
  const [made, deployed] = [await rig.delivered(wallet), await rig.paid(wallet)]
  const relayBody = await rig.relayBody(deployed, transferOf(rig, 9n))
  const requests = {
    'deploy-safe': () => rig.deploy(made),
    'relay-proxy': () => rig.post('relay-proxy', relayBody),
  }
  for (const [endpoint, request] of Object.entries(requests)) {
    const balance = await rig.balance(OUTSIDE)
    const snapshot = await rig.chain.client.snapshot()
    const first = await request()
    expect(first, endpoint).toMatchObject({ status: 200 })
    const { id } = await newest()
    await rig.stopSender()
    await client.query('update app.transaction set account = $2 where id = $1', [id, OUTSIDE])
    await endFormerTransactions(rig.db, rig.relayer, ['deploySafe', 'relaySafe'])
    const again = await request()
    expect(again.body, endpoint).toEqual(first.body)

    await rig.chain.client.revert({ id: snapshot })
    rig.startSender()
    expect(await request(), endpoint).toMatchObject({ status: 200 })
    expect(await newest(), endpoint).toEqual({ id })
    if (endpoint === 'relay-proxy') expect(await rig.balance(OUTSIDE)).toBe(balance + 9n)
  }
  expect(await rig.chain.client.getCode({ address: made.safeAddress })).toBeDefined()
})

test('a request whose transaction ends with an earlier gas account isn’t told that nothing was sent', async () => {
  const made = await rig.delivered(await rig.register('who asks in between'))
  // As if it ended while the request waits.
  await client.query(
    `create function app.end_former() returns trigger language plpgsql as $$ begin
       new.state := 'failed'; new.problem := 'FORMER_ACCOUNT'; return new; end $$;
     create trigger end_former before insert on app.transaction
       for each row execute function app.end_former()`,
  )
  expect(await rig.deploy(made)).toMatchObject(PENDING)
  await client.query('drop function app.end_former cascade')
  expect(await rig.deploy(made)).toMatchObject({ status: 200, body: { success: true } })
})

const PENDING = { status: 503, body: { code: 'TRANSACTION_PENDING' } }

/** One to which nothing counts as done before 20 blocks. */
function startPatientSender(): Sender {
  const { postgres, chain, relayer: account, db, enclave } = rig
  return startSender({
    databaseUrl: postgres.databaseUrl,
    account,
    pollMs: 50,
    chain: { ...chain.config, confirmations: 20 },
    sign: createEnclaveTransactionSigner(db, enclave),
    isStale: async () => isLate,
  })
}

async function newest(): Promise<{ id: number }> {
  const { rows } = await client.query('select max(id)::int as id from app.transaction')
  return rows[0]
}

async function isCancelled(id: number): Promise<boolean> {
  const { rows } = await client.query(
    `select from app.transaction_version
     where transaction_id = $1 and is_cancel and sent_at is not null`,
    [id],
  )
  return rows.length > 0
}
