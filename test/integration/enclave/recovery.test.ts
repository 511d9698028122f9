import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bindingsOf } from '../../../services/bundles/bindingsOf.ts'
import type { BundleVault } from '../../../services/bundles/bundleVault.ts'
import { fixBundle } from '../../../services/bundles/fixBundle.ts'
import { leaveUnshielded } from '../../../services/bundles/shieldRecipients.ts'
import { storeBundle } from '../../../services/bundles/storeBundle.ts'
import { storeCreationBlob } from '../../../services/bundles/storeCreationBlob.ts'
import { storeMetadata } from '../../../services/bundles/storeMetadata.ts'
import { termsOfCreation } from '../../../services/bundles/termsOf.ts'
import { worth } from '../../../services/devnet/tokens.ts'
import { bindEnclave, EnclaveBindingError } from '../../../services/enclave/bindEnclave.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import type { RecoveryCertificate } from '../../../services/recovery/certificate.ts'
import { recoverIfLost } from '../../../services/recovery/recoverIfLost.ts'
import { recoverInto } from '../../../services/recovery/recoverInto.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database.ts'
import { migrate } from '../../../services/store/migrate.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { startRole } from '../roles/startRole.ts'
import { RECIPIENTS, ROOT, type SettlementScene, startSettlementScene } from './settlementScene.ts'

const NOW = 1_800_000_000
const AMOUNT = worth('ZEN', 4_000)

const directory = mkdtempSync(join(tmpdir(), 'cairn-recover-'))

