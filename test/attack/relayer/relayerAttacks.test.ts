import { createHash } from 'node:crypto'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Failure } from '../../../api/http/baseApp.ts'
import { createRelayerWriteRoutes } from '../../../api/rest/relayerWriteRoutes.ts'
import { startApi } from '../../../api/rest/startApi.ts'
import { type DevnetAccount, deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { createIntentCall } from '../../../sdk/intent/createIntentCall.ts'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipientsMessage.ts'
import { registerSolverMessage } from '../../../sdk/messages/registerSolverMessage.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { connectEnclave } from '../../../services/enclave/socket/connectEnclave.ts'
import { bindDatabase, createBoundEnclave } from '../../../services/enclaveBinding/bindDatabase.ts'
import { decodeBridgeLog } from '../../../src/event/decodeBridgeLog.ts'
import type { Offer } from '../../integration/reactions/relayerRig.ts'
import {
  ADMIN_TOKEN,
  OLD_ADMIN_TOKEN,
  START_MS,
  unseal,
} from '../../integration/relayer/relayerApiRig.ts'
import {
  answersSeen,
  closeTestbed,
  describeOutcome,
  get,
  openTestbed,
  post,
  recordAnswer,
  rig,
  storeSigned,
  won,
} from './attackTestbed.ts'
import { describeDiversions } from './describeDiversions.ts'
import { describeMaliciousBundles } from './describeMaliciousBundles.ts'
import { describeReplays } from './describeReplays.ts'
import { describeRevealFloods } from './describeRevealFloods.ts'
import { describeRewrittenRows } from './describeRewrittenRows.ts'

beforeAll(openTestbed, START_MS)
afterAll(closeTestbed)

async function solverProof(account: DevnetAccount, id: bigint, timestamp: number) {
  const message = getRecipientsMessage(id, rig.base.chainId, timestamp)
  return {
    'x-solver-address': rig.solver.address,
    'x-solver-signature': await account.signMessage({ message }),
    'x-timestamp': String(timestamp),
  }
}

const seconds = () => Math.floor(Date.now() / 1_000)

describe('an attacker who wants to read recipients', () => {
  it('an attacker that names the winner in the header gets only sealed data', async () => {
    const spoofed = { 'x-solver-address': rig.solver.address }
    const { status, body, text } = await get(`/get-recipients/${won.id}`, spoofed)
    expect(status).toBe(200)
    for (const recipient of won.recipients) {
      expect(text.toLowerCase()).not.toContain(recipient.slice(2).toLowerCase())
    }
    expect(() => unseal(rig.stranger, body.encryptedData)).toThrow()
  })

  it('both modes refuse recipients to anyone but the winner', async () => {
    const own = { 'x-solver-address': rig.stranger.address }
    for (const api of [rig.strict, rig.compat]) {
      const answer = await api.get(`/get-recipients/${won.id}`, own)
      expect(describeOutcome(answer)).toEqual([403, 'NOT_THE_WINNER'])
    }
  })

  it('the relayer refuses recipients for a stranger’s signature, an old one, or one for another intent', async () => {
    const path = `/get-recipients/${won.id}`
    const [now, late] = [seconds(), seconds() - 301]
    const stranger = await get(path, await solverProof(rig.stranger, won.id, now))
    expect(describeOutcome(stranger)).toEqual([400, 'INVALID_SIGNATURE'])
    const stale = await get(path, await solverProof(rig.solver, won.id, late))
    expect(describeOutcome(stale)).toEqual([400, 'STALE_TIMESTAMP'])
    const other = await get(path, await solverProof(rig.solver, won.id + 1n, now))
    expect(describeOutcome(other)).toEqual([400, 'INVALID_SIGNATURE'])
    const proof = await solverProof(rig.solver, won.id, now)
    const moved = await get(path, { ...proof, 'x-timestamp': String(now + 1) })
    expect(describeOutcome(moved)).toEqual([400, 'INVALID_SIGNATURE'])
    const garbage = await get(path, { ...proof, 'x-solver-signature': '0x1234' })
    expect(describeOutcome(garbage)).toEqual([400, 'INVALID_SIGNATURE'])
  })
})

it('guessing the recipients in a creation’s blob reveals nothing after three wrong guesses', async () => {
  const offer = await rig.create()
  await rig.anchored(offer.id)
  const guess = { ...offer, recipients: offer.recipients.map(() => rig.stranger.address as Hex) }
  for (let wrong = 1; wrong <= 3; wrong++) {
    const answer = await rig.compat.post('/store-recipients', await rig.sealed(guess))
    expect(describeOutcome(answer)).toEqual([400, 'ALREADY_STORED'])
  }
  const right = await rig.compat.post('/store-recipients', await rig.sealed(offer))
  expect(describeOutcome(right)).toEqual([400, 'ALREADY_STORED'])
  expect((await rig.storeSigned(offer)).body.status).toBe('on_chain')
})

it('guessing stored recipients reveals nothing after three wrong guesses', async () => {
  const offer = await rig.create({ blob: false })
  const body = await rig.sealed(offer)
  const headers = await rig.signedBy(rig.sender, body)
  expect((await post('/store-recipients', body, headers)).status).toBe(200)
  const guess = { ...offer, recipients: offer.recipients.map(() => rig.stranger.address as Hex) }
  for (let wrong = 1; wrong <= 3; wrong++) {
    const answer = await post('/store-recipients', await rig.sealed(guess))
    expect(describeOutcome(answer)).toEqual([400, 'ALREADY_STORED'])
  }
  const right = await post('/store-recipients', await rig.sealed(offer))
  expect(describeOutcome(right)).toEqual([400, 'ALREADY_STORED'])
  const plain = {
    intentId: body.intentId,
    chainId: body.chainId,
    recipients: offer.recipients,
    amounts: offer.amounts.map(String),
  }
  expect(describeOutcome(await post('/store-recipients', plain))).toEqual([400, 'ALREADY_STORED'])
  expect((await post('/store-recipients', body)).status).toBe(200)
})

it('guessing reveals nothing after three wrong guesses even to someone who changes rows', async () => {
  const offer = await rig.create({ blob: false })
  const body = await rig.sealed(offer)
  const signed = await rig.signedBy(rig.sender, body)
  expect((await post('/store-recipients', body, signed)).status).toBe(200)
  const guess = { ...offer, recipients: offer.recipients.map(() => rig.stranger.address as Hex) }
  for (let wrong = 1; wrong <= 3; wrong++) await post('/store-recipients', await rig.sealed(guess))
  const right = await rig.sealed(offer)
  const asked = async () => describeOutcome(await post('/store-recipients', right))
  await rig.client.query('delete from app.comparison')
  expect(await asked()).toEqual([400, 'ALREADY_STORED'])
  // As if it were the stored one, sent again.
  const digest = createHash('sha256').update(right.encryptedData.slice(2), 'hex').digest()
  await rig.client.query('update app.bundle set ciphertext_digest = $2 where intent_id = $1', [
    ...[String(offer.id), digest],
  ])
  expect(await asked()).toEqual([400, 'ALREADY_STORED'])
  // The sender may still repeat its own.
  expect((await post('/store-recipients', body)).status).toBe(200)
})

describe('a copied ciphertext', () => {
  it('a copied ciphertext is useless on the attacker’s own intent', async () => {
    const victim = await rig.create({ blob: false })
    const own = await rig.create({ blob: false, by: 1 })
    const body = await rig.sealed(victim)
    const headers = await rig.signedBy(rig.sender, body)
    expect((await post('/store-recipients', body, headers)).status).toBe(200)
    const copied = { ...body, intentId: String(own.id) }
    const thief = deriveDevnetAccounts().senders[1] as DevnetAccount
    const takes = async (theirs: typeof body) =>
      describeOutcome(await post('/store-recipients', theirs, await rig.signedBy(thief, theirs)))
    expect(await takes(copied)).toEqual([400, 'CIPHERTEXT_REUSED'])
    const bound = await rig.sealed(victim, { intentId: String(victim.id) })
    const carried = { ...bound, intentId: String(own.id) }
    expect(await takes(carried)).toEqual([400, 'BUNDLE_OF_ANOTHER_INTENT'])
    expect(describeOutcome(await rig.compat.post('/store-recipients', copied))).toEqual([
      ...[400, 'CIPHERTEXT_REUSED'],
    ])
  })

  it('a sender’s blob reused on a second creation lets nobody else name its recipients', async () => {
    const first = await rig.create()
    await rig.anchored(first.id)
    const hash = (await rig.stored(first.id))?.source.createTxHash as Hex
    const { input: data } = await rig.base.client.getTransaction({ hash })
    await rig.base.senders[0]!.execute({ to: rig.base.contracts.bridge, data })
    const again = { ...first, id: first.id + 1n }
    await rig.until(async () => (await rig.stored(again.id)) !== null, 'indexed')
    const theirs = { ...again, recipients: again.recipients.map(() => rig.stranger.address as Hex) }
    expect(
      describeOutcome(await rig.compat.post('/store-recipients', await rig.sealed(theirs))),
    ).toEqual([...[400, 'ALREADY_STORED']])
    expect((await rig.storeSigned(again)).status).toBe(200)
  })

  it('when two intents race with one ciphertext, only one gets it', async () => {
    const offers = [await rig.create({ blob: false }), await rig.create({ blob: false })]
    // Until the index has the first, its creation may be one that a reorg moved to the second's id.
    await rig.until(
      async () => (await Promise.all(offers.map(({ id }) => rig.stored(id)))).every(Boolean),
      'both in the index',
    )
    const { encryptedData } = await rig.sealed(offers[0] as Offer)
    const answers = await Promise.all(
      offers.map(({ id }, at) =>
        (at ? rig.second : rig.compat).post('/store-recipients', {
          intentId: String(id),
          chainId: rig.base.chainId,
          encryptedData,
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it('a blob copied from another creation names no recipients', async () => {
    const { args } = await creationOf(await rig.create())
    const thief = rig.base.senders[1] as AccountSender
    const { USDC } = rig.base.contracts.tokens
    const params = {
      tokenA: USDC,
      tokenB: rig.base.contracts.tokens.ZEN,
      amountA: args.amountA,
      expectedAmountB: args.expectedAmountB,
      reward: args.reward,
      destChainId: args.destChainId,
      auctionDuration: 60n,
    }
    const receipt = await thief.execute({
      to: rig.base.contracts.bridge,
      data: createIntentCall(params, args.encryptedBlob),
    })
    const { intentId } = created(receipt.logs).args
    const recipients = [rig.stranger.address]
    const body = {
      intentId: String(intentId),
      chainId: rig.base.chainId,
      encryptedData: await rig.encrypted({ recipients, amounts: ['1'] }),
    }
    expect((await rig.compat.post('/store-recipients', body)).status).toBe(200)
    const { rows } = await rig.client.query(
      'select is_signed from app.bundle where intent_id = $1',
      [String(intentId)],
    )
    expect(rows).toEqual([{ is_signed: false }])
  })
})

describeDiversions()
describeReplays()

describeMaliciousBundles()

describe('the admin routes', () => {
  const path = () => `/delete-recipients/${won.id}`
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  it('the admin routes require the exact token', async () => {
    expect(describeOutcome(await get('/list-stored-intents'))).toEqual([401, 'UNAUTHORIZED'])
    expect(describeOutcome(recordAnswer(await rig.strict.delete(path())))).toEqual([
      401,
      'UNAUTHORIZED',
    ])
    const basic = { authorization: `Basic ${Buffer.from(`a:${ADMIN_TOKEN}`).toString('base64')}` }
    expect(describeOutcome(await get('/list-stored-intents', basic))).toEqual([401, 'UNAUTHORIZED'])
    const guesses = [
      ...[ADMIN_TOKEN.slice(0, -1), `${ADMIN_TOKEN}x`, ADMIN_TOKEN.toUpperCase()],
      ...[`${ADMIN_TOKEN},${OLD_ADMIN_TOKEN}`, 'x', 'undefined', ADMIN_TOKEN.slice(0, 1)],
    ]
    for (const guess of guesses) {
      expect(describeOutcome(await get('/list-stored-intents', bearer(guess)))).toEqual([
        403,
        'FORBIDDEN',
      ])
    }
    expect((await rig.strict.get('/list-stored-intents', bearer(OLD_ADMIN_TOKEN))).status).toBe(200)
    // Who may not come in doesn't even learn what a good request is.
    const nonsense = await get('/list-stored-intents?nonsense=1')
    expect(describeOutcome(nonsense)).toEqual([401, 'UNAUTHORIZED'])
  })

  it('the admin routes can’t delete what a winner must pay, because it is on chain', async () => {
    const offer = await rig.create({ blob: false })
    await storeSigned(offer)
    await rig.anchored(offer.id)
    const headers = { 'x-solver-address': rig.solver.address }
    const before = await get(`/get-recipients/${won.id}`, headers)
    for (const { id } of [offer, won]) {
      const gone = await rig.strict.delete(`/delete-recipients/${id}`, bearer(ADMIN_TOKEN))
      expect([200, 404]).toContain(gone.status)
    }
    const same = await rig.strict.post('/store-recipients', await rig.sealed(offer))
    expect([same.status, same.body.status]).toEqual([200, 'on_chain'])
    expect((await get(`/get-recipients/${won.id}`, headers)).body).toEqual(before.body)
  })

  it('the admin routes don’t exist without a configured token', async () => {
    const writes = createRelayerWriteRoutes({
      enclave: rig.enclave,
      authMode: 'strict',
      adminTokens: [],
    })
    const api = await startApi({
      databaseUrl: rig.postgres.databaseUrl,
      chains: rig.configs,
      host: '127.0.0.1',
      port: 0,
      routes: [writes],
    })
    try {
      const answer = await fetch(`${api.url}/list-stored-intents`, { headers: bearer('') })
      expect([answer.status, (await answer.json()).code]).toEqual([404, 'NOT_FOUND'])
    } finally {
      await api.stop()
    }
  })
})

it('an unreachable enclave is reported soon, and public reads continue', async () => {
  const enclave = connectEnclave('/tmp/cairn-no-enclave.sock', { timeoutMs: 200 })
  const writes = createRelayerWriteRoutes({ enclave, authMode: 'strict', adminTokens: [] })
  const api = await startApi({
    databaseUrl: rig.postgres.databaseUrl,
    chains: rig.configs,
    host: '127.0.0.1',
    port: 0,
    routes: [writes],
  })
  const open = await rig.create({ blob: false })
  const sealed = await rig.sealed(open)
  const body = JSON.stringify(sealed)
  const signature = await rig.signedBy(rig.sender, sealed)
  const headers = { 'content-type': 'application/json', ...signature }
  try {
    const answer = await fetch(`${api.url}/store-recipients`, { method: 'POST', body, headers })
    expect([answer.status, (await answer.json()).code]).toEqual([503, 'ENCLAVE_UNREACHABLE'])
    expect((await fetch(`${api.url}/ecies-pubkey`)).status).toBe(503)
    expect((await fetch(`${api.url}/intent-details/${won.id}`)).status).toBe(200)
  } finally {
    await api.stop()
    enclave.close()
  }
})

it('an enclave of another database can’t seal bundles into this one', async () => {
  const reported: string[] = []
  const other = await createEnclave({ roots: [new Uint8Array(32).fill(8)], chains: [] })
  const bind = () => bindDatabase(rig.postgres.databaseUrl, other)
  const enclave = createBoundEnclave(other, bind, ({ message }) => reported.push(message))
  const writes = createRelayerWriteRoutes({ enclave, authMode: 'compat', adminTokens: [] })
  const api = await startApi({
    databaseUrl: rig.postgres.databaseUrl,
    chains: rig.configs,
    host: '127.0.0.1',
    port: 0,
    routes: [writes],
  })
  const { id, recipients, amounts } = await rig.create({ blob: false })
  const plain = { intentId: String(id), chainId: rig.base.chainId, recipients }
  const body = JSON.stringify({ ...plain, amounts: amounts.map(String) })
  const headers = { 'content-type': 'application/json' }
  try {
    const answer = await fetch(`${api.url}/store-recipients`, { method: 'POST', body, headers })
    expect([answer.status, (await answer.json()).code]).toEqual([503, 'ENCLAVE_UNREACHABLE'])
    expect((await fetch(`${api.url}/ecies-pubkey`)).status).toBe(503)
    expect((await fetch(`${api.url}/intent-details/${won.id}`)).status).toBe(200)
  } finally {
    await api.stop()
  }
  expect(reported[0]).toContain('Restore the root file from its backup')
  const { rows } = await rig.client.query('select from app.bundle where intent_id = $1', [
    String(id),
  ])
  expect(rows).toEqual([])
})

it('nobody can register another solver or overstate its balances', async () => {
  const { USDC, ZEN } = rig.base.contracts.tokens
  const routes = [
    { sourceChain: 'base_sepolia', destChain: 'horizen_testnet', tokenA: USDC, tokenB: ZEN },
  ]
  const body = { solverAddress: rig.solver.address, routes }
  expect(describeOutcome(await post('/register-solver', body))).toEqual([400, 'SIGNATURE_REQUIRED'])
  const now = seconds()
  const message = registerSolverMessage(rig.solver.address, routes, now)
  const headers = {
    'x-solver-signature': await rig.stranger.signMessage({ message }),
    'x-timestamp': String(now),
  }
  expect(describeOutcome(await post('/register-solver', body, headers))).toEqual([
    400,
    'INVALID_SIGNATURE',
  ])
  const rich = { ...body, balances: [{ chain: 'base_sepolia', token: USDC, balance: '1' }] }
  expect(describeOutcome(await rig.compat.post('/register-solver', rich))).toEqual([
    400,
    'INVALID_REQUEST',
  ])
  const poor = { ...body, solverAddress: `0x${'77'.repeat(20)}` }
  const answer = await rig.compat.post('/register-solver', poor)
  expect(answer.body.balances.map(({ balance }: { balance: string }) => balance)).toEqual([
    '0',
    '0',
  ])
})

it('in compat mode nobody changes a signed registration without a signature or with an older one', async () => {
  const { USDC, ZEN } = rig.base.contracts.tokens
  const there = { sourceChain: 'base_sepolia', destChain: 'horizen_testnet' }
  const routes = [{ ...there, tokenA: USDC, tokenB: ZEN }]
  const others = [{ ...there, tokenA: ZEN, tokenB: USDC }]
  const register = async (served: typeof routes, signedAt: number | null) => {
    const solverAddress = rig.stranger.address
    const headers: Record<string, string> = {}
    if (signedAt !== null) {
      const message = registerSolverMessage(solverAddress, served, signedAt)
      headers['x-solver-signature'] = await rig.stranger.signMessage({ message })
      headers['x-timestamp'] = String(signedAt)
    }
    const body = { solverAddress, routes: served }
    return describeOutcome(await rig.compat.post('/register-solver', body, headers))
  }
  const stored = async () => {
    const { rows } = await rig.client.query(
      `select routes -> 0 ->> 'tokenA' as token from app.solver_registration where solver = $1`,
      [rig.stranger.address.toLowerCase()],
    )
    return rows[0]?.token
  }
  const now = seconds()
  expect((await register(others, null))[0]).toBe(200)
  expect((await register(routes, now))[0]).toBe(200)
  expect(await register(others, null)).toEqual([400, 'SIGNATURE_REQUIRED'])
  expect(await register(others, now - 1)).toEqual([400, 'STALE_TIMESTAMP'])
  expect(await stored()).toBe(USDC.toLowerCase())
  expect((await register(others, now + 1))[0]).toBe(200)
  expect(await stored()).toBe(ZEN.toLowerCase())
  await rig.client.query(
    `update app.solver_registration set last_seen = now() - interval '11 minutes' where solver = $1`,
    [rig.stranger.address.toLowerCase()],
  )
  expect((await register(routes, null))[0]).toBe(200)
  await rig.client.query('delete from app.solver_registration where solver = $1', [
    rig.stranger.address.toLowerCase(),
  ])
})

it('nobody registers a solver without its signature for a route that begins or ends on a strict chain', async () => {
  const { USDC, ZEN } = rig.base.contracts.tokens
  const api = await startApi({
    databaseUrl: rig.postgres.databaseUrl,
    host: '127.0.0.1',
    port: 0,
    chains: rig.configs.map((chain) => ({
      ...chain,
      mode: chain.name === 'horizen_testnet' ? 'strict' : 'compat',
    })),
    routes: [
      createRelayerWriteRoutes({ enclave: rig.enclave, authMode: 'compat', adminTokens: [] }),
    ],
  })
  const register = async (sourceChain: string, destChain: string) => {
    const routes = [{ sourceChain, destChain, tokenA: USDC, tokenB: ZEN }]
    const response = await fetch(`${api.url}/register-solver`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ solverAddress: `0x${'78'.repeat(20)}`, routes }),
    })
    const { code } = (await response.json()) as { code?: string }
    return [response.status, code]
  }
  try {
    for (const [source, destination] of [
      ['base_sepolia', 'horizen_testnet'],
      ['horizen_testnet', 'base_sepolia'],
    ] as const)
      expect(await register(source, destination)).toEqual([400, 'SIGNATURE_REQUIRED'])
    expect(await register('base_sepolia', 'base_sepolia')).toEqual([200, undefined])
  } finally {
    await api.stop()
  }
})

it('the list of routes can’t be made costly: duplicates are refused, and concurrent requests share a read', async () => {
  const { USDC, ZEN } = rig.base.contracts.tokens
  const route = { destChain: 'horizen_testnet', tokenA: USDC, tokenB: ZEN }
  const named = ['base_sepolia', 'base_testnet'].map((sourceChain) => ({ ...route, sourceChain }))
  const body = { solverAddress: rig.solver.address, routes: named }
  const refused = await rig.compat.post('/register-solver', body)
  expect(describeOutcome(refused)).toEqual([400, 'INVALID_REQUEST'])
  expect(refused.body.details).toEqual([{ path: 'routes.1', message: 'is the same as routes.0' }])
  const closed = { ...named[0]!, tokenB: rig.stranger.address }
  const open = { ...body, routes: [named[0], closed] }
  expect((await rig.compat.post('/register-solver', open)).status).toBe(200)
  await rig.client.query(`insert into app.solver_registration (solver, routes, balances)
    select '0x' || lpad(to_hex(number), 40, '0'), routes, '[]'
    from app.solver_registration, generate_series(1, 199) as number
    where solver = '${rig.solver.address.toLowerCase()}'`)
  // Time for the reading before to grow old.
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const answers = await Promise.all(Array.from({ length: 20 }, () => rig.compat.get('/get-routes')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(answers[0]!.body.solvers).toHaveLength(50)
  const { ZEN: listed } = rig.horizen.contracts.tokens
  expect(answers[0]!.body.routes.map(({ tokenB }: { tokenB: string }) => tokenB)).toEqual([listed])
  await rig.client.query(`delete from app.solver_registration where balances = '[]'`)
})

it('solvers with dust on many addresses don’t push others off the list of routes', async () => {
  const { USDC, ZEN } = rig.base.contracts.tokens
  const routes = [
    { sourceChain: 'base_sepolia', destChain: 'horizen_testnet', tokenA: USDC, tokenB: ZEN },
  ]
  const honest = { solverAddress: rig.solver.address, routes }
  expect((await rig.compat.post('/register-solver', honest)).status).toBe(200)
  // Each registers later, with one base unit of every token, which could move from one account to the next.
  await rig.client.query(`insert into app.solver_registration (solver, routes, balances, last_seen)
    select '0x' || lpad(to_hex(number), 40, '0'), routes, (
        select jsonb_agg(one || '{"balance": "1"}') from jsonb_array_elements(balances) as one),
      now() + interval '1 second'
    from app.solver_registration, generate_series(1001, 1300) as number
    where solver = '${rig.solver.address.toLowerCase()}'`)
  const listed = async (): Promise<string[]> => {
    const { solvers } = (await rig.compat.get('/get-routes')).body
    return solvers.map(({ address }: { address: string }) => address)
  }
  // The list may be a second old, from when the test before had crowded it.
  const isCrowded = async () => (await listed()).some((one) => /^0x0+[345]\w\w$/.test(one))
  await expect.poll(isCrowded, { timeout: 30_000 }).toBe(true)
  const [first, ...others] = await listed()
  expect([first, others.length]).toEqual([rig.solver.address, 49])
  await rig.client.query(`delete from app.solver_registration where solver like '0x000000%'`)
})

describeRevealFloods()
describeRewrittenRows()

it('no refusal revealed a recipient, and none was an internal error', () => {
  const secrets = won.recipients.map((recipient) => recipient.slice(2).toLowerCase())
  for (const { text, status } of answersSeen) {
    expect(status).toBeLessThan(500)
    for (const secret of secrets) expect(text.toLowerCase()).not.toContain(secret)
  }
  // A busy machine's PostgreSQL may take longer to accept a connection than an API waits for it.
  const isFault = ({ error }: Failure) => error.code !== 'DATABASE_UNREACHABLE'
  for (const { failures } of [rig.strict, rig.second, rig.compat])
    expect(failures.filter(isFault)).toEqual([])
})

async function creationOf({ id }: Offer) {
  const logs = await rig.base.client.getLogs({
    address: rig.base.contracts.bridge,
    fromBlock: 0n,
  })
  return created(logs, id)
}

function created(logs: readonly unknown[], id?: bigint) {
  for (const log of logs) {
    const event = decodeBridgeLog(log as never, {} as never)
    if (event?.type !== 'IntentCreated') continue
    if (id === undefined || event.args.intentId === id) return event
  }
  throw new Error('no such creation')
}
