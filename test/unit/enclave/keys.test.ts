import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex } from 'viem'
import { afterAll, describe, expect, test } from 'vitest'
import { deriveKey, KEY_PURPOSE } from '../../../services/enclave/keys/deriveKey.ts'
import { openKeyring } from '../../../services/enclave/keys/keyring.ts'
import { deriveDeliveryStealth } from '../../../services/enclave/keys/recipientStealthKeys.ts'
import {
  RootFileError,
  readOrCreateRoots,
  rotateRoot,
} from '../../../services/enclave/keys/rootFile.ts'

const root = Uint8Array.from({ length: 32 }, (_, position) => position)
const wallet = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

describe('keys that follow from a root', () => {
  // Fixed for ever: a change here loses every key of every deployment.
  test('are these', () => {
    const { current, relayer } = openKeyring([root])
    expect({
      keyId: current.id,
      relayer: relayer.address,
      spend: bytesToHex(deriveKey(root, KEY_PURPOSE.spend(wallet))),
      view: bytesToHex(deriveKey(root, KEY_PURPOSE.view(wallet))),
      ephemeral: bytesToHex(deriveKey(root, KEY_PURPOSE.ephemeral(wallet, 84532, 5n, 0))),
      stealth: deriveDeliveryStealth(root, {
        recipientAddress: wallet,
        chainId: 84532,
        intentId: 5n,
      }).stealthAddress,
    }).toMatchInlineSnapshot(`
      {
        "ephemeral": "0xf891fd352f835914ba8e9c3ab8d8b7bb634eeb7a6ce7c8b175c208fbb79b8ba6",
        "keyId": "0xc76ff407",
        "relayer": "0x237dc696e58dB7C2dB2b0d1b2e9ed827AA933A75",
        "spend": "0x598925bf0a7015aa6ca63803027b7b324fd24bf8e5c1d4e495ec319fbaf03839",
        "stealth": "0xe8eac732a10ee660ff4f45e0bea48625670a26e1",
        "view": "0xcf63825861cb8d701d38c2ae29b61a45d983a866dae739e1252918dffd78c548",
      }
    `)
  })

  test('are all different, and the letter case of a wallet makes no difference', () => {
    const purposes = [
      KEY_PURPOSE.ecies(),
      KEY_PURPOSE.relayer(),
      KEY_PURPOSE.spend(wallet),
      KEY_PURPOSE.view(wallet),
      KEY_PURPOSE.ephemeral(wallet, 1, 11n, 0),
      KEY_PURPOSE.ephemeral(wallet, 11, 1n, 0),
      KEY_PURPOSE.ephemeral(wallet, 1, 1n, 10),
      KEY_PURPOSE.ephemeral(wallet, 1, 1n, 1),
    ]
    const keys = purposes.map((purpose) => bytesToHex(deriveKey(root, purpose)))
    expect(new Set(keys).size).toBe(purposes.length)
    expect(KEY_PURPOSE.spend(wallet.toUpperCase())).toBe(KEY_PURPOSE.spend(wallet))
  })

  test('an older root opens and no longer seals', () => {
    const older = new Uint8Array(32).fill(1)
    const keyring = openKeyring([root, older])
    expect(keyring.current.id).toBe(openKeyring([root]).current.id)
    expect([...keyring.byId.keys()]).toEqual([keyring.current.id, openKeyring([older]).current.id])
    expect(() => openKeyring([root, root])).toThrow('a root appears twice')
  })
})

describe('the root file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-root-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  const place = (name: string) => join(directory, name)
  const given = (name: string, text: string, mode = 0o600) => {
    writeFileSync(place(name), text, { mode })
    return place(name)
  }

  test('is made once, for its owner alone, and then left as it is', () => {
    const path = join(directory, 'new', 'root')
    const made = readOrCreateRoots(path)
    expect(made.created).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const text = readFileSync(path, 'utf8')
    const again = readOrCreateRoots(path)
    expect(again).toEqual({ roots: made.roots, created: false })
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(readOrCreateRoots(place('another')).roots).not.toEqual(made.roots)
  })

  test('is rotated: a new root comes first, those of before stay', () => {
    const path = place('rotated')
    const { roots } = readOrCreateRoots(path)
    const [newest, ...older] = rotateRoot(path)
    expect(older).toEqual(roots)
    expect(readOrCreateRoots(path)).toEqual({ roots: [newest, ...roots], created: false })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(() => rotateRoot(place('nowhere'))).toThrow(RootFileError)
  })

  test('that cannot be created says why', () => {
    // Nothing can be created in this folder, even by root.
    expect(() => readOrCreateRoots('/proc/cairn')).toThrow(/can't be created \(E[A-Z]+\)/)
  })

  test('holds a root a line, the newest first', () => {
    const path = given('two', `# mine\n${'ab'.repeat(32)}\n\n 0x${'CD'.repeat(32)} # old\n`)
    expect(readOrCreateRoots(path).roots.map((one) => bytesToHex(one))).toEqual([
      `0x${'ab'.repeat(32)}`,
      `0x${'cd'.repeat(32)}`,
    ])
  })

  test.each([
    ['open to others', `${'ab'.repeat(32)}\n`, 0o644, /mode 0644.*chmod 600/],
    ['open to the group', `${'ab'.repeat(32)}\n`, 0o640, /mode 0640/],
    ['empty', '', 0o600, /holds no root/],
    ['cut short', `${'ab'.repeat(31)}\n`, 0o600, /line 1 .*not 64 hex digits/],
    ['of something else', `# x\n${'ab'.repeat(32)}\nhello\n`, 0o600, /line 3 /],
  ])('that is %s is refused, and nothing in it is told', (name, text, mode, message) => {
    const path = given(name.replaceAll(' ', '-'), text, mode)
    const read = () => readOrCreateRoots(path)
    expect(read).toThrow(RootFileError)
    expect(read).toThrow(message)
    expect(read).not.toThrow(/abab|hello/)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})
