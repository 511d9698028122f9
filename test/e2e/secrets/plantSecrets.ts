import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bytesToHex, type Hex, hexToBytes } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createStateDirectory } from '../../../devnet/stateDirectory.ts'
import { deriveKey, KEY_PURPOSE } from '../../../services/enclave/keys/deriveKey.ts'
import { readOrCreateRoots } from '../../../services/enclave/keys/rootFile.ts'
import type { Played } from '../money/expectedBalances.ts'
import type { MoneyTestbed } from '../money/moneyTestbed.ts'
import { buildTerms } from '../money/plannedIntent.ts'
import { type Encodings, listEncodings } from './secretEncodings.ts'

/** Secrets that must not appear anywhere. */
type Planted = {
  secrets: ReadonlyMap<string, Encodings>
  /** Secrets sent to the wrong place by mistake. */
  answers: string[]
}

/**
 * Sends secrets through every entrance, right and wrong, and lists all secrets the system holds by then: the enclave's,
 * the solvers', the operators', and recipients who were never paid.
 *
 * @param unpaid failed intents whose recipients were sent to the relayer
 */
export async function plantSecrets(
  testbed: MoneyTestbed,
  unpaid: { encrypted: Played; plaintext: Played; blob: Played },
  seed: number,
): Promise<Planted> {
  const { devnet, directory } = testbed
  const { file } = devnet
  const [root] = readOrCreateRoots(createStateDirectory(directory).rootFile).roots
  const wallet = privateKeyToAccount(generatePrivateKey())
  const bundle = bytesToHex(randomBytes(20))
  const answers = await knockEverywhere(testbed, wallet, bundle)
  const of = (which: Played) => buildTerms(which.planned, seed, which.id).bundle
  const recipientOf = (which: Played) => hexToBytes(of(which).recipients[0] as Hex)
  const derived = (purpose: string) => deriveKey(root, purpose)
  const secrets: [string, Uint8Array | string][] = [
    ['the enclave’s root', root],
    ['the relayer’s account', derived(KEY_PURPOSE.relayer())],
    ['the attestation key', attestationKeyIn(createStateDirectory(directory).rootFile)],
    ['the key that bundles are sealed to', derived(KEY_PURPOSE.ecies())],
    ['a recipient’s spending key', derived(KEY_PURPOSE.spend(wallet.address))],
    ['a recipient’s viewing key', derived(KEY_PURPOSE.view(wallet.address))],
    ['a registered wallet', hexToBytes(wallet.address)],
    ['its signature', hexToBytes(await registration(wallet))],
    ['the first solver’s key', keyIn(join(directory, 'solver-1.key'))],
    ['the second solver’s key', keyIn(join(directory, 'solver-2.key'))],
    ['the operator’s token', file.adminToken],
    ...file.solvers.map(({ name, adminToken }): [string, string] => [
      `the token of ${name}`,
      adminToken,
    ]),
    ['the database’s password', new URL(file.databaseUrl).password],
    ['a recipient sent sealed', recipientOf(unpaid.encrypted)],
    ['a recipient told in plaintext', recipientOf(unpaid.plaintext)],
    ['a recipient named at creation', recipientOf(unpaid.blob)],
    ['a recipient in a bundle that is wrong', hexToBytes(bundle)],
  ]
  return {
    secrets: new Map(secrets.map(([name, secret]) => [name, listEncodings(secret)])),
    answers,
  }
}

type Wallet = ReturnType<typeof privateKeyToAccount>

function registration(wallet: Wallet): Promise<Hex> {
  return wallet.signMessage({ message: `REGISTER_STEALTH:${wallet.address}` })
}

/** Beside the root, where the enclave keeps what it made itself. */
function attestationKeyIn(rootFile: string): Uint8Array {
  const kept = JSON.parse(readFileSync(join(dirname(rootFile), 'attester'), 'utf8'))
  return hexToBytes(kept.current)
}

function keyIn(path: string): Uint8Array {
  return hexToBytes(readFileSync(path, 'utf8').trim() as Hex)
}

/** Right calls with secrets in them, and calls that put them where they don't belong. */
async function knockEverywhere(
  { devnet, chains }: MoneyTestbed,
  wallet: Wallet,
  recipient: Hex,
): Promise<string[]> {
  const { api, adminToken, solvers } = devnet.file
  const signature = await registration(wallet)
  const recipientAddress = wallet.address
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const bundle = {
    intentId: '1',
    chainId: chains[0].chainId,
    recipients: [recipient],
    amounts: [1],
  }
  const asked: [string, RequestInit][] = [
    [`${api}/recipient/register`, post({ recipientAddress, signature })],
    [`${api}/recipient/addresses?address=${recipientAddress}&signature=${signature}`, {}],
    [`${api}/recipient/addresses?address=${recipientAddress}&signature=${signature}00`, {}],
    [`${api}/store-recipients`, post(bundle)],
    [`${api}/store-recipients`, post({ ...bundle, amounts: ['1'] })],
    [`${api}/store-recipients`, { ...post({}), body: `{"recipients": ["${recipient}"` }],
    [`${api}/verify`, post({ ...bundle, network: recipient })],
    [`${api}/nowhere/${recipient}?recipient=${recipient}`, {}],
    [`${api}/list-stored-intents`, { headers: bearer(adminToken) }],
    [`${api}/list-stored-intents?token=${adminToken}`, { headers: bearer(`${adminToken}x`) }],
    ...solvers.flatMap(({ url, adminToken: token }): [string, RequestInit][] => [
      [`${url}/start`, { method: 'POST', headers: bearer(token) }],
      [`${url}/start?token=${token}`, { method: 'POST', headers: bearer(`${token}x`) }],
    ]),
    ...[api, ...solvers.map(({ url }) => url)].flatMap((url): [string, RequestInit][] =>
      ['/health', '/metrics', '/status', '/openapi.json'].map((path) => [`${url}${path}`, {}]),
    ),
  ]
  const answers: string[] = []
  for (const [url, init] of asked) answers.push(await (await fetch(url, init)).text())
  return answers
}

function post(body: object): RequestInit {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}
