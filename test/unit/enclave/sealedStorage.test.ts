import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openAttesterKeys } from '../../../services/enclave/keys/attesterKeys.ts'
import {
  createFileStorage,
  createMemoryStorage,
  type SealedStorage,
  SealedStorageError,
} from '../../../services/enclave/keys/sealedStorage.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-sealed-'))
afterAll(() => rmSync(directory, { recursive: true }))

const bytes = (text: string) => new Uint8Array(Buffer.from(text))

const always = (storage: SealedStorage) => () => storage

/** Each call opens the same storage again, as a restart does. */
const STORAGES: [string, () => SealedStorage][] = [
  ['files', () => createFileStorage(join(directory, 'files'))],
  ['memory', always(createMemoryStorage())],
]

describe.each(STORAGES)('sealed storage in %s', (_, open) => {
  test('returns what was written, after a restart too, and null for an unknown name', async () => {
    expect(await open().read('a')).toBeNull()
    await open().write('a', bytes('one'))
    await open().write('b', bytes('another'))
    await open().write('a', bytes('the last'))
    expect(Buffer.from((await open().read('a'))!).toString()).toBe('the last')
    expect(Buffer.from((await open().read('b'))!).toString()).toBe('another')
  })

  test('keeps an enclave’s own keys', async () => {
    const { current, transportKey } = await openAttesterKeys(open())
    const reopened = await openAttesterKeys(open())
    expect(reopened.current.address).toBe(current.address)
    expect(reopened.transportKey).toEqual(transportKey)
  })

  test('shares none of an enclave’s own keys before a rotation with those after it', async () => {
    const keys = await openAttesterKeys(open())
    const [stolen, transport] = [keys.current.address, keys.transportKey]
    await keys.prepare()
    expect(keys.transportKey).toEqual(transport)
    await keys.promote()
    for (const rotated of [keys, await openAttesterKeys(open())]) {
      expect(rotated.current.address).not.toBe(stolen)
      // Else a thief of the former keys could open a root that this enclave is given later.
      expect(rotated.transportKey).not.toEqual(transport)
    }
  })
})

test('files belong to their owner alone, are written whole, and are refused once others can read them', async () => {
  const own = join(directory, 'own')
  const storage = createFileStorage(own)
  await storage.write('key', bytes('secret'))
  expect(readdirSync(own)).toEqual(['key'])
  expect(statSync(join(own, 'key')).mode & 0o777).toBe(0o600)
  chmodSync(join(own, 'key'), 0o644)
  await expect(storage.read('key')).rejects.toThrow('chmod 600')
})

test('a file that can’t be written is named in one line', async () => {
  mkdirSync(join(directory, 'taken', 'key'), { recursive: true })
  const written = createFileStorage(join(directory, 'taken')).write('key', bytes('secret'))
  await expect(written).rejects.toThrow(SealedStorageError)
  await expect(written).rejects.toThrow(/taken.key can't be written \(E\w+\): check the disk/)
  expect(readdirSync(join(directory, 'taken'))).toEqual(['key'])
  const file = join(directory, 'file')
  writeFileSync(file, '')
  const inFile = createFileStorage(file).write('key', bytes('secret'))
  await expect(inFile).rejects.toThrow(/file.key can't be written/)
})
