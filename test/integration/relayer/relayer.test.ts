import { getAddress, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createRelayerWriteRoutes } from '../../../api/rest/relayerWriteRoutes.ts'
import { startApi } from '../../../api/rest/startApi.ts'
import { shareSurplus } from '../../../core/money/shareSurplus.ts'
import type { DevnetAccount } from '../../../devnet/accounts.ts'
import { MEASUREMENT } from '../../../devnet/deploy/devnetContracts.ts'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipientsMessage.ts'
import {
  type IntentMetadata,
  intentMetadataMessage,
} from '../../../sdk/messages/intentMetadataMessage.ts'
import { intentPrivateMessage } from '../../../sdk/messages/intentPrivateMessage.ts'
import { registerSolverMessage } from '../../../sdk/messages/registerSolverMessage.ts'
import { createRelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import { enclaveKey } from '../../../sdk/relayer/verifyEnclaveKey.ts'
import { createUnindexedIntentFinder } from '../../../services/chain/unindexedIntentFinder.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'
import type { Offer } from '../reactions/relayerRig.ts'
import { ADMIN_TOKEN, START_MS, startWritesRig, unseal, type WritesRig } from './relayerApiRig.ts'

let rig: WritesRig
beforeAll(async () => {
  rig = await startWritesRig()
}, START_MS)
afterAll(() => rig?.stop())

const seconds = () => Math.floor(Date.now() / 1_000)

async function signed(account: DevnetAccount, who: string, message: string, timestamp?: number) {
  return {
    [`x-${who}-signature`]: await account.signMessage({ message }),
    ...(timestamp !== undefined && { 'x-timestamp': String(timestamp) }),
  }
}

async function ask(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers })
  return { status: response.status, body: await response.json() }
}

async function bundleRow(id: bigint) {
  const { rows } = await rig.client.query('select * from app.bundle where intent_id = $1', [
    String(id),
  ])
  return rows[0]
}

