import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import fs, { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { loadWebhookDecryptionKey } from '../../../services/push/deliver/webhookDecryptionKey.ts'
import { sealWebhookSecret } from '../../../services/store/webhooks/sealWebhookSecret.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-secret-key-'))
const fileOf = (name: string) => join(directory, name)
const secret = Buffer.alloc(32, 7)

afterAll(() => rmSync(directory, { recursive: true }))

test('a secret opens only with its key, for its endpoint, and unchanged', () => {
  const file = loadWebhookDecryptionKey(fileOf('one'))
  const key = { open: (id: string, bytes: Buffer) => file.open(id, bytesToHex(bytes)) }
  const sealed = sealWebhookSecret(file.publicKey, 'wh_1', secret)
  expect(key.open('wh_1', sealed)).toEqual(secret)
  expect(key.open('wh_1', sealed)).toEqual(secret)
  expect(key.open('wh_2', sealed)).toBeNull()
  expect(loadWebhookDecryptionKey(fileOf('two')).open('wh_1', bytesToHex(sealed))).toBeNull()
  for (const at of [0, 31, 32, 63, 64, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(key.open('wh_1', changed), `byte ${at}`).toBeNull()
  }
  for (const bytes of [0, 15, 32, 48, sealed.length - 1])
    expect(key.open('wh_1', sealed.subarray(0, bytes)), `${bytes} bytes`).toBeNull()
  // A point whose shared secret everybody knows.
  expect(key.open('wh_1', Buffer.concat([Buffer.alloc(32), sealed.subarray(32)]))).toBeNull()
})

test('sealing twice gives different bytes, and none of the secret’s', () => {
  const { publicKey } = loadWebhookDecryptionKey(fileOf('one'))
  const [first, second] = [1, 2].map(() => sealWebhookSecret(publicKey, 'wh_1', secret))
  expect(first).not.toEqual(second)
  expect(first!.includes(secret)).toBe(false)
})

test('the key file is created once with mode 0600; one that others may read, or with another kind of key, is refused', () => {
  const file = fileOf('three')
  expect(loadWebhookDecryptionKey(file).keyId).toBe(loadWebhookDecryptionKey(file).keyId)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(fileOf('four'), privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
  })
  expect(() => loadWebhookDecryptionKey(fileOf('four'))).toThrow('holds no X25519 key')
  chmodSync(file, 0o644)
  expect(() => loadWebhookDecryptionKey(file)).toThrow('others on this machine may read it')
})

test('the key file is created in a file system without links, as of a network share', () => {
  const { linkSync } = fs
  fs.linkSync = () => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM', syscall: 'link' })
  }
  syncBuiltinESMExports()
  try {
    const file = fileOf('five')
    expect(loadWebhookDecryptionKey(file).keyId).toBe(loadWebhookDecryptionKey(file).keyId)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  } finally {
    fs.linkSync = linkSync
    syncBuiltinESMExports()
  }
})

test.skipIf(process.platform === 'win32')(
  'a full disk leaves no half key file, and an empty one is named',
  () => {
    const file = fileOf('full')
    const module = new URL(
      '../../../services/push/deliver/webhookDecryptionKey.ts',
      import.meta.url,
    )
    const program = `const { loadWebhookDecryptionKey } = await import('${module}'); loadWebhookDecryptionKey('${file}')`
    // No file may grow: writing one fails as on a full disk.
    const run = spawnSync('sh', [
      '-c',
      'ulimit -f 0; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      program,
    ])
    expect(String(run.stderr)).toContain(
      `OperatorError: PUSH_KEY_FILE (${file}) can't be read or made (EFBIG)`,
    )
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, '', { mode: 0o600 })
    expect(() => loadWebhookDecryptionKey(file)).toThrow(`${file} holds no X25519 key`)
  },
)