let scene: SettlementScene
let postgres: PostgresUnderTest
let database: OpenDatabase
let client: pg.Client
let vault: BundleVault
let blank: bigint
let junk: bigint
beforeAll(async () => {
  ;[scene, postgres] = await Promise.all([startSettlementScene(), startPostgresUnderTest()])
  await migrate(postgres.databaseUrl)
  client = await postgres.connect()
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
  const bridges = new Map(scene.chains.map(({ chainId, bridge }) => [chainId, bridge]))
  vault = {
    ...{ db: database.db, enclave: scene.enclave, shield: leaveUnshielded },
    ...{ bridgeOn: (chainId) => bridges.get(chainId) ?? null, now: () => NOW },
  }
  await bindEnclave(client, scene.enclave)
  await playHistory()
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
  await scene?.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function termsOf(id: bigint) {
  const created = (await scene.history(id)).find(({ type }) => type === 'IntentCreated')
  if (created?.type !== 'IntentCreated') throw new Error('there is no such intent')
  return termsOfCreation(created)
}

/** Stored the way the relayer stores it, with a ciphertext of its own. */
async function store(id: bigint, seed: number, replace = false) {
  const digest = (byte: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`
  const contents = {
    ...{ recipients: [...RECIPIENTS], amounts: [AMOUNT, BigInt(seed)] },
    ...(seed % 2 === 0 && { metadata: { note: `no. ${seed}` }, viewers: [RECIPIENTS[1]] }),
  }
  const ciphertext = { digest: digest(seed), ephemeralKeyDigest: digest(seed + 100) }
  const terms = await termsOf(id)
  await storeBundle(vault, { terms, contents, origin: 'encrypted', ciphertext, replace })
}

async function anchorStored(id: bigint) {
  const bundle = await fixBundle(vault.db, { sourceChainId: scene.base.chainId, intentId: id })
  await scene.anchor(id, bundle!.sealed)
}

/** Puts whatever waits to be appended on chain. */
async function appendStored(id: bigint) {
  const { rows } = await client.query(
    `select '0x' || encode(sealed, 'hex') as sealed from app.appended_blob where intent_id = $1
     order by sequence`,
    [String(id)],
  )
  for (const { sealed } of rows) await scene.append(id, sealed)
}

async function playHistory() {
  const { play } = scene
  for (const seed of [1, 2, 3]) {
    const id = await play.create()
    await store(id, seed)
    await anchorStored(id)
  }
  const plain = await play.create()
  const contents = { recipients: [RECIPIENTS[0]], amounts: [AMOUNT] }
  const terms = await termsOf(plain)
  await storeBundle(vault, { terms, contents, origin: 'plaintext', ciphertext: null })
  await anchorStored(plain)
  await storeMetadata(vault, terms, { metadata: { later: 'yes' }, viewers: [RECIPIENTS[0]] })
  await appendStored(plain)

  const replaced = await play.create()
  await store(replaced, 11)
  await anchorStored(replaced)
  await store(replaced, 12, true)
  await appendStored(replaced)

  for (const anchored of [true, false]) {
    const id = await play.create(await creationBlob())
    const { encryptedBlob } = await createdArgs(id)
    const stored = await storeCreationBlob(vault, await termsOf(id), encryptedBlob)
    expect(stored.outcome).toBe('stored')
    if (!anchored) continue
    await fixBundle(vault.db, await termsOf(id))
    await scene.anchor(id, '0x')
  }
  blank = await play.create()
  junk = await play.create()
  await scene.anchor(junk, `0x01${'00'.repeat(511)}`)
  await scene.append(junk, '0x1234')
}

async function createdArgs(id: bigint) {
  const created = (await scene.history(id)).find(({ type }) => type === 'IntentCreated')
  if (created?.type !== 'IntentCreated') throw new Error('there is no such intent')
  return created.args
}

async function creationBlob(): Promise<Hex> {
  const any = [...(await scene.history((84532n << 64n) | 1n))][0]!
  if (any.type !== 'IntentCreated') throw new Error('no intent to learn the terms from')
  const terms = termsOfCreation(any)
  const { intentId: _, ...bindings } = bindingsOf(terms)
  const { blob } = await scene.enclave.sealBlob({
    ...bindings,
    ...{ recipients: [RECIPIENTS[0]], amounts: [AMOUNT], createdAt: NOW - 5, origin: 'blob' },
    maxBlocks: 1,
  })
  return blob
}

/** Every row that recovery answers for, as text. */
async function rows() {
  const queries = {
    bundle: 'select * from app.bundle order by source_chain_id, intent_id',
    appended: `select source_chain_id, intent_id, digest, sealed, purpose, stored_at,
      rank() over (order by sequence) from app.appended_blob order by sequence`,
    ciphertext: 'select * from app.used_ciphertext order by ephemeral_key_digest',
    anchoring: `select source_chain_id, intent_id, anchoring_at is not null as fixed
      from app.bundle_handling where anchoring_at is not null order by 1, 2`,
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
  recoverInto({
    databaseUrl: postgres.databaseUrl,
    chains: [scene.base.config, scene.horizen.config],
    enclave,
  })

describe('with schema app lost', () => {
  let before: Record<string, string[]>
  beforeAll(async () => {
    before = await rows()
    expect(before.bundle).toHaveLength(7)
    expect(before.appended).toHaveLength(2)
  })

  test('every row comes back byte for byte, and the certificate tells what didn’t', async () => {
    await client.query('drop schema app cascade')
    const [base, horizen] = await recoverAll()
    expect(await rows()).toEqual(before)
    expect(base).toMatchObject({
      ...{ chainId: scene.base.chainId, bridge: scene.chains[0]!.bridge },
      intents: { count: 9, missing: 0 },
      blobs: { seen: 11, opened: 9 },
      stealthAddresses: { count: 0, notDerived: [] },
      intentsWithoutBlob: [String(blank)],
      rows: { bundles: 7, appendedBlobs: 2, usedCiphertexts: before.ciphertext!.length },
    })
    expect(base!.blobs.unreadable).toMatchObject([
      { intentId: String(junk), event: 'IntentAnchored', reason: 'UNKNOWN_KEY' },
      { intentId: String(junk), event: 'BlobAppended', reason: 'NOT_A_BLOB' },
    ])
    expect(horizen).toMatchObject({ intents: { count: 0 }, blobs: { seen: 0 } })
  })

  test('a second run changes nothing and certifies the same', async () => {
    const first = await recoverAll()
    expect(await recoverAll()).toEqual(first)
    expect(await rows()).toEqual(before)
  })

  test('over rows that are there the chain’s word stands, and what is missing comes back', async () => {
    await recoverAll()
    await client.query('delete from app.recovery')
    await client.query('update app.bundle set sealed = sealed || sealed, origin = $1', [
      'plaintext',
    ])
    await client.query(
      `delete from app.used_ciphertext where ephemeral_key_digest = (
         select min(ephemeral_key_digest) from app.used_ciphertext
         where not superseded)`,
    )
    await client.query('delete from app.bundle_handling')
    await recoverAll()
    const after = await rows()
    expect({ ...after, bundle: null }).toEqual({ ...before, bundle: null })
    // Of what nobody has anchored, the chain has no last word.
    const damaged = after.bundle!.filter((row) => !before.bundle!.includes(row))
    expect(damaged).toHaveLength(1)
    await client.query('drop schema app cascade')
    await recoverAll()
    expect(await rows()).toEqual(before)
  })

  test('a run that was ended goes on, with threads, to the same state', async () => {
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
    await recoverInto({
      databaseUrl: postgres.databaseUrl,
      ...{ chains: [scene.base.config], enclave, upTo: halfway },
    })
    const threaded = await createEnclave({ roots: [ROOT], chains: scene.chains, openers: 2 })
    expect(await recoverAll(threaded)).toEqual(whole)
    expect(await rows()).toEqual(before)
  })

  test('another root brings back nothing, says so, and is refused the right one’s database; with both, another run brings back all', async () => {
    await client.query('drop schema app cascade')
    const stranger = await createEnclave({
      roots: [new Uint8Array(32).fill(8)],
      chains: scene.chains,
    })
    const [base] = await recoverAll(stranger)
    expect(base).toMatchObject({ blobs: { opened: 0 }, rows: { bundles: 0 } })
    await expect(recoverAll()).rejects.toThrow(EnclaveBindingError)
    const rotated = await createEnclave({
      roots: [ROOT, new Uint8Array(32).fill(8)],
      chains: scene.chains,
    })
    await bindEnclave(client, rotated)
    const { rows: bound } = await client.query('select key_id from app.enclave_binding')
    const { keyId } = await scene.enclave.publicKeys()
    expect(`0x${bound[0].key_id.toString('hex')}`).toBe(keyId)
    const [mended] = await recoverAll(rotated)
    expect(mended).toMatchObject({ blobs: { opened: 9 } })
    expect(await rows()).toEqual(before)
  })

  test('a service that finds nothing recovers by itself, once', async () => {
    await client.query('drop schema app cascade')
    await migrate(postgres.databaseUrl)
    await bindEnclave(client, scene.enclave)
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
    expect(said).toEqual([expect.stringContaining('blobs opened         9 of 11')])
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
      expect(roles.reactions.said()).toContain('blobs opened         9 of 11')
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
      for (const secret of [Buffer.from(ROOT).toString('hex'), RECIPIENTS[0].slice(2)])
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
      ...{ DATABASE_URL: postgres.databaseUrl, CHAINS: place('chains.json') },
      ENCLAVE_ROOT_FILE: place('root'),
    }
    const args = ['tools/recover/main.ts', '--certificate', place('certificate.json')]
    const tool = spawn(process.execPath, args, { env })
    let said = ''
    for (const stream of [tool.stdout, tool.stderr]) stream.on('data', (piece) => (said += piece))
    const [code] = await once(tool, 'exit')
    expect(said).toContain('blobs opened         9 of 11')
    expect(code).toBe(1)
    expect(await rows()).toEqual(before)
    const certificate = JSON.parse(readFileSync(place('certificate.json'), 'utf8'))
    expect(certificate as RecoveryCertificate).toMatchObject({
      format: 'cairn-recovery-certificate',
      isComplete: false,
    })
    for (const secret of [Buffer.from(ROOT).toString('hex'), RECIPIENTS[0].slice(2)])
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

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50))
}