describe('POST /store-recipients', () => {
  it('accepts a bundle right after the receipt, and again when repeated, and stores it sealed', async () => {
    const offer = await rig.create({ blob: false })
    const body = await rig.sealed(offer)
    const headers = await rig.signedBy(rig.sender, body)
    const first = await rig.strict.post('/store-recipients', body, headers)
    const intentId = String(offer.id)
    expect([first.status, first.body]).toEqual([
      200,
      { success: true, intentId, message: 'Recipients stored', status: 'waiting' },
    ])
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(first.headers.get('deprecation')).toBe(null)
    const row = await bundleRow(offer.id)
    expect(row).toMatchObject({ is_signed: true, is_disputed: false, n: '1' })
    expect(row.sealed.length % 512).toBe(0)
    const dump = row.sealed.toString('hex')
    for (const recipient of offer.recipients) {
      expect(dump).not.toContain(recipient.slice(2).toLowerCase())
    }
    expect((await rig.second.post('/v1/store-recipients', body)).status).toBe(200)
    const afresh = await rig.sealed(offer, {
      chainId: rig.base.chainId,
      sender: rig.sender.address,
    })
    expect((await rig.second.post('/store-recipients', afresh)).status).toBe(200)
    expect(await bundleRow(offer.id)).toEqual(row)
  })

  it('still accepts plaintext, announces that this will end, and encrypts it before writing', async () => {
    const { id, recipients, amounts } = await rig.create({ blob: false })
    const body = {
      intentId: String(id),
      chainId: rig.base.chainId,
      recipients,
      amounts: amounts.map(String),
    }
    const refused = await rig.strict.post('/store-recipients', body)
    expect([refused.status, refused.body.code]).toEqual([400, 'SIGNATURE_REQUIRED'])
    const answer = await rig.compat.post('/store-recipients', body)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/)
    expect(Date.parse(answer.headers.get('sunset') ?? '')).toBeGreaterThan(Date.now())
    const row = await bundleRow(id)
    expect(row).toMatchObject({ is_signed: false, ciphertext_digest: null })
    expect((await rig.strict.post('/store-recipients', body)).status).toBe(200)
  })

  it('accepts hex without a prefix, as encryption libraries write it', async () => {
    const body = await rig.sealed(await rig.create({ blob: false }))
    const bare = { ...body, encryptedData: body.encryptedData.slice(2) }
    const headers = await rig.signedBy(rig.sender, body)
    expect((await rig.strict.post('/store-recipients', bare, headers)).status).toBe(200)
  })

  it('accepts 200 recipients', async () => {
    const offer = await rig.create({ blob: false, recipients: 200 })
    expect((await rig.storeSigned(offer)).status).toBe(200)
    expect((await bundleRow(offer.id)).sealed.length).toBeGreaterThan(200 * 20)
  })

  it('lets one of many concurrent writers win over two instances', async () => {
    const offer = await rig.create({ blob: false })
    const others = offer.amounts.map((_, at) => ({
      ...offer,
      amounts: offer.amounts.map((amount, place) => amount - BigInt(place === at ? 1 : 0)),
    }))
    const bodies = await Promise.all([offer, ...others, offer].map((one) => rig.sealed(one)))
    const answers = await Promise.all(
      bodies.flatMap((body) =>
        [rig.compat, rig.second].map((api) => api.post('/store-recipients', body)),
      ),
    )
    const won = answers.filter(({ status }) => status === 200).length
    // Nobody has signed: whoever was first can't be told from a thief, so neither counts.
    const lost = answers.filter(({ body }) =>
      ['ALREADY_STORED', 'RECIPIENTS_DISPUTED'].includes(body.code),
    )
    expect(won + lost.length).toBe(answers.length)
    expect(won).toBeGreaterThan(0)
    expect(lost.length).toBeGreaterThan(0)
    expect(await bundleRow(offer.id)).toMatchObject({ is_disputed: true })
    const again = await rig.compat.post('/store-recipients', await rig.sealed(offer))
    expect([again.status, again.body.code]).toEqual([400, 'RECIPIENTS_DISPUTED'])
    const body = await rig.sealed(offer)
    const headers = await rig.signedBy(rig.sender, body)
    expect((await rig.compat.post('/store-recipients', body, headers)).status).toBe(200)
    expect(await bundleRow(offer.id)).toMatchObject({ is_disputed: false, is_signed: true })
  })

  it('lets the sender replace recipients by signature, in the row or, once anchored, on chain', async () => {
    const offer = await rig.create({ blob: false })
    const replacement = { ...offer, recipients: [...offer.recipients].reverse() }
    expect((await rig.storeSigned(offer)).status).toBe(200)
    const body = await rig.sealed(replacement, { n: 2 })
    const refused = await rig.strict.post('/store-recipients', body)
    expect([refused.status, refused.body.error]).toEqual([400, 'Recipients already stored'])
    const sameNumber = await rig.sealed(replacement)
    const stale = await rig.signedBy(rig.sender, sameNumber)
    const old = await rig.strict.post('/store-recipients', sameNumber, stale)
    expect([old.status, old.body.code]).toEqual([400, 'ALREADY_STORED'])
    const ofContract = { 'x-sender-signature': `0x${'1b'.repeat(130)}` }
    expect((await rig.strict.post('/store-recipients', body, ofContract)).body).toMatchObject({
      code: 'INVALID_SIGNATURE',
      error: expect.stringContaining('nameRecipients'),
    })
    const headers = await rig.signedBy(rig.sender, body)
    const taken = await rig.strict.post('/store-recipients', body, headers)
    expect([taken.status, taken.body.message]).toEqual([
      200,
      'Recipients replaced: they count once they are on chain',
    ])

    const reactions = await rig.startReactions()
    await rig.anchored(offer.id)
    await reactions.stop()
    const again = await rig.sealed(offer, { n: 3 })
    const proof = await rig.signedBy(rig.sender, again)
    const late = await rig.strict.post('/store-recipients', again, proof)
    expect([late.status, late.body.status]).toEqual([200, 'waiting'])
    const many = { ...offer, recipients: Array(3).fill(offer.recipients[0]), amounts: [1n, 1n, 1n] }
    const tooMany = await rig.sealed(many, { n: 4 })
    const refusedClass = await rig.strict.post(
      '/store-recipients',
      tooMany,
      await rig.signedBy(rig.sender, tooMany),
    )
    expect(refusedClass.body.code).toBe('RECIPIENT_CLASS_FIXED')
    const ready = await rig.startReactions()
    const status = async () =>
      (await rig.strict.post('/store-recipients', again, proof)).body.status
    await rig.until(async () => (await status()) === 'on_chain', 'appended')
    await rig.won(offer.id)
    const revealed = await rig.compat.get(`/get-recipients/${offer.id}`, {
      'x-solver-address': rig.solver.address,
    })
    expect(revealed.body.recipients).toEqual(offer.recipients.map((one) => getAddress(one)))
    // The enclave reads the same off the chain: whom the winner was told to pay, it may be paid for.
    await rig.deliver(offer)
    await rig.completed(offer.id)
    await ready.stop()
  })

  it('refuses a replacement once the recipients are final', async () => {
    const reactions = await rig.startReactions()
    const offer = await rig.create()
    await rig.anchored(offer.id)
    await reactions.stop()
    const body = await rig.sealed({ ...offer, recipients: [...offer.recipients].reverse() })
    const headers = await rig.signedBy(rig.sender, body)
    const inTime = await rig.strict.post('/store-recipients', body, headers)
    expect([inTime.status, inTime.body.status]).toEqual([200, 'waiting'])
    await rig.play.letRecipientsStand(offer.id)
    // It was sent in time, but didn't come on chain in time: to say that it waits would be a lie.
    const isClosed = async () => {
      const again = await rig.strict.post('/store-recipients', body, headers)
      return again.status === 400 && again.body.code === 'ALREADY_STORED'
    }
    await rig.until(isClosed, 'the index knows that they stand')
    const fewer = { recipients: offer.recipients.slice(1), amounts: offer.amounts.slice(1) }
    const another = await rig.sealed({ ...offer, ...fewer }, { n: 2 })
    const late = await rig.strict.post(
      '/store-recipients',
      another,
      await rig.signedBy(rig.sender, another),
    )
    expect([late.status, late.body.code]).toEqual([400, 'ALREADY_STORED'])
    await rig.won(offer.id)
    const revealed = await rig.compat.get(`/get-recipients/${offer.id}`, {
      'x-solver-address': rig.solver.address,
    })
    expect(revealed.body.recipients).toEqual(offer.recipients.map((one) => getAddress(one)))
  })

  it('names the wrong recipient and the reason, for plaintext and sealed bundles', async () => {
    const offer = await rig.create({ blob: false })
    const [good] = offer.recipients
    const recipients = [good, '0x1234']
    const plain = await rig.compat.post('/store-recipients', {
      intentId: String(offer.id),
      chainId: rig.base.chainId,
      recipients,
      amounts: ['1', '2'],
    })
    const wrong = { field: 'recipients.1', reason: expect.stringContaining('address') }
    expect(plain.body).toMatchObject({ code: 'INVALID_RECIPIENT', details: wrong })
    const sealed = await rig.compat.post('/store-recipients', {
      intentId: String(offer.id),
      chainId: rig.base.chainId,
      encryptedData: await rig.encrypted({ recipients, amounts: ['1', '2'] }),
    })
    expect(sealed.body).toMatchObject({ code: 'INVALID_RECIPIENT', details: wrong })
    const { ZEN } = rig.base.contracts.tokens
    const token = { ...offer, recipients: [good as `0x${string}`, ZEN] }
    const lost = await rig.compat.post('/store-recipients', await rig.sealed(token))
    expect(lost.body).toMatchObject({
      code: 'INVALID_RECIPIENT',
      details: { field: 'recipients.1', reason: 'is the token itself' },
    })
  })
})

