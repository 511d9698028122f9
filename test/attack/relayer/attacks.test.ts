import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../../../api/http/server.ts'
import { relayerWrites } from '../../../api/relayer/relayerWrites.ts'
import { createIntentCall } from '../../../sdk/intent/createIntentCall.ts'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipients.ts'
import { registerSolverMessage } from '../../../sdk/messages/registerSolver.ts'
import { screenRecipients } from '../../../services/bundles/screenRecipients.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { type DevnetAccount, devnetAccounts } from '../../../services/devnet/accounts.ts'
import { worth } from '../../../services/devnet/tokens.ts'
import { bindDatabase } from '../../../services/enclave/bindDatabase.ts'
import { boundEnclave } from '../../../services/enclave/boundEnclave.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { connectEnclave } from '../../../services/enclave/socket/connectEnclave.ts'
import type { Reactions } from '../../../services/reactions/startReactions.ts'
import { decodeLog } from '../../../src/event/decodeLog.ts'
import { startFaultyRpc } from '../../integration/prefill/faultyRpc.ts'
import type { Offer } from '../../integration/reactions/relayerRig.ts'
import {
  ADMIN_TOKEN,
  type Answer,
  OLD_ADMIN_TOKEN,
  START_MS,
  startWritesRig,
  unseal,
  type WritesRig,
} from '../../integration/relayer/writesRig.ts'

let rig: WritesRig
let reactions: Reactions
/** An intent with a winner, its recipients known to nobody else. */
let won: Offer
const said: Answer[] = []

beforeAll(async () => {
  rig = await startWritesRig()
  reactions = await rig.startReactions()
  won = await rig.create({ blob: false })
  await storeSigned(won)
  await rig.anchored(won.id)
  await rig.won(won.id)
}, START_MS)
afterAll(async () => {
  await reactions?.stop()
  await rig?.stop()
})

async function post(path: string, body: unknown, headers?: Record<string, string>) {
  return noted(await rig.strict.post(path, body, headers))
}

/** As the sender itself stores them, in strict mode. */
async function storeSigned(offer: Offer) {
  return noted(await rig.storeSigned(offer))
}

async function get(path: string, headers?: Record<string, string>) {
  return noted(await rig.strict.get(path, headers))
}

function noted(answer: Answer): Answer {
  said.push(answer)
  return answer
}

function outcome({ status, body }: Answer) {
  return [status, body.code ?? body.message]
}

async function solverProof(account: DevnetAccount, id: bigint, timestamp: number) {
  const message = getRecipientsMessage(id, rig.base.chainId, timestamp)
  return {
    'x-solver-address': rig.solver.address,
    'x-solver-signature': await account.signMessage({ message }),
    'x-timestamp': String(timestamp),
  }
}

const seconds = () => Math.floor(Date.now() / 1_000)

describe('somebody who wants to read recipients', () => {
  it('and names the winner in the header gets what only the winner can open', async () => {
    const spoofed = { 'x-solver-address': rig.solver.address }
    const { status, body, text } = await get(`/get-recipients/${won.id}`, spoofed)
    expect(status).toBe(200)
    for (const recipient of won.recipients) {
      expect(text.toLowerCase()).not.toContain(recipient.slice(2).toLowerCase())
    }
    expect(() => unseal(rig.stranger, body.encryptedData)).toThrow()
  })

  it('and is not the winner is refused, in both modes', async () => {
    const own = { 'x-solver-address': rig.stranger.address }
    for (const api of [rig.strict, rig.compat]) {
      const answer = await api.get(`/get-recipients/${won.id}`, own)
      expect(outcome(answer)).toEqual([403, 'NOT_THE_WINNER'])
    }
  })

  it('and signs himself, late, or reuses a signature for another intent is refused', async () => {
    const path = `/get-recipients/${won.id}`
    const [now, late] = [seconds(), seconds() - 301]
    const stranger = await get(path, await solverProof(rig.stranger, won.id, now))
    expect(outcome(stranger)).toEqual([400, 'INVALID_SIGNATURE'])
    const stale = await get(path, await solverProof(rig.solver, won.id, late))
    expect(outcome(stale)).toEqual([400, 'STALE_TIMESTAMP'])
    const other = await get(path, await solverProof(rig.solver, won.id + 1n, now))
    expect(outcome(other)).toEqual([400, 'INVALID_SIGNATURE'])
    const proof = await solverProof(rig.solver, won.id, now)
    const moved = await get(path, { ...proof, 'x-timestamp': String(now + 1) })
    expect(outcome(moved)).toEqual([400, 'INVALID_SIGNATURE'])
    const garbage = await get(path, { ...proof, 'x-solver-signature': '0x1234' })
    expect(outcome(garbage)).toEqual([400, 'INVALID_SIGNATURE'])
  })
})

