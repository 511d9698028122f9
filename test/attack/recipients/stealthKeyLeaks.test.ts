import type { ChildProcess } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hex, keccak256, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { removeClusterDirectory } from '../../../services/postgres/clusterDirectory.ts'
import { type RunningPostgres, startPostgres } from '../../../services/postgres/startPostgres.ts'
import { issueAddress } from '../../../services/relayer/recipients/issueAddress.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type RunningRole, startRole } from '../../integration/roles/startRole.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'
import { until } from '../../rig/until.ts'

const CHAIN = 84532
const ROOT = new Uint8Array(32).fill(0x77)
const wallet = privateKeyToAccount(keccak256(toHex('whose key must not be written')))

const directory = mkdtempSync(join(tmpdir(), 'cairn-leaks-'))
chmodSync(directory, 0o755)
const started = new Set<ChildProcess>()
let postgres: RunningPostgres
beforeAll(async () => {
  postgres = await startPostgres({ dataDirectory: join(directory, 'postgres') })
  await migrate(postgres.databaseUrl)
})
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL')
  await postgres?.stop()
  removeClusterDirectory(join(directory, 'postgres'))
  rmSync(directory, { recursive: true, force: true })
})

function start(role: string, variables: Record<string, string>): RunningRole {
  const running = startRole(role, variables)
  started.add(running.child)
  return running
}

/** Every form in which bytes are likely to be written down. */
function encodingsOf(secret: Hex): string[] {
  const bytes = Buffer.from(secret.slice(2), 'hex')
  return [
    ...[bytes.toString('hex'), bytes.toString('hex').toUpperCase()],
    ...[bytes.toString('base64'), bytes.toString('base64url'), BigInt(secret).toString()],
    bytes.toString('latin1'),
  ]
}

/** Every file below a directory, as text of single bytes. */
function* filesBelow(path: string): Generator<{ name: string; text: string }> {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const name = join(path, entry.name)
    if (entry.isDirectory()) yield* filesBelow(name)
    else if (entry.isFile()) yield { name, text: readFileSync(name, 'latin1') }
  }
}

/** Every row of every table, as text. */
async function everyRow(): Promise<string> {
  const { pool, close } = openDatabase({ databaseUrl: postgres.databaseUrl })
  const { rows: tables } = await pool.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await pool.query(
      `select coalesce(string_agg(t::text, e'\\n'), '') as text from ${name} t`,
    )
    texts.push(rows[0].text)
  }
  await close()
  return texts.join('\n')
}

test('a stealth key appears only in its response, never in a log, a file or the database', async () => {
  const { databaseUrl: DATABASE_URL } = postgres
  const [chains, rootFile] = [join(directory, 'chains.json'), join(directory, 'root')]
  const socket = join(directory, 'enclave', 'socket')
  mkdirSync(join(directory, 'enclave'), { mode: 0o700 })
  writeFileSync(rootFile, `${Buffer.from(ROOT).toString('hex')}\n`, { mode: 0o600 })
  const rpc = `http://127.0.0.1:${await findDeadPort()}`
  const chain = {
    name: 'base_sepolia',
    chainId: CHAIN,
    rpcUrls: [rpc],
    startBlock: 1,
    confirmations: 1,
  }
  writeFileSync(chains, JSON.stringify({ chains: [{ ...chain, bridge: `0x${'b1'.repeat(20)}` }] }))
  const common = { CHAINS: chains, LOG_LEVEL: 'trace', AUTH_MODE: 'compat', ENCLAVE_SOCKET: socket }
  const temporary = join(directory, 'tmp')
  mkdirSync(temporary, { mode: 0o700 })
  const enclave = start('enclave', { ...common, ENCLAVE_ROOT_FILE: rootFile, TMPDIR: temporary })
  await until(() => enclave.said().includes('serving'))
  const api = start('api', { ...common, DATABASE_URL, API_PORT: '0', TMPDIR: temporary })
  await until(() => api.said().includes('"url":"http:'))
  const url = /"url":"(http:[^"]+)"/.exec(api.said())?.[1]
  const post = async (name: string, body: object) => {
    const response = await fetch(`${url}/recipient/${name}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const recipientAddress = wallet.address
  const registration = await wallet.signMessage({ message: `REGISTER_STEALTH:${recipientAddress}` })
  expect(await post('register', { recipientAddress, signature: registration })).toMatchObject({
    status: 200,
  })

  const stealthAddress = await deriveEntry()
  const message = `DERIVE_STEALTH_KEY:${recipientAddress}:${stealthAddress}`
  const signature = await wallet.signMessage({ message })
  const request = { recipientAddress, stealthAddress, signature }
  const answer = await post('derive-stealth-key', request)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const key = answer.body.stealthPrivateKey as Hex
  expect(privateKeyToAccount(key).address.toLowerCase()).toBe(stealthAddress)
  // And where something goes wrong: the wrong body, a wrong signature, an enclave that is gone.
  await post('derive-stealth-key', { ...request, extra: 1 })
  await post('derive-stealth-key', { ...request, signature: `${signature.slice(0, -2)}00` })
  await fetch(
    `${url}/recipient/addresses?address=${recipientAddress}&signature=${registration}&x=1`,
  )
  enclave.child.kill('SIGKILL')
  expect(await post('derive-stealth-key', request)).toMatchObject({ status: 503 })
  api.child.kill('SIGTERM')
  await api.ended

  const rows = await everyRow()
  // What is still only in memory goes to the files that are looked through as well, and none of them changes any more.
  await postgres.stop()
  const said = api.said() + enclave.said()
  const files = [...filesBelow(directory)]
  // What is looked through does hold what was written.
  expect(rows).toContain(stealthAddress)
  expect(said).toContain('listening')
  expect(files.some(({ text }) => text.includes(stealthAddress))).toBe(true)
  for (const form of encodingsOf(key)) {
    expect(rows.includes(form)).toBe(false)
    expect(said.includes(form)).toBe(false)
    for (const { name, text } of files) expect(text.includes(form), name).toBe(false)
  }
  // In this mode, the signature is enough to get the key.
  for (const secret of [signature, registration]) {
    expect(`${rows}${said}`).not.toContain(secret.slice(2))
    for (const { name, text } of files) expect(text.includes(secret.slice(2)), name).toBe(false)
  }
})

/** A delivery to the wallet, written down as for a bundle. */
async function deriveEntry(): Promise<Hex> {
  const bridge: Hex = `0x${'b1'.repeat(20)}`
  const chains = [
    {
      chainId: CHAIN,
      bridge,
      providers: [],
      agreeing: 1,
      mode: 'strict' as const,
      confirmations: 1,
      maxTransactionCost: 1n,
      safe: findSafeContracts(CHAIN),
    },
  ]
  const enclave = await createEnclave({ roots: [ROOT], chains })
  const { db, close } = openDatabase({ databaseUrl: postgres.databaseUrl })
  const terms = { intentId: (2651420n << 64n) | 1n, destChainId: CHAIN }
  const entry = await issueAddress(
    db,
    enclave,
    terms,
    wallet.address.toLowerCase() as Hex,
    null,
    1_700_000_000,
  )
  await close()
  if (typeof entry === 'string') throw new Error(entry)
  return entry.stealthAddress
}