it('finds creations before the index does, with one request for many', async () => {
  const { id } = await rig.create({ blob: false })
  const head = Number(await rig.base.client.getBlockNumber())
  const config = rig.configs[0] as (typeof rig.configs)[0]
  let questions = 0
  const client = {
    getBlock: rig.base.client.getBlock,
    getBlockNumber: rig.base.client.getBlockNumber,
    request: (request: { method: string }) => {
      if (request.method === 'eth_getLogs') questions += 1
      return rig.base.client.request(request as never)
    },
  }
  const recent = createUnindexedIntentFinder(config, { client: client as never, everyMs: 50 })
  const asked = Array.from({ length: 20 }, (_, at) => recent.find(id + BigInt(at), head - 1))
  const [found, ...absent] = await Promise.all(asked)
  expect(found?.args.intentId).toBe(id)
  expect(absent.every((one) => one === null)).toBe(true)
  expect(questions).toBe(1)
})

describe('one intent from store to private details', () => {
  let offer: Offer
  let reactions: Awaited<ReturnType<WritesRig['startReactions']>>
  beforeAll(async () => {
    reactions = await rig.startReactions()
    offer = await rig.create({ blob: false, recipients: 3 })
    expect((await rig.storeSigned(offer)).status).toBe(200)
    await rig.anchored(offer.id)
  })
  afterAll(() => reactions?.stop())

  const path = () => `/get-recipients/${offer.id}?sourceChainId=base_sepolia`
  const described = { metadata: { invoice: '2026-17', ünï: '✓' }, viewers: [] as string[] }

  it('keeps recipients from everybody before there is a winner', async () => {
    const headers = { 'x-solver-address': rig.solver.address }
    for (const api of [rig.strict, rig.compat]) {
      const early = await api.get(path(), headers)
      expect([early.status, early.body.code]).toEqual([404, 'NOT_DEPOSITED'])
      expect((await api.get(path())).status).toBe(400)
      const unknown = await api.get(`/get-recipients/${offer.id + 999n}`, headers)
      expect([unknown.status, unknown.body.code]).toEqual([404, 'INTENT_NOT_FOUND'])
    }
  })

  it('stores metadata and viewers once, by the sender’s signature', async () => {
    described.viewers = [getAddress(rig.stranger.address)]
    const body = { intentId: String(offer.id), chainId: rig.base.chainId, ...described }
    const message = intentMetadataMessage(offer.id, rig.base.chainId, described)
    const headers = await signed(rig.sender, 'sender', message)
    const bare = await rig.strict.post('/intent-metadata', body)
    expect([bare.status, bare.body.code]).toEqual([400, 'SIGNATURE_REQUIRED'])
    const others = await signed(rig.stranger, 'sender', message)
    const foreign = await rig.strict.post('/intent-metadata', body, others)
    expect([foreign.status, foreign.body.code]).toEqual([400, 'INVALID_SIGNATURE'])
    expect((await rig.strict.post('/intent-metadata', body, headers)).status).toBe(200)
    expect((await rig.second.post('/intent-metadata', body, headers)).status).toBe(200)
    const other = { metadata: { invoice: '2026-18' }, viewers: [] }
    const changed = await rig.strict.post(
      '/intent-metadata',
      { ...body, ...other },
      await signed(rig.sender, 'sender', intentMetadataMessage(offer.id, rig.base.chainId, other)),
    )
    expect([changed.status, changed.body.code]).toEqual([400, 'ALREADY_STORED'])
    const large = { metadata: { a: 'x'.repeat(4_096) }, viewers: [] }
    const tooLarge = await rig.strict.post('/intent-metadata', { ...body, ...large })
    expect([tooLarge.status, tooLarge.body.code]).toEqual([400, 'METADATA_TOO_LARGE'])
    const appended = async () => ((await rig.stored(offer.id))?.source.blobCount ?? 0) === 2
    await rig.until(appended, 'the metadata is on chain')
  })

  it('tells no stranger who the viewers are, by what it asks nodes or how it fails', async () => {
    const rpc = await startFaultyRpc(rig.base.config.rpcUrls[0]!)
    const { databaseUrl } = rig.postgres
    const { enclave } = rig
    const chains = rig.configs.map((chain) =>
      chain.chainId === rig.base.chainId ? { ...chain, rpcUrls: [rpc.url] } : chain,
    )
    const routes = [createRelayerWriteRoutes({ enclave, authMode: 'strict', adminTokens: [] })]
    const api = await startApi({ databaseUrl, chains, routes, host: '127.0.0.1', port: 0 })
    onTestFinished(async () => {
      await api.stop()
      await rpc.close()
    })
    const [viewer] = described.viewers
    const others = getAddress(rig.solver.address)
    // A stranger's own signature, and one that has nodes execute whatever the stranger wants.
    const own = await rig.solver.signMessage({ message: 'anything' })
    const costly: Hex = `${own}${'6492'.repeat(16)}`
    const guess = async (reader: string, signature: Hex) => {
      const asked = rpc.calls.length
      const { status, body } = await ask(`${api.url}/intent-private/${offer.id}`, {
        'x-reader-address': reader,
        'x-reader-signature': signature,
        'x-timestamp': String(seconds()),
      })
      // Its own polls of the head aside.
      const calls = rpc.calls.slice(asked).filter(({ method }) => /getCode|_call/.test(method))
      return { status, code: body.code, calls: calls.map(({ method }) => method) }
    }
    for (const signature of [own, costly]) {
      const right = await guess(viewer!, signature)
      expect(right).toMatchObject({ status: 400, code: 'INVALID_SIGNATURE' })
      expect(await guess(others, signature)).toEqual(right)
      rpc.inject(() => ({ drop: true }))
      expect((await guess(viewer!, signature)).code).toBe((await guess(others, signature)).code)
      rpc.inject(undefined)
    }
  })

  it('reveals recipients to nobody while a reorg could revert the deposit', async () => {
    await rig.play.bid(offer.id)
    await rig.play.endAuction()
    await rig.play.deposit(offer.id)
    const headers = { 'x-solver-address': rig.solver.address }
    for (const api of [rig.compat, rig.strict]) {
      const hasHeard = async () => (await api.get(path(), headers)).body.code !== 'NOT_DEPOSITED'
      await until(hasHeard, 'the deposit is indexed')
      const early = await api.get(path(), headers)
      expect([early.status, early.body.code]).toEqual([404, 'NOT_CONFIRMED'])
      // Two when the node has mined a block that the index doesn't have yet.
      expect([1, 2]).toContain(early.body.details.missingBlocks)
    }
    const isRevealed = async () => (await rig.compat.get(path(), headers)).status === 200
    await rig.until(isRevealed, 'a block on top is indexed')
  })

  it('tells a winner without a sealing key so, by a code that no wrong URL has', async () => {
    const revealToWinner = () => Promise.reject(new EnclaveError('NO_SEALING_KEY'))
    const enclave = { ...rig.enclave, revealToWinner }
    const api = await startApi({
      databaseUrl: rig.postgres.databaseUrl,
      chains: rig.configs,
      host: '127.0.0.1',
      port: 0,
      routes: [createRelayerWriteRoutes({ enclave, authMode: 'compat', adminTokens: [] })],
    })
    const { getRecipients } = createRelayerClient({ baseUrl: api.url })
    const key = { intentId: offer.id, sourceChainId: rig.base.chainId }
    const asked = getRecipients(key, { 'x-solver-address': rig.solver.address })
    await expect(asked).rejects.toMatchObject({
      code: 'NO_SEALING_KEY',
      message: 'the winner has no sealing key',
    })
    await api.stop()
  })

  it('reveals recipients to the winner alone: sealed to its key, or in plaintext for its signature', async () => {
    const { winningAmountB } = (await rig.stored(offer.id))!.source
    const owed = shareSurplus(offer.amounts, winningAmountB as bigint).map(String)
    const clear = {
      intentId: String(offer.id),
      recipients: offer.recipients.map((one) => getAddress(one)),
      amounts: owed,
      totalAmount: String(winningAmountB),
    }
    const headers = { 'x-solver-address': rig.solver.address }
    const sealed = await rig.strict.get(path(), headers)
    expect(sealed.status).toBe(200)
    expect(sealed.headers.get('cache-control')).toBe('no-store')
    expect(sealed.body).toMatchObject({ recipients: [], amounts: [], chainId: rig.base.chainId })
    expect(sealed.body.signatures).toHaveLength(1)
    const inside = unseal(rig.solver, sealed.body.encryptedData)
    expect(inside.recipients.map((one) => getAddress(one))).toEqual(clear.recipients)
    expect(inside.amounts.map(String)).toEqual(clear.amounts)
    // Whoever wants to send it finds the same, and the call to send.
    const signedReveal = await rig.strict.get(`/intents/${offer.id}/reveal`)
    expect(signedReveal.body).toMatchObject({
      sealed: sealed.body.encryptedData,
      signatures: sealed.body.signatures,
      message: { solver: getAddress(rig.solver.address) },
    })
    const client = createRelayerClient({ baseUrl: rig.strict.url })
    const statement = await client.reveal({ intentId: offer.id })
    expect(statement).toMatchObject({ intentId: offer.id, sealed: sealed.body.encryptedData })
    expect(statement.call.to).toBe(getAddress(rig.base.contracts.bridge))
    const anchor = await client.anchor({ intentId: offer.id, sourceChainId: rig.base.chainId })
    expect(anchor.call.data).toContain(anchor.signatures[0]?.slice(2))
    // Whatever a row says of the bridge, which could name a thief's contract.
    const { rows } = await rig.client.query(
      `select format('%I.bridge', table_schema) as name from information_schema.tables
       where table_name = 'bridge' and table_schema like 'cairn\\_${rig.base.chainId}\\_%'`,
    )
    const nameBridge = async (address: string) => {
      for (const { name } of rows)
        await rig.client.query(`update ${name} set address = $1`, [address])
      await rig.client.query(
        `with change as (
           insert into app.change_log (source_chain_id, intent_id, table_name, operation)
           values ($1, null, 'bridge', 'update') returning sequence)
         select pg_notify('cairn_change', json_build_object('sequence', sequence::text)::text) from change`,
        [rig.base.chainId],
      )
    }
    await nameBridge(rig.solver.address.toLowerCase())
    for (let asked = 0; asked < 20; asked++) {
      const { call } = await client.anchor({ intentId: offer.id })
      expect(call.to).toBe(getAddress(rig.base.contracts.bridge))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await nameBridge(rig.base.contracts.bridge.toLowerCase())

    const now = seconds()
    const message = getRecipientsMessage(offer.id, rig.base.chainId, now)
    const proof = await signed(rig.solver, 'solver', message, now)
    const open = await rig.strict.get(path(), { ...headers, ...proof })
    expect(open.body).toEqual({
      success: true,
      chainId: rig.base.chainId,
      timestamp: expect.any(Number),
      ...clear,
      encryptedData: sealed.body.encryptedData,
      signatures: sealed.body.signatures,
    })
    expect((await rig.compat.get(path(), headers)).body).toEqual(open.body)
    const lower = { 'x-solver-address': rig.solver.address.toLowerCase() }
    expect((await rig.compat.get(path(), lower)).status).toBe(200)
  })

  it('reveals what is on chain, whatever the relayer’s rows say', async () => {
    const headers = { 'x-solver-address': rig.solver.address }
    const before = await rig.compat.get(path(), headers)
    const own = await bundleRow(offer.id)
    await rig.client.query('delete from app.bundle where intent_id = $1', [String(offer.id)])
    expect((await rig.compat.get(path(), headers)).body).toEqual(before.body)
    await rig.client.query(
      `insert into app.bundle (source_chain_id, intent_id, params_hash, n, is_signed, sealed, stored_at)
       values ($1, $2, $3, 9, true, $4, 1)`,
      [rig.base.chainId, String(offer.id), own.params_hash, Buffer.alloc(512, 1)],
    )
    expect((await rig.compat.get(path(), headers)).body).toEqual(before.body)
    await rig.client.query('update app.bundle set sealed = $2 where intent_id = $1', [
      String(offer.id),
      own.sealed,
    ])
  })

  it('knows metadata from the chain when its own row is lost, or was recovered from the anchor', async () => {
    const other = { metadata: { invoice: '2026-18' }, viewers: [] }
    const store = async (more: IntentMetadata) => {
      const message = intentMetadataMessage(offer.id, rig.base.chainId, more)
      const body = { intentId: String(offer.id), chainId: rig.base.chainId, ...more }
      return rig.strict.post('/intent-metadata', body, await signed(rig.sender, 'sender', message))
    }
    const own = await bundleRow(offer.id)
    const write = (sealed: Buffer) =>
      rig.client.query('update app.bundle set sealed = $2 where intent_id = $1', [
        String(offer.id),
        sealed,
      ])
    const { rows } = await rig.client.query(
      `select args ->> 'encryptedBlob' as blob from cairn.event
       where intent_id = $1 and type = 'IntentAnchored'`,
      [String(offer.id)],
    )
    await write(Buffer.from(rows[0].blob.slice(2), 'hex'))
    const changed = await store(other)
    expect([changed.status, changed.body.code]).toEqual([400, 'ALREADY_STORED'])
    expect((await store(described)).status).toBe(200)
    await write(own.sealed)
  })

  it('shows private details after settlement to the sender and the viewers, and records who reads them, once an hour', async () => {
    const read = async (account: DevnetAccount, at = seconds()) => {
      const message = intentPrivateMessage(offer.id, rig.base.chainId, at)
      return rig.strict.get(`/intent-private/${offer.id}`, {
        'x-reader-address': account.address,
        ...(await signed(account, 'reader', message, at)),
      })
    }
    const early = await read(rig.sender)
    expect([early.status, early.body.code]).toEqual([403, 'NOT_SETTLED'])
    const owed = async () => (await rig.stored(offer.id))!.source.winningAmountB as bigint
    await rig.deliver(offer)
    await rig.completed(offer.id)
    const seen = await read(rig.sender)
    expect(seen.body).toEqual({
      success: true,
      intentId: String(offer.id),
      sourceChainId: String(rig.base.chainId),
      recipients: offer.recipients.map((one) => getAddress(one)),
      amounts: shareSurplus(offer.amounts, await owed()).map(String),
      ...described,
    })
    expect((await read(rig.stranger)).body).toEqual(seen.body)
    const nobody = await read(rig.solver)
    expect([nobody.status, nobody.body.code]).toEqual([403, 'NOT_A_READER'])
    const stale = await read(rig.sender, seconds() - 301)
    expect([stale.status, stale.body.code]).toEqual([400, 'STALE_TIMESTAMP'])
    const recorded = async () => {
      const { rows } = await rig.client.query(
        'select reader, role from app.private_read order by id',
      )
      return rows
    }
    const ofSender = { reader: rig.sender.address.toLowerCase(), role: 'sender' }
    const both = [ofSender, { reader: rig.stranger.address.toLowerCase(), role: 'viewer' }]
    expect((await read(rig.sender)).body).toEqual(seen.body)
    expect(await recorded()).toEqual(both)
    await rig.client.query(`update app.private_read set read_at = read_at - interval '1 hour'`)
    expect((await read(rig.sender)).body).toEqual(seen.body)
    expect(await recorded()).toEqual([...both, ofSender])
  })

  it('lists the bundle to operators sealed, and deletes it once the intent has ended', async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const listed: { intentId: string }[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const more = cursor === '' ? '' : `&cursor=${cursor}`
      const page = await rig.strict.get(`/list-stored-intents?limit=1${more}`, headers)
      expect(page.body).toMatchObject({ success: true, count: 1 })
      listed.push(...page.body.intents)
      cursor = page.body.nextCursor
    }
    const ids = listed.map(({ intentId }) => intentId)
    expect(ids.filter((id) => id === String(offer.id))).toHaveLength(1)
    const dump = JSON.stringify(listed).toLowerCase()
    for (const recipient of offer.recipients) {
      expect(dump).not.toContain(recipient.slice(2).toLowerCase())
    }
    const gone = await rig.strict.delete(`/delete-recipients/${offer.id}`, headers)
    expect(gone.status).toBe(200)
    expect(gone.body.message).toBe('Recipients deleted')
    expect(await bundleRow(offer.id)).toBe(undefined)
    const again = await rig.strict.delete(`/delete-recipients/${offer.id}`, headers)
    expect([again.status, again.body.code]).toEqual([404, 'RECIPIENTS_NOT_FOUND'])
    const { rows } = await rig.client.query('select intent_id, token_id from app.bundle_deletion')
    expect(rows).toEqual([
      { intent_id: String(offer.id), token_id: expect.stringMatching(/^[0-9a-f]{8}$/) },
    ])
  })
})

