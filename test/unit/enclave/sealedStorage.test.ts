import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openAttester } from '../../../services/enclave/keys/attester.ts'
import { hardwareSealed } from '../../../services/enclave/keys/hardwareSealed.ts'
import {
  fileStorage,
  memoryStorage,
  type SealedStorage,
} from '../../../services/enclave/keys/sealedStorage.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-sealed-'))
afterAll(() => rmSync(directory, { recursive: true }))

const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const keyOf = (measurement: number) => async () => new Uint8Array(32).fill(measurement)

const always = (storage: SealedStorage) => () => storage

/** Opens the same storage each time that it is called, as a restart does. */
const STORAGES: [string, () => SealedStorage][] = [
  ['files', () => fileStorage(join(directory, 'files'))],
  ['memory', always(memoryStorage())],
  [
    'hardware, over files',
    () => hardwareSealed(keyOf(1), fileStorage(join(directory, 'hardware'))),
  ],
]

describe.each(STORAGES)('sealed storage in %s', (_, open) => {
  test('gives what was written, after a restart too, and null for what never was', async () => {
    expect(await open().read('a')).toBeNull()
    await open().write('a', bytes('one'))
    await open().write('b', bytes('another'))
    await open().write('a', bytes('the last'))
    expect(Buffer.from((await open().read('a'))!).toString()).toBe('the last')
    expect(Buffer.from((await open().read('b'))!).toString()).toBe('another')
  })

  test('keeps an enclave’s own keys', async () => {
    const { current, transportKey } = await openAttester(open())
    const again = await openAttester(open())
    expect(again.current.address).toBe(current.address)
    expect(again.transportKey).toEqual(transportKey)
  })
})

test('files are their owner’s alone, written whole, and not read once others can', async () => {
  const own = join(directory, 'own')
  const storage = fileStorage(own)
  await storage.write('key', bytes('secret'))
  expect(readdirSync(own)).toEqual(['key'])
  expect(statSync(join(own, 'key')).mode & 0o777).toBe(0o600)
  chmodSync(join(own, 'key'), 0o644)
  await expect(storage.read('key')).rejects.toThrow('chmod 600')
})

describe('what hardware seals', () => {
  const host = memoryStorage()
  const sealed = hardwareSealed(keyOf(1), host)

  test('shows the host nothing, and is other bytes each time', async () => {
    await sealed.write('key', bytes('a secret'))
    const first = Buffer.from((await host.read('key'))!)
    expect(first.toString('latin1')).not.toContain('secret')
    await sealed.write('key', bytes('a secret'))
    expect(Buffer.from((await host.read('key'))!).equals(first)).toBe(false)
  })

  test('opens for no other measurement, name or byte', async () => {
    const refused = (storage: SealedStorage, name: string) =>
      expect(storage.read(name)).rejects.toThrow('sealed by another program')
    await refused(hardwareSealed(keyOf(2), host), 'key')
    const found = (await host.read('key'))!
    await host.write('other', found)
    await refused(sealed, 'other')
    for (const at of [0, 12, 28, found.length - 1]) {
      await host.write(
        'changed',
        found.map((byte, position) => (position === at ? byte ^ 1 : byte)),
      )
      await refused(sealed, 'changed')
    }
    await host.write('short', found.subarray(0, 10))
    await refused(sealed, 'short')
  })

  test('is sealed in the files as well', () => {
    const text = readFileSync(join(directory, 'hardware', 'attester'), 'latin1')
    expect(text).not.toContain('transport')
  })
})
