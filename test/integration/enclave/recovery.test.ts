import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { encodeEventTopics, numberToHex, zeroHash } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { registerRecipientMessage } from '../../../sdk/messages/registerRecipientMessage.ts'
import { storeRecipientsMessage } from '../../../sdk/messages/storeRecipientsMessage.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { bindDatabase, EnclaveBindingError } from '../../../services/enclaveBinding/bindDatabase.ts'
import { findIncompleteRecovery } from '../../../services/relayer/reconciler/findIncompleteRecovery.ts'
import { findLostChains } from '../../../services/relayer/recovery/findLostChains.ts'
import { recoverIntoDatabase } from '../../../services/relayer/recovery/recoverDatabase.ts'
import { recoverIfLost } from '../../../services/relayer/recovery/recoverIfLost.ts'
import {
  describeCertificate,
  type RecoveryCertificate,
} from '../../../services/relayer/recovery/recoveryCertificate.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'
import { startRole } from '../roles/startRole.ts'
import { ALICE, BOB, type EnclaveTestbed, ROOT, startEnclaveTestbed } from './enclaveTestbed.ts'

/** Blobs on chain, two of which nobody can open. */
const SEEN = 13

type Log = { topics: string[] }
const PRUNED = { code: -32_000, message: 'missing trie node' }

const directory = mkdtempSync(join(tmpdir(), 'cairn-recover-'))