it('answers strangers alike about two intents that differ in recipients of one class alone', async () => {
  const reactions = await rig.startReactions()
  onTestFinished(() => reactions.stop())
  const shapes: unknown[] = []
  for (const recipients of [5, 8]) {
    const { id } = await rig.create({ recipients })
    await rig.anchored(id)
    await rig.won(id)
    const headers = { 'x-solver-address': rig.solver.address }
    expect((await rig.strict.get(`/get-recipients/${id}`, headers)).status).toBe(200)
    const paths = [`/intent-details/${id}`, `/intents/${id}/events`, `/get-recipients/${id}`]
    const signed = [`/intents/${id}/anchor`, `/intents/${id}/reveal`]
    const answers = await Promise.all(
      [...paths, ...signed].map((path) => rig.strict.get(path, headers)),
    )
    shapes.push(answers.map(({ status, body }) => [status, shapeOf(body)]))
  }
  expect(shapes[1]).toEqual(shapes[0])
})

/** What is left of an answer without what differs between any two intents. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value === 'number') return 'a number'
  if (typeof value === 'string' && /^(0x|[0-9]+$|[0-9]{4}-)/.test(value)) return value.length
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]))
}

it('lists a pair by its public names while a solver that serves it is live', async () => {
  const { USDC, ZEN } = rig.base.contracts.tokens
  const route = {
    sourceChain: 'base_sepolia',
    destChain: 'horizen_testnet',
    tokenA: USDC,
    tokenB: ZEN,
  }
  const nowhere = { ...route, tokenB: rig.stranger.address }
  const routes = [route, nowhere]
  const now = seconds()
  const message = registerSolverMessage(rig.solver.address, routes, now)
  const proof = await signed(rig.solver, 'solver', message, now)
  const body = { solverAddress: rig.solver.address, routes }
  const answer = await rig.strict.post('/register-solver', body, proof)
  const balance = await rig.base.client.readContract({
    address: USDC,
    functionName: 'balanceOf',
    args: [rig.solver.address],
    abi: [
      {
        type: 'function',
        name: 'balanceOf',
        stateMutability: 'view',
        inputs: [{ type: 'address' }],
        outputs: [{ type: 'uint256' }],
      },
    ] as const,
  })
  expect(answer.body).toMatchObject({
    success: true,
    solverAddress: rig.solver.address,
    routesCount: 2,
  })
  expect(answer.body.balances).toContainEqual({
    chain: 'base_sepolia',
    token: USDC,
    balance: String(balance),
  })
  await expect
    .poll(async () => (await rig.strict.get('/get-routes')).body.routes, { timeout: 30_000 })
    .toEqual([route])
  // A route that no bridge lists is kept: its chain may not be indexed yet.
  const { rows } = await rig.client.query('select routes from app.solver_registration')
  expect(rows[0].routes).toHaveLength(2)
  const found = await rig.strict.get(`/get-routes?origin=base_testnet&originAsset=${USDC}`)
  expect(found.body).toMatchObject({
    success: true,
    routes: [route],
    solvers: [{ address: rig.solver.address, routes: [route] }],
  })
  expect((await rig.strict.post('/get-routes', { tokenB: ZEN })).body.routes).toEqual([route])
  expect((await fetch(`${rig.strict.url}/get-routes`, { method: 'POST' })).status).toBe(200)
  expect((await rig.strict.post('/get-routes', { tokenB: USDC })).body.routes).toEqual([])
  await rig.client.query(
    `update app.solver_registration set last_seen = now() - interval '11 minutes'`,
  )
  await expect
    .poll(async () => (await rig.strict.get('/get-routes')).body, { timeout: 30_000 })
    .toEqual({ success: true, routes: [], solvers: [] })
})

it('documents every relayer endpoint, and returns the public key', async () => {
  const { body } = await rig.strict.get('/openapi.json')
  for (const path of [
    ...['/ecies-pubkey', '/store-recipients', '/get-recipients/{intentId}', '/get-routes'],
    ...['/register-solver', '/intent-metadata', '/intent-private/{intentId}'],
    ...['/list-stored-intents', '/delete-recipients/{intentId}', '/attestation'],
    ...['/intents/{intentId}/anchor', '/intents/{intentId}/reveal'],
  ]) {
    expect(Object.keys(body.paths)).toContain(path)
  }
  const { eciesPublicKey } = await rig.enclave.publicKeys()
  expect((await rig.strict.get('/ecies-pubkey')).body).toMatchObject({
    success: true,
    publicKey: eciesPublicKey,
  })
  const attested = await rig.strict.get('/attestation')
  expect(attested.body.enclaves).toEqual([
    expect.objectContaining({
      kind: 'software',
      keys: expect.objectContaining({ eciesPublicKey }),
    }),
  ])
  expect(rig.strict.failures).toEqual([])
})

it('the SDK refuses a relayer whose key belongs to no enclave', async () => {
  const relayer = createRelayerClient({ baseUrl: rig.strict.url })
  const { client, contracts } = rig.base
  const at = { client, registry: contracts.registry }
  const key = await relayer.eciesPublicKey()
  const [first] = await relayer.attestation()
  const { measurement } = first!
  expect(await enclaveKey(relayer, at)).toBe(key)
  expect(await enclaveKey(relayer, { ...at, measurements: [MEASUREMENT] })).toBe(key)
  const refused = { code: 'NOT_AN_ENCLAVE' }
  const own = `0x04${'17'.repeat(64)}` as const
  for (const liar of [
    // A key of its own, beside the enclave's attestation or within it.
    { ...relayer, eciesPublicKey: async () => own },
    {
      eciesPublicKey: async () => own,
      attestation: async () => [
        { ...first!, keys: { ...first!.keys, eciesPublicKey: own } },
        { ...first!, keys: { eciesPublicKey: own, attester: rig.stranger.address } },
      ],
    },
    { ...relayer, attestation: async () => [] },
  ])
    await expect(enclaveKey(liar, at)).rejects.toMatchObject(refused)
  const others = enclaveKey(relayer, { ...at, measurements: [`0x${'00'.repeat(32)}`] })
  await expect(others).rejects.toMatchObject(refused)
  expect(measurement).toMatch(/^0x[0-9a-f]{64}$/)
})