it('somebody who guesses at recipients learns nothing once he has guessed wrong thrice', async () => {
  const offer = await rig.create({ blob: false })
  const body = await rig.sealed(offer)
  const headers = await rig.signedBy(rig.sender, body)
  expect((await post('/store-recipients', body, headers)).status).toBe(200)
  const guess = { ...offer, recipients: offer.recipients.map(() => rig.stranger.address as Hex) }
  for (let wrong = 1; wrong <= 3; wrong++) {
    const answer = await post('/store-recipients', await rig.sealed(guess))
    expect(outcome(answer)).toEqual([400, 'ALREADY_STORED'])
  }
  const right = await post('/store-recipients', await rig.sealed(offer))
  expect(outcome(right)).toEqual([400, 'ALREADY_STORED'])
  const plain = {
    ...{ intentId: body.intentId, chainId: body.chainId, recipients: offer.recipients },
    amounts: offer.amounts.map(String),
  }
  expect(outcome(await post('/store-recipients', plain))).toEqual([400, 'ALREADY_STORED'])
  expect((await post('/store-recipients', body)).status).toBe(200)
})

describe('somebody else’s ciphertext', () => {
  it('is worth nothing on an intent of one’s own', async () => {
    const victim = await rig.create({ blob: false })
    const own = await rig.create({ blob: false, by: 1 })
    const body = await rig.sealed(victim)
    const headers = await rig.signedBy(rig.sender, body)
    expect((await post('/store-recipients', body, headers)).status).toBe(200)
    const copied = { ...body, intentId: String(own.id) }
    const thief = devnetAccounts().senders[1] as DevnetAccount
    const takes = async (theirs: typeof body) =>
      outcome(await post('/store-recipients', theirs, await rig.signedBy(thief, theirs)))
    expect(await takes(copied)).toEqual([400, 'CIPHERTEXT_REUSED'])
    const bound = await rig.sealed(victim, { intentId: String(victim.id) })
    const carried = { ...bound, intentId: String(own.id) }
    expect(await takes(carried)).toEqual([400, 'BUNDLE_OF_ANOTHER_INTENT'])
    expect(outcome(await rig.compat.post('/store-recipients', copied))).toEqual([
      ...[400, 'CIPHERTEXT_REUSED'],
    ])
  })

  it('two intents racing with one ciphertext: one of them has it', async () => {
    const offers = [await rig.create({ blob: false }), await rig.create({ blob: false })]
    const { encryptedData } = await rig.sealed(offers[0] as Offer)
    const answers = await Promise.all(
      offers.map(({ id }, at) =>
        (at ? rig.second : rig.compat).post('/store-recipients', {
          ...{ intentId: String(id), chainId: rig.base.chainId, encryptedData },
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it('a blob copied from another creation names nobody for this one', async () => {
    const { args } = await creationOf(await rig.create())
    const thief = rig.base.senders[1] as AccountSender
    const { USDC } = rig.base.contracts.tokens
    const params = {
      ...{ tokenA: USDC, tokenB: rig.base.contracts.tokens.ZEN, amountA: args.amountA },
      ...{ expectedAmountB: args.expectedAmountB, reward: args.reward },
      ...{ destChainId: args.destChainId, auctionDuration: 60n },
    }
    const receipt = await thief.execute({
      to: rig.base.contracts.bridge,
      data: createIntentCall(params, args.encryptedBlob),
    })
    const { intentId } = created(receipt.logs).args
    const recipients = [rig.stranger.address]
    const body = {
      ...{ intentId: String(intentId), chainId: rig.base.chainId },
      encryptedData: await rig.encrypted({ recipients, amounts: ['1'] }),
    }
    expect((await rig.compat.post('/store-recipients', body)).status).toBe(200)
    const { rows } = await rig.client.query('select origin from app.bundle where intent_id = $1', [
      String(intentId),
    ])
    expect(rows).toEqual([{ origin: 'encrypted' }])
  })
})

describe('somebody who wants the money sent elsewhere', () => {
  it('comes before the reactions, but not before the creation’s own blob', async () => {
    await reactions.stop()
    const offer = await rig.create()
    const theirs = { ...offer, recipients: offer.recipients.map(() => rig.stranger.address as Hex) }
    const answer = await post('/store-recipients', await rig.sealed(theirs))
    expect(outcome(answer)).toEqual([400, 'ALREADY_STORED'])
    const same = await rig.sealed(offer)
    expect((await post('/store-recipients', same)).status).toBe(200)
    reactions = await rig.startReactions()
  })

  it('can’t overwrite a bundle: unsigned, signed by himself, or by a request sent again', async () => {
    const offer = await rig.create({ blob: false })
    const swapped = { ...offer, recipients: [...offer.recipients].reverse() }
    const theirs = { ...offer, recipients: offer.recipients.map(() => rig.stranger.address as Hex) }
    const sign = rig.signedBy
    const first = await rig.sealed(offer)
    const begun = await sign(rig.sender, first)
    expect((await post('/store-recipients', first, begun)).status).toBe(200)
    const body = await rig.sealed(theirs)
    expect(outcome(await post('/store-recipients', body))).toEqual([400, 'ALREADY_STORED'])
    const own = await sign(rig.stranger, body)
    expect(outcome(await post('/store-recipients', body, own))).toEqual([400, 'INVALID_SIGNATURE'])
    const second = await rig.sealed(swapped)
    const signed = await sign(rig.sender, second)
    expect((await post('/store-recipients', second, signed)).status).toBe(200)
    // The sender's signature over the first, from a log or a memory: the sender has moved on.
    expect(outcome(await post('/store-recipients', first, begun))).toEqual([
      ...[400, 'CIPHERTEXT_REUSED'],
    ])
    expect(outcome(await post('/store-recipients', body, signed))).toEqual([
      ...[400, 'INVALID_SIGNATURE'],
    ])
  })

  it('can’t bring back what the sender replaced, though an operator has deleted the rest', async () => {
    await reactions.stop()
    const offer = await rig.create({ blob: false })
    const first = await rig.sealed(offer)
    const begun = await rig.signedBy(rig.sender, first)
    expect((await post('/store-recipients', first, begun)).status).toBe(200)
    const second = await rig.sealed({ ...offer, recipients: [...offer.recipients].reverse() })
    const signed = await rig.signedBy(rig.sender, second)
    expect((await post('/store-recipients', second, signed)).status).toBe(200)
    const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const gone = await rig.strict.delete(`/delete-recipients/${offer.id}`, admin)
    expect(gone.status).toBe(200)
    expect(outcome(await post('/store-recipients', first, begun))).toEqual([
      ...[400, 'CIPHERTEXT_REUSED'],
    ])
    expect((await post('/store-recipients', second, signed)).status).toBe(200)
    reactions = await rig.startReactions()
  })

  it('has one of two providers say that the sender is a contract, and accepts his signature', async () => {
    const provider = await startFaultyRpc(rig.base.node.rpc)
    provider.inject(({ method, params }) => {
      if (method === 'eth_getCode') return { result: '0xfe' }
      // The validator of signatures runs in a call to nobody.
      const isValidator = method === 'eth_call' && !(params[0] as { to?: Hex }).to
      return isValidator ? { result: '0x01' } : undefined
    })
    const chains = rig.configs.map((chain) =>
      chain.chainId === rig.base.chainId
        ? { ...chain, rpcUrls: [provider.url, ...chain.rpcUrls] }
        : chain,
    )
    const surface = relayerWrites({ enclave: rig.enclave, authMode: 'strict', adminTokens: [] })
    const api = await startApi({
      ...{ databaseUrl: rig.postgres.databaseUrl, chains, surfaces: [surface] },
      ...{ host: '127.0.0.1', port: 0 },
    })
    const offer = await rig.create({ blob: false })
    const theirs = { ...offer, recipients: offer.recipients.map(() => rig.stranger.address as Hex) }
    const body = await rig.sealed(theirs)
    const response = await fetch(`${api.url}/store-recipients`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(await rig.signedBy(rig.stranger, body)),
      },
      body: JSON.stringify(body),
    })
    const { code } = (await response.json()) as { code?: string }
    expect([response.status, code]).toEqual([400, 'INVALID_SIGNATURE'])
    await api.stop()
    await provider.close()
  })

  it('and isn’t the sender can’t be the first to name anybody', async () => {
    const offer = await rig.create({ blob: false })
    const theirs = { ...offer, recipients: offer.recipients.map(() => rig.stranger.address as Hex) }
    const body = await rig.sealed(theirs)
    const required = [400, 'SIGNATURE_REQUIRED']
    expect(outcome(await post('/store-recipients', body))).toEqual(required)
    const { id, recipients, amounts } = theirs
    const plain = { intentId: String(id), chainId: body.chainId, recipients }
    const inClear = { ...plain, amounts: amounts.map(String) }
    expect(outcome(await post('/store-recipients', inClear))).toEqual(required)
    const own = await rig.signedBy(rig.stranger, body)
    expect(outcome(await post('/store-recipients', body, own))).toEqual([400, 'INVALID_SIGNATURE'])
    const real = await rig.sealed(offer)
    const signed = await rig.signedBy(rig.sender, real)
    // The sender's word for one bundle is none for another.
    expect(outcome(await post('/store-recipients', body, signed))).toEqual([
      ...[400, 'INVALID_SIGNATURE'],
    ])
    expect((await post('/store-recipients', real, signed)).status).toBe(200)
    expect((await post('/store-recipients', real)).status).toBe(200)
  })

  it('not even the sender replaces them once there is a winner', async () => {
    const body = await rig.sealed({ ...won, recipients: [...won.recipients].reverse() })
    const headers = await rig.signedBy(rig.sender, body)
    const answer = await post('/store-recipients', body, headers)
    expect(outcome(answer)).toEqual([400, 'ALREADY_STORED'])
  })

  it('can’t make recipients up for an intent whose row was lost: the chain has them', async () => {
    await rig.client.query('delete from app.bundle where intent_id = $1', [String(won.id)])
    const theirs = { ...won, recipients: won.recipients.map(() => rig.stranger.address as Hex) }
    const body = await rig.sealed(theirs)
    expect(outcome(await rig.compat.post('/store-recipients', body))).toEqual([
      ...[400, 'ALREADY_STORED'],
    ])
    const signed = await rig.signedBy(rig.sender, body)
    expect(outcome(await post('/store-recipients', body, signed))).toEqual([400, 'ALREADY_STORED'])
  })
})

describe('bundles that would cost somebody money', () => {
  let open: Offer
  beforeAll(async () => {
    open = await rig.create({ blob: false })
  })
  const bad =
    (change: (bundle: { recipients: string[]; amounts: string[] }) => object) => async () => {
      const { id, recipients, amounts } = open
      const plain = { recipients: [...recipients] as string[], amounts: amounts.map(String) }
      const body = { intentId: String(id), chainId: rig.base.chainId }
      const bundle = change(plain)
      const sealed = { ...body, encryptedData: await rig.encrypted(bundle) }
      const answers = [
        await post('/store-recipients', sealed, await rig.signedBy(rig.sender, sealed)),
        noted(await rig.compat.post('/store-recipients', { ...body, ...bundle })),
      ]
      for (const { status, body: told } of answers) {
        expect([status, told.success]).toEqual([400, false])
        expect(told.code).toMatch(/^(BUNDLE_INVALID|INVALID_RECIPIENT|INVALID_REQUEST)$/)
      }
    }
  const first = (recipient: () => string) =>
    bad(({ recipients: [, ...others], amounts }) => ({
      ...{ recipients: [recipient(), ...others], amounts },
    }))

  it(
    'pay nobody',
    first(() => `0x${'0'.repeat(40)}`),
  )
  it(
    'pay the token',
    first(() => rig.base.contracts.tokens.ZEN),
  )
  it(
    'pay the bridge',
    first(() => rig.base.contracts.bridge),
  )
  it(
    'pay an address with a typing error',
    first(() => `${rig.stranger.address.slice(0, -1)}X`),
  )
  it(
    'have a wrong checksum',
    first(() => rig.stranger.address.replace(/[A-F]/, (l) => l.toLowerCase())),
  )
  it(
    'pay nothing',
    bad((bundle) => ({ ...bundle, amounts: bundle.amounts.map(() => '0') })),
  )
  it(
    'have amounts without recipients',
    bad((bundle) => ({ ...bundle, recipients: [] })),
  )
  it(
    'promise more than was offered',
    bad((bundle) => ({
      ...{ ...bundle, amounts: bundle.amounts.map(() => String(worth('ZEN', 9_000))) },
    })),
  )
  it(
    'overflow',
    bad((bundle) => ({ ...bundle, amounts: bundle.amounts.map(() => String(2n ** 255n)) })),
  )
  it(
    'write amounts as numbers',
    bad((bundle) => ({ ...bundle, amounts: bundle.amounts.map(Number) })),
  )
  it(
    'pay 201',
    bad(() => ({
      recipients: Array.from(
        { length: 201 },
        (_, at) => `0x${(at + 1).toString(16).padStart(40, '0')}`,
      ),
      amounts: Array.from({ length: 201 }, () => '1'),
    })),
  )

  it('pay somebody whom the token refuses', async () => {
    const { client, contracts, senders } = rig.horizen
    const refused = `0x${'be'.repeat(20)}` as Hex
    const abi = [
      {
        type: 'function',
        name: 'blacklist',
        inputs: [{ type: 'address' }],
        outputs: [],
        stateMutability: 'nonpayable',
      },
    ] as const
    const data = encodeFunctionData({ abi, functionName: 'blacklist', args: [refused] })
    await (senders[0] as AccountSender).execute({ to: contracts.tokens.USDC, data })
    const { USDC, USDT } = contracts.tokens
    const fine = rig.stranger.address
    await expect(screenRecipients(client, USDC, [fine, refused])).rejects.toThrow('recipients.1')
    await screenRecipients(client, USDC, [fine])
    await screenRecipients(client, USDT, [fine, refused])
    await screenRecipients(client, contracts.bridge, [fine])
  })
})

describe('the admin’s routes', () => {
  const path = () => `/delete-recipients/${won.id}`
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  it('ask for a token, whole and exact', async () => {
    expect(outcome(await get('/list-stored-intents'))).toEqual([401, 'UNAUTHORIZED'])
    expect(outcome(noted(await rig.strict.delete(path())))).toEqual([401, 'UNAUTHORIZED'])
    const basic = { authorization: `Basic ${Buffer.from(`a:${ADMIN_TOKEN}`).toString('base64')}` }
    expect(outcome(await get('/list-stored-intents', basic))).toEqual([401, 'UNAUTHORIZED'])
    const guesses = [
      ...[ADMIN_TOKEN.slice(0, -1), `${ADMIN_TOKEN}x`, ADMIN_TOKEN.toUpperCase()],
      ...[`${ADMIN_TOKEN},${OLD_ADMIN_TOKEN}`, 'x', 'undefined', ADMIN_TOKEN.slice(0, 1)],
    ]
    for (const guess of guesses) {
      expect(outcome(await get('/list-stored-intents', bearer(guess)))).toEqual([403, 'FORBIDDEN'])
    }
    expect((await rig.strict.get('/list-stored-intents', bearer(OLD_ADMIN_TOKEN))).status).toBe(200)
    // Who may not come in doesn't even learn what a good request is.
    const nonsense = await get('/list-stored-intents?nonsense=1')
    expect(outcome(nonsense)).toEqual([401, 'UNAUTHORIZED'])
  })

  it('delete nothing that a winner has to pay', async () => {
    const offer = await rig.create({ blob: false })
    await storeSigned(offer)
    await rig.anchored(offer.id)
    const gone = await rig.strict.delete(`/delete-recipients/${offer.id}`, bearer(ADMIN_TOKEN))
    expect(outcome(gone)).toEqual([400, 'INTENT_IN_PROGRESS'])
    const solving = await rig.strict.delete(path(), bearer(ADMIN_TOKEN))
    expect(outcome(solving)).toEqual([400, 'INTENT_IN_PROGRESS'])
  })

  it('don’t exist without a token', async () => {
    const surface = relayerWrites({ enclave: rig.enclave, authMode: 'strict', adminTokens: [] })
    const api = await startApi({
      ...{ databaseUrl: rig.postgres.databaseUrl, chains: rig.configs },
      ...{ host: '127.0.0.1', port: 0, surfaces: [surface] },
    })
    try {
      const answer = await fetch(`${api.url}/list-stored-intents`, { headers: bearer('') })
      expect([answer.status, (await answer.json()).code]).toEqual([404, 'NOT_FOUND'])
    } finally {
      await api.stop()
    }
  })
})

it('an enclave that is away is said to be, soon; public reads go on', async () => {
  const enclave = connectEnclave('/tmp/cairn-no-enclave.sock', { timeoutMs: 200 })
  const surface = relayerWrites({ enclave, authMode: 'strict', adminTokens: [] })
  const api = await startApi({
    ...{ databaseUrl: rig.postgres.databaseUrl, chains: rig.configs },
    ...{ host: '127.0.0.1', port: 0, surfaces: [surface] },
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

it('an enclave of another database seals nothing into this one', async () => {
  const told: string[] = []
  const other = await createEnclave({ roots: [new Uint8Array(32).fill(8)], chains: [] })
  const bind = () => bindDatabase(rig.postgres.databaseUrl, other)
  const enclave = boundEnclave(other, bind, ({ message }) => told.push(message))
  const surface = relayerWrites({ enclave, authMode: 'compat', adminTokens: [] })
  const api = await startApi({
    ...{ databaseUrl: rig.postgres.databaseUrl, chains: rig.configs },
    ...{ host: '127.0.0.1', port: 0, surfaces: [surface] },
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
  expect(told[0]).toContain('Restore the root file from its backup')
  const { rows } = await rig.client.query('select from app.bundle where intent_id = $1', [
    String(id),
  ])
  expect(rows).toEqual([])
})

it('nobody registers another’s solver, or says what it has', async () => {
  const { USDC, ZEN } = rig.base.contracts.tokens
  const routes = [
    { sourceChain: 'base_sepolia', destChain: 'horizen_testnet', tokenA: USDC, tokenB: ZEN },
  ]
  const body = { solverAddress: rig.solver.address, routes }
  expect(outcome(await post('/register-solver', body))).toEqual([400, 'SIGNATURE_REQUIRED'])
  const now = seconds()
  const message = registerSolverMessage(rig.solver.address, routes, now)
  const headers = {
    'x-solver-signature': await rig.stranger.signMessage({ message }),
    'x-timestamp': String(now),
  }
  expect(outcome(await post('/register-solver', body, headers))).toEqual([400, 'INVALID_SIGNATURE'])
  const rich = { ...body, balances: [{ chain: 'base_sepolia', token: USDC, balance: '1' }] }
  expect(outcome(await rig.compat.post('/register-solver', rich))).toEqual([400, 'INVALID_REQUEST'])
  const poor = { ...body, solverAddress: `0x${'77'.repeat(20)}` }
  const answer = await rig.compat.post('/register-solver', poor)
  expect(answer.body.balances.map(({ balance }: { balance: string }) => balance)).toEqual([
    '0',
    '0',
  ])
})

it('none of the refusals said a recipient, and none was a fault', () => {
  const secrets = won.recipients.map((recipient) => recipient.slice(2).toLowerCase())
  for (const { text, status } of said) {
    expect(status).toBeLessThan(500)
    for (const secret of secrets) expect(text.toLowerCase()).not.toContain(secret)
  }
  for (const { failures } of [rig.strict, rig.second, rig.compat]) expect(failures).toEqual([])
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
    const event = decodeLog(log as never, {} as never)
    if (event?.type !== 'IntentCreated') continue
    if (id === undefined || event.args.intentId === id) return event
  }
  throw new Error('no such creation')
}