let scene: EnclaveTestbed
let postgres: PostgresUnderTest
let client: pg.Client
let blank: bigint
let junk: bigint
beforeAll(async () => {
  ;[scene, postgres] = await Promise.all([startEnclaveTestbed(), startPostgresUnderTest()])
  await migrate(postgres.databaseUrl)
  client = await postgres.connect()
  await bindDatabase(postgres.databaseUrl, scene.enclave)
  await playHistory()
})
afterAll(async () => {
  await postgres?.stop()
  await scene?.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** What a sender sent the relayer: signed, sealed, and not yet on chain. */
async function proposalOf(id: bigint, recipients: Hex[], n: number, more: object = {}) {
  const { base, sender, params, enclave } = scene
  const { bridge } = base.contracts
  const about = {
    sourceChainId: base.chainId,
    paramsHash: paramsHash({ chainId: base.chainId, bridge, user: sender, ...params }),
    n,
    recipients,
    amounts: recipients.map(() => 40n),
    salt: zeroHash,
  }
  const message = storeRecipientsMessage({ ...about, intentId: id })
  const signature = await deriveDevnetAccounts().senders[0]!.signMessage!({ message })
  const { blob } = await enclave.sealBlob({
    ...about,
    ...more,
    bridge,
    user: sender,
    createdAt: 1_800_000_000,
    signature,
  })
  return blob
}

/** Everything that can be on chain: seven intents that are anchored by those who may, and three others. */
async function playHistory() {
  const { play } = scene
  const metadata = { note: 'rent' }
  for (const seed of [1, 2, 3]) {
    const id = await play.create()
    const more = seed === 2 ? { metadata, viewers: [BOB] } : {}
    await scene.anchor(id, { proposal: await proposalOf(id, [ALICE, BOB], seed, more) })
  }
  const noted = await play.create(scene.sealed([ALICE], [40n]))
  await scene.anchor(noted)
  await scene.append(noted, { proposal: await proposalOf(noted, [ALICE], 1, { metadata }) })

  const replaced = await play.create()
  await scene.anchor(replaced, { proposal: await proposalOf(replaced, [ALICE], 1) })
  await scene.append(replaced, { proposal: await proposalOf(replaced, [BOB], 2) })

  await scene.anchor(await play.create(scene.sealed([BOB], [40n])))
  await play.create(scene.sealed([BOB], [40n]))

  const wallet = deriveDevnetAccounts().guests[0]!
  const message = registerRecipientMessage(wallet.address)
  const signature = await wallet.signMessage!({ message })
  const registered = { recipientAddress: wallet.address, signature }
  const { ticket } = await scene.enclave.registerRecipient(registered)
  const shielded = await play.create(scene.sealed([wallet.address, BOB], [40n, 2n]))
  await scene.anchor(shielded, { tickets: [ticket] })

  blank = await play.create()
  junk = await play.create()
  await play.anchor(junk, { blob: `0x0101deadbeef${'00'.repeat(506)}` })
  await play.append(junk, '0x1234')
}

/** Every row that recovery answers for, as text; a ticket is another each time that it is sealed. */
async function rows() {
  const queries = {
    bundle: 'select * from app.bundle order by source_chain_id, intent_id',
    stealth: `select to_jsonb(t) - 'ticket' - 'id' as entry from app.stealth_entry t order by 1`,
    binding: 'select key_id, public_key from app.enclave_binding',
  }
  const found: Record<string, string[]> = {}
  for (const [name, query] of Object.entries(queries)) {
    const { rows } = await client.query(`select row_to_json(t)::text as row from (${query}) t`)
    found[name] = rows.map(({ row }) => row)
  }
  return found
}

const recoverAll = (enclave = scene.enclave) =>
  recoverIntoDatabase({
    databaseUrl: postgres.databaseUrl,
    chains: [scene.base.config, scene.horizen.config],
    enclave,
  })

describe('with schema app lost', () => {
  let before: Record<string, string[]>
  beforeAll(async () => {
    await recoverAll()
    before = await rows()
    expect(before.bundle).toHaveLength(7)
    expect(before.stealth).toHaveLength(1)
  })

  test('every row is restored byte for byte, and the certificate lists what wasn’t', async () => {
    await client.query('drop schema app cascade')
    const [base, horizen] = await recoverAll()
    expect(await rows()).toEqual(before)
    expect(base).toMatchObject({
      chainId: scene.base.chainId,
      bridge: scene.chains[0]!.bridge,
      intents: { count: 10, missing: 0 },
      blobs: { seen: SEEN, opened: SEEN - 2 },
      stealthAddresses: { count: 1, notDerived: [] },
      intentsWithoutBlob: [String(blank)],
      rows: { bundles: 7 },
    })
    expect(base!.blobs.unreadable).toMatchObject([
      { intentId: String(junk), event: 'IntentAnchored', reason: 'UNKNOWN_KEY' },
      { intentId: String(junk), event: 'BlobAppended', reason: 'NOT_A_BLOB' },
    ])
    expect(horizen).toMatchObject({ intents: { count: 0 }, blobs: { seen: 0 } })
  })

  test('a second run changes nothing and issues the same certificate', async () => {
    const first = await recoverAll()
    expect(await recoverAll()).toEqual(first)
    expect(await rows()).toEqual(before)
  })

  test('the chain’s data replaces existing rows, and missing ones are restored', async () => {
    await recoverAll()
    await client.query('delete from app.recovery')
    await client.query('update app.bundle set sealed = sealed || sealed')
    await client.query('delete from app.stealth_entry')
    await recoverAll()
    expect(await rows()).toEqual(before)
  })

  test('an interrupted run continues, with threads, to the same state', async () => {
    const whole = await recoverAll()
    await client.query('drop schema app cascade')
    const { enclave } = scene
    const failing = {
      ...enclave,
      openBlobs: async () => {
        throw new Error('the power is gone')
      },
    }
    await expect(recoverAll(failing)).rejects.toThrow('the power is gone')
    const halfway = Math.ceil((whole[0]!.blocks.to * 2) / 3)
    await recoverIntoDatabase({
      databaseUrl: postgres.databaseUrl,
      chains: [scene.base.config],
      enclave,
      upTo: halfway,
    })
    const threaded = await createEnclave({
      roots: [ROOT],
      chains: scene.chains,
      decryptionThreads: 2,
    })
    expect(await recoverAll(threaded)).toEqual(whole)
    expect(await rows()).toEqual(before)
  })

  test('a wrong root restores nothing, says so, and can’t use the right one’s database; with both roots, another run restores everything', async () => {
    await client.query('drop schema app cascade')
    const stranger = await createEnclave({
      roots: [new Uint8Array(32).fill(8)],
      chains: scene.chains,
    })
    const [base] = await recoverAll(stranger)
    expect(base).toMatchObject({ blobs: { opened: 0 }, rows: { bundles: 0 } })
    expect(describeCertificate(base!)).toContain('UNKNOWN_KEY        if one of your roots')
    await expect(recoverAll()).rejects.toThrow(EnclaveBindingError)
    const rotated = await createEnclave({
      roots: [ROOT, new Uint8Array(32).fill(8)],
      chains: scene.chains,
    })
    await bindDatabase(postgres.databaseUrl, rotated)
    const { rows: bound } = await client.query('select key_id from app.enclave_binding')
    const { keyId } = await scene.enclave.publicKeys()
    expect(`0x${bound[0].key_id.toString('hex')}`).toBe(keyId)
    const [mended] = await recoverAll(rotated)
    expect(mended).toMatchObject({ blobs: { opened: SEEN - 2 } })
    expect(await rows()).toEqual(before)
  })

  test('a node that omits events recovers less unseen; compared with another it is found out', async () => {
    const [anchored] = encodeEventTopics({ abi: bridgeIntentV2Abi, eventName: 'IntentAnchored' })
    const liar = await startFaultyRpc(scene.base.node.rpc)
    const omitted = (logs: unknown) =>
      (logs as Log[]).filter(({ topics }) => topics[0] !== anchored)
    const omits = () =>
      liar.inject(({ method }) => (method === 'eth_getLogs' ? { change: omitted } : undefined))
    omits()
    const name = `${new URL(liar.url).host}#1`
    const recoverOver = async (rpcUrls: string[], fromStart = false) => {
      const chains = [{ ...scene.base.config, rpcUrls }]
      const { databaseUrl } = postgres
      const given = { databaseUrl, chains, enclave: scene.enclave, fromStart }
      const [certificate] = await recoverIntoDatabase(given)
      return certificate!
    }
    await client.query('drop schema app cascade')
    // A few blocks without logs are always compared with their receipts.
    await expect(recoverOver([liar.url])).rejects.toThrow(
      `can be believed (${name}: eth_getLogs omits`,
    )
    const [created] = encodeEventTopics({ abi: bridgeIntentV2Abi, eventName: 'IntentCreated' })
    const logs = await scene.base.client.getLogs({ fromBlock: 0n })
    const last = logs.findLast(({ topics }) => topics[0] === created)!.topics[1]
    const omitsOne = (given: unknown) =>
      (omitted(given) as Log[]).filter(({ topics }) => topics[0] !== created || topics[1] !== last)
    let hasState = true
    liar.inject(({ method }) => {
      if (method.includes('Receipt')) return { result: null }
      // A block's state is gone by the time that a long history is read.
      if (method === 'eth_call') return hasState ? undefined : { error: PRUNED }
      if (method !== 'eth_getLogs') return undefined
      hasState = false
      return { change: omitsOne }
    })
    const alone = await recoverOver([liar.url])
    expect(alone).toMatchObject({ intents: { missing: 1 }, stealthAddresses: { count: 0 } })
    expect(alone.nodes).toMatchObject({ nodes: [name] })
    const { db, close } = openDatabase({ databaseUrl: postgres.databaseUrl, name: 'cairn_test' })
    const lost = () => findLostChains(postgres.databaseUrl, [scene.base.config])
    const problem = () => findIncompleteRecovery(db, scene.base.config)
    expect(await problem()).toMatchObject({ code: 'RECOVERY_INCOMPLETE' })
    expect(await lost()).toHaveLength(1)
    // As an intent was missing, everything is read again.
    omits()
    const both = [liar.url, scene.base.node.rpc]
    await expect(recoverOver([liar.url])).rejects.toThrow('can be believed')
    expect(await problem()).toMatchObject({ code: 'RECOVERY_UNFINISHED' })
    const compared = await recoverOver(both)
    expect(await problem()).toBe(null)
    expect(await lost()).toEqual([])
    await close()
    expect(compared.nodes.refused).toMatchObject([
      { node: name, reason: expect.stringContaining('omits log') },
    ])
    expect(await rows()).toEqual(before)

    await client.query('drop schema app cascade')
    await recoverOver(both.toReversed())
    expect(await rows()).toEqual(before)
    await client.query('delete from app.bundle')
    expect((await recoverOver(both)).rows).toEqual({ bundles: 0 })
    await recoverOver(both, true)
    expect(await rows()).toEqual(before)

    const isPruned = { code: 4444, message: 'pruned history unavailable' }
    liar.inject(({ method }) => (method === 'eth_getLogs' ? { error: isPruned } : undefined))
    await expect(recoverOver([liar.url])).rejects.toThrow(
      `the history of base_sepolia can’t be read from ${name}: pruned history unavailable. Name a node`,
    )
    await liar.close()
  })

  test('blocks that a reorg may have replaced during a run are read again', async () => {
    const { client: chain, node, config } = scene.base
    await chain.mine({ blocks: 1 })
    await client.query('delete from app.bundle')
    const proxy = await startFaultyRpc(node.rpc)
    const head = numberToHex(await chain.getBlockNumber())
    let isReplaced = false
    const replaceHead = async () => {
      await chain.request({ method: 'anvil_rollback', params: [1] } as never)
      await chain.increaseTime({ seconds: 7 })
      await chain.mine({ blocks: 1 })
    }
    proxy.inject(({ method, params }) => {
      if (isReplaced || method !== 'eth_getBlockByNumber' || params[0] !== head) return undefined
      isReplaced = true
      return { hold: replaceHead() }
    })
    const { databaseUrl } = postgres
    const chains = [{ ...config, rpcUrls: [proxy.url] }]
    await recoverIntoDatabase({ databaseUrl, chains, enclave: scene.enclave })
    expect(isReplaced).toBe(true)
    expect(await rows()).toEqual(before)
    await proxy.close()
  })

  test('a service whose chain can’t be recovered yet goes on at once, and tries again until it is', async () => {
    await client.query('drop schema app cascade')
    await migrate(postgres.databaseUrl)
    await bindDatabase(postgres.databaseUrl, scene.enclave)
    let isDown = true
    const openBlobs: typeof scene.enclave.openBlobs = async (request) => {
      if (isDown) throw new Error('no enclave')
      return scene.enclave.openBlobs(request)
    }
    const failures: string[] = []
    const log = { info: () => {}, warn: (_: unknown, text: string) => failures.push(text) }
    const recovery = await recoverIfLost({
      databaseUrl: postgres.databaseUrl,
      chains: [scene.base.config],
      enclave: { ...scene.enclave, openBlobs },
      log: log as never,
      timeoutMs: 1,
      retryMs: 1,
    })
    await until(() => failures.length > 1)
    isDown = false
    await until(async () => (await rows()).bundle?.length === 7)
    expect(await rows()).toEqual(before)
    await recovery.stop()
  })

  test('a chain that can’t be recovered because of its configuration is logged without a stack', async () => {
    await client.query('drop schema app cascade')
    await migrate(postgres.databaseUrl)
    await bindDatabase(postgres.databaseUrl, scene.enclave)
    const { promise: logged, resolve: warn } = Promise.withResolvers<object>()
    const recovery = await recoverIfLost({
      databaseUrl: postgres.databaseUrl,
      chains: [{ ...scene.base.config, bridge: `0x${'de'.repeat(20)}` }],
      enclave: scene.enclave,
      log: { info: () => {}, warn } as never,
      timeoutMs: 1,
    })
    const reason = expect.stringMatching(/^no bridge is at 0x(de){20} on .*: correct `bridge`/)
    expect(await logged).toEqual({ chain: scene.base.config.name, reason })
    await recovery.stop()
  })

  test('a service that finds nothing recovers by itself, once', async () => {
    await client.query('drop schema app cascade')
    await migrate(postgres.databaseUrl)
    await bindDatabase(postgres.databaseUrl, scene.enclave)
    const said: string[] = []
    const log = { info: (_: unknown, text: string) => said.push(text), warn: () => {} }
    const chains = [scene.base.config, scene.horizen.config]
    const { databaseUrl } = postgres
    const options = { databaseUrl, chains, enclave: scene.enclave, log: log as never }
    for (const _ of ['the first start', 'the second']) {
      const recovery = await recoverIfLost(options)
      await recovery.stop()
      expect(await rows()).toEqual(before)
    }
    expect(said).toEqual([expect.stringContaining(`blobs opened         ${SEEN - 2} of ${SEEN}`)])
  })

  test('a relayer’s own processes recover before they do anything else', async () => {
    await client.query('drop schema app cascade')
    const place = operatorsFiles()
    const common = { CHAINS: place('chains.json'), LOG_LEVEL: 'info' }
    const database = { DATABASE_URL: postgres.databaseUrl, ENCLAVE_SOCKET: place('enclave.sock') }
    const enclave = { ENCLAVE_ROOT_FILE: place('root'), ENCLAVE_SOCKET: place('enclave.sock') }
    const roles = {
      enclave: startRole('enclave', { ...common, ...enclave }),
      reactions: startRole('reactions', { ...common, ...database }),
      api: startRole('api', { ...common, ...database, API_PORT: '0' }),
    }
    try {
      await until(() => roles.reactions.said().includes('"reacting"'))
      expect(await rows()).toEqual(before)
      expect(roles.reactions.said()).toContain(`blobs opened         ${SEEN - 2} of ${SEEN}`)
      await until(() => roles.api.said().includes('"listening"'))
      const url = /"url":"(http:[^"]+)"/.exec(roles.api.said())?.[1]
      await until(async () => {
        const health = await fetch(`${url}/health`).then((response) => response.json())
        return health.relayer?.enclave === 'ok'
      })
      for (const { child } of Object.values(roles)) child.kill('SIGTERM')
      const codes = Object.values(roles).map(({ ended }) => ended)
      expect(await Promise.all(codes)).toEqual([0, 0, 0])
      const said = Object.values(roles).map((role) => role.said())
      for (const secret of [Buffer.from(ROOT).toString('hex'), ALICE.slice(2)])
        expect(said.join('')).not.toContain(secret)
    } finally {
      for (const { child } of Object.values(roles)) child.kill('SIGKILL')
    }
  })

  test('npm run recover does it from outside', async () => {
    await client.query('drop schema app cascade')
    const place = operatorsFiles()
    const env = {
      ...process.env,
      DATABASE_URL: postgres.databaseUrl,
      CHAINS: place('chains.json'),
      ENCLAVE_ROOT_FILE: place('root'),
    }
    const args = ['tools/recover/main.ts', '--certificate', place('certificate.json')]
    const tool = spawn(process.execPath, args, { env })
    let said = ''
    for (const stream of [tool.stdout, tool.stderr]) stream.on('data', (piece) => (said += piece))
    // Once all that it wrote has come, too.
    const [code] = await once(tool, 'close')
    expect(said).toContain(`blobs opened         ${SEEN - 2} of ${SEEN}`)
    expect(code).toBe(1)
    expect(await rows()).toEqual(before)
    const certificate = JSON.parse(readFileSync(place('certificate.json'), 'utf8'))
    expect(certificate as RecoveryCertificate).toMatchObject({
      format: 'cairn-recovery-certificate',
      isComplete: false,
    })
    for (const secret of [Buffer.from(ROOT).toString('hex'), ALICE.slice(2)])
      expect(said + JSON.stringify(certificate)).not.toContain(secret)
  })
})

/** The root's file and the chains file, as an operator has them. @returns the path of a name there */
function operatorsFiles(): (name: string) => string {
  const place = (name: string) => join(directory, name)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { mode: 0o700 })
  writeFileSync(place('root'), Buffer.from(ROOT).toString('hex'), { mode: 0o600 })
  const chains = [scene.base.config, scene.horizen.config]
  writeFileSync(place('chains.json'), JSON.stringify({ chains }))
  return place
}
