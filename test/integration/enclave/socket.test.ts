import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { deriveKey, KEY_PURPOSE } from '../../../services/enclave/keys/deriveKey.ts'
import { readOrCreateRoots } from '../../../services/enclave/keys/rootFile.ts'
import { SocketPathError } from '../../../services/enclave/socket/claimSocketPath.ts'
import { connectEnclave } from '../../../services/enclave/socket/connectEnclave.ts'
import {
  createFrameReader,
  encodeFrame,
  MAX_FRAME_BYTES,
} from '../../../services/enclave/socket/messageFrames.ts'
import { serveEnclave } from '../../../services/enclave/socket/serveEnclave.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-enclave-'))
const rootFile = join(directory, 'root')
const socket = join(directory, 'enclave.sock')
const chainsFile = join(directory, 'chains.json')
const chain = {
  name: 'base_sepolia',
  chainId: 84532,
  rpcUrls: ['http://127.0.0.1:9'],
  bridge: `0x${'11'.repeat(20)}`,
  startBlock: 0,
  confirmations: 1,
}
const written: string[] = []
const running: ChildProcess[] = []

beforeAll(() => {
  chmodSync(directory, 0o700)
  writeFileSync(chainsFile, JSON.stringify({ chains: [chain] }))
})
afterEach(async () => {
  for (const child of running.splice(0)) await end(child, 'SIGKILL')
})
afterAll(() => rmSync(directory, { recursive: true }))

/** The role as operators start it, once it serves. What it writes is kept. */
async function startRole(): Promise<ChildProcess> {
  const env = {
    ...process.env,
    ENCLAVE_ROOT_FILE: rootFile,
    ENCLAVE_SOCKET: socket,
    CHAINS: chainsFile,
  }
  const child = spawn(process.execPath, ['services/main.ts', 'enclave'], { env })
  running.push(child)
  const serving = new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(written.join(''))))
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (piece) => {
        written.push(String(piece))
        if (String(piece).includes('"serving"')) resolve()
      })
    }
  })
  await serving
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

const bindings = {
  sourceChainId: 84532,
  bridge: `0x${'11'.repeat(20)}`,
  user: `0x${'22'.repeat(20)}`,
  paramsHash: `0x${'33'.repeat(32)}`,
  intentId: 5n,
} as const
const bundle = {
  recipients: [`0x${'c4'.repeat(20)}`],
  amounts: [123_456_789_123_456_789n],
  createdAt: 1_700_000_000,
  n: 1,
  salt: `0x${'5a'.repeat(32)}`,
}

describe('the role enclave', () => {
  test('serves many calls at once, only to this user, and gives the same answers after kill -9', async () => {
    const first = await startRole()
    expect(statSync(socket).mode & 0o777).toBe(0o600)
    expect(statSync(rootFile).mode & 0o777).toBe(0o600)
    const enclave = connectEnclave(socket, { retryMs: 20 })
    const keys = await enclave.publicKeys()
    const { blob } = await enclave.sealBlob({ ...bindings, ...bundle })
    await end(first, 'SIGKILL')

    // Asked while nobody is there: answered once somebody is.
    const asked = Array.from({ length: 200 }, () => enclave.openBlob({ blob, expected: bindings }))
    await startRole()
    for (const opened of await Promise.all(asked)) {
      expect(opened).toEqual({
        ok: true,
        keyId: keys.keyId,
        contents: { ...bindings, ...bundle, registered: [] },
      })
    }
    expect(await enclave.publicKeys()).toEqual(keys)
    enclave.close()
  })

  test('shuts down cleanly, and nothing it wrote contains a secret', async () => {
    const child = await startRole()
    const enclave = connectEnclave(socket)
    const { blob } = await enclave.sealBlob({ ...bindings, ...bundle })
    await enclave.openBlob({ blob, expected: bindings })
    const refused = { ...bundle, recipients: ['0x12'] } as never
    const failures = [
      await enclave.sealBlob({ ...bindings, ...(refused as object) } as never).catch(String),
      await enclave.openBundle({ ciphertext: blob, sourceChainId: 1, intentId: 1n }).catch(String),
      await enclave.signTransaction({ secret: bundle.recipients[0] } as never).catch(String),
    ]
    enclave.close()
    await end(child, 'SIGTERM')
    expect(child.exitCode).toBe(0)

    const [root] = readOrCreateRoots(rootFile).roots
    const secrets = [
      Buffer.from(root),
      ...[KEY_PURPOSE.ecies(), KEY_PURPOSE.relayer()].map((purpose) =>
        Buffer.from(deriveKey(root, purpose)),
      ),
      Buffer.from('c4'.repeat(20), 'hex'),
    ]
    const text = [...written, ...failures, readFileSync(chainsFile)].join('\n').toLowerCase()
    for (const secret of secrets) {
      for (const form of [secret.toString('hex'), BigInt(`0x${secret.toString('hex')}`).toString()])
        expect(text).not.toContain(form)
      expect(text).not.toContain(secret.toString('base64').toLowerCase())
    }
    expect(text).not.toContain(String(bundle.amounts[0]))
  })
})

describe('the socket', () => {
  test('closes the connection of whoever sends garbage, and nobody else’s', async () => {
    const enclave = await createEnclave({ roots: [new Uint8Array(32).fill(1)], chains: [] })
    const served = await serveEnclave(enclave, socket, [])
    const client = connectEnclave(socket)
    const keys = await client.publicKeys()
    const tooLong = Buffer.alloc(4)
    tooLong.writeUInt32BE(MAX_FRAME_BYTES + 1)
    for (const garbage of [
      ...[
        Buffer.from('GET / HTTP/1.1\r\n\r\n'),
        tooLong,
        encodeFrame('text'),
        encodeFrame({ id: -1 }),
      ],
      ...[encodeFrame({ id: 1, more: 1 }), Buffer.from([0, 0, 0, 1, 0x7b])],
    ]) {
      const stranger = connect(socket)
      stranger.write(garbage)
      stranger.resume()
      await once(stranger, 'close')
    }
    const stranger = connect(socket)
    stranger.write(encodeFrame({ id: 7, operation: '__proto__', request: {} }))
    stranger.write(encodeFrame({ id: 8, operation: 'openBlob', request: { blob: 'x' } }))
    const read = createFrameReader()
    const answers: unknown[] = []
    for await (const piece of stranger) {
      answers.push(...read(piece))
      if (answers.length === 2) break
    }
    expect(answers).toContainEqual({ id: 7, ok: false, code: 'UNKNOWN_OPERATION' })
    expect(answers).toContainEqual({ id: 8, ok: false, code: 'REQUEST_INVALID', field: 'blob' })
    expect(await client.publicKeys()).toEqual(keys)
    client.close()
    await served.stop()
  })

  test('serves callers of a later version, and they an enclave of one', async () => {
    const enclave = await createEnclave({ roots: [new Uint8Array(32).fill(1)], chains: [] })
    const served = await serveEnclave(enclave, socket, [])
    const keys = await enclave.publicKeys()
    const later = connect(socket)
    later.write(encodeFrame({ id: 1, operation: 'publicKeys', request: {}, later: true }))
    const [piece] = await once(later, 'data')
    expect(createFrameReader()(piece)).toEqual([{ id: 1, ok: true, result: keys }])
    later.destroy()
    await served.stop()

    const answers: Record<string, object> = {
      publicKeys: { ok: true, result: { ...keys, later: 1 }, later: 1 },
      openBlobs: { ok: true, result: { opened: [], later: [{ later: 1 }] } },
      sealBlob: { ok: false, code: 'LATER_CODE', later: 1 },
      openBlob: { ok: true, result: { ok: 'later' } },
    }
    let connections = 0
    const path = join(directory, 'later.sock')
    const server = createServer((peer) => {
      connections += 1
      const read = createFrameReader()
      peer.on('data', (bytes) => {
        for (const { id, operation } of read(bytes) as { id: number; operation: string }[])
          peer.write(encodeFrame({ id, ...answers[operation] }))
      })
    })
    await new Promise<void>((resolve) => server.listen(path, resolve))
    const client = connectEnclave(path, { timeoutMs: 5_000, retryMs: 10 })
    const unknown = { code: 'ENCLAVE_FAILED' }
    const [sealed, known, opened, blob] = await Promise.allSettled([
      client.sealBlob({ ...bindings, ...bundle }),
      client.publicKeys(),
      client.openBlobs({ blobs: [] }),
      client.openBlob({ blob: '0x', expected: bindings }),
    ])
    expect(sealed).toMatchObject({ status: 'rejected', reason: unknown })
    expect(known).toEqual({ status: 'fulfilled', value: keys })
    expect(opened).toEqual({ status: 'fulfilled', value: { opened: [] } })
    expect(blob).toMatchObject({ status: 'rejected', reason: unknown })
    expect(connections).toBe(1)
    client.close()
    server.close()
  })

  test('delivers frames as they were sent, however the bytes are split', () => {
    const message = fc.jsonValue({ maxDepth: 2 })
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 6 }),
        fc.array(fc.nat({ max: 40 })),
        (messages, cuts) => {
          const bytes = Buffer.concat(messages.map(encodeFrame))
          const read = createFrameReader()
          const found: unknown[] = []
          let at = 0
          for (const cut of [...cuts, bytes.length]) {
            found.push(...read(bytes.subarray(at, at + cut)))
            at += cut
          }
          expect(JSON.stringify(found)).toBe(JSON.stringify(messages))
        },
      ),
      { seed: 51, numRuns: 300 },
    )
  })

  test('isn’t created in a directory that others can read, nor over another socket or a file', async () => {
    const enclave = await createEnclave({ roots: [new Uint8Array(32).fill(1)], chains: [] })
    const open = mkdtempSync(join(tmpdir(), 'cairn-open-'))
    chmodSync(open, 0o755)
    await expect(serveEnclave(enclave, join(open, 's'), [])).rejects.toThrow(SocketPathError)
    rmSync(open, { recursive: true })
    await expect(serveEnclave(enclave, chainsFile, [])).rejects.toThrow('is not a socket')
    const long = join(directory, 's'.repeat(120))
    await expect(serveEnclave(enclave, long, [])).rejects.toThrow(SocketPathError)
    const inFile = join(chainsFile, 'enclave', 's')
    await expect(serveEnclave(enclave, inFile, [])).rejects.toThrow(SocketPathError)
    const served = await serveEnclave(enclave, socket, [])
    await expect(serveEnclave(enclave, socket, [])).rejects.toThrow('already serves')
    await served.stop()
  })

  test('lets another user call the enclave by its directory’s group, without access to its keys', async () => {
    const enclave = await createEnclave({ roots: [new Uint8Array(32).fill(1)], chains: [] })
    const shared = mkdtempSync(join(tmpdir(), 'cairn-shared-'))
    const path = join(shared, 's')
    for (const mode of [0o770, 0o751, 0o755]) {
      chmodSync(shared, mode)
      await expect(serveEnclave(enclave, path, [])).rejects.toThrow(SocketPathError)
    }
    chmodSync(shared, 0o750)
    if (CAN_SWITCH) chownSync(shared, 0, CALLERS)
    const served = await serveEnclave(enclave, path, [])
    const { mode, gid } = statSync(path)
    expect(mode & 0o777).toBe(0o660)
    expect(gid).toBe(statSync(shared).gid)
    if (CAN_SWITCH) {
      const keyFile = join(shared, 'root')
      readOrCreateRoots(keyFile)
      expect(await tryAs(NOBODY, CALLERS, path)).toBe('connected')
      expect(await tryAs(NOBODY, NOBODY, path)).toBe('EACCES')
      expect(spawnSync('cat', [keyFile], { uid: NOBODY, gid: CALLERS }).status).not.toBe(0)
    }
    await served.stop()
    rmSync(shared, { recursive: true })
  })

  test('ends an unanswered call as unreachable', async () => {
    const client = connectEnclave(join(directory, 'nobody'), { timeoutMs: 80, retryMs: 10 })
    await expect(client.publicKeys()).rejects.toMatchObject({
      code: 'ENCLAVE_UNREACHABLE',
      isRetryable: true,
    })
    client.close()
  })

  test('lets a process end after its last call timed out', async () => {
    const silent = createServer(() => {})
    const path = join(directory, 'silent.sock')
    await new Promise<void>((resolve) => silent.listen(path, resolve))
    const module = join(import.meta.dirname, '../../../services/enclave/socket/connectEnclave.ts')
    const script = `
      const { connectEnclave } = await import(${JSON.stringify(module)})
      const enclave = connectEnclave(${JSON.stringify(path)}, { timeoutMs: 50 })
      console.log((await enclave.publicKeys().catch((error) => error)).code)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
    running.push(child)
    child.stdout.on('data', (piece) => written.push(String(piece)))
    // Once all that it wrote has come, too.
    expect(await once(child, 'close')).toEqual([0, null])
    expect(written.at(-1)).toContain('ENCLAVE_UNREACHABLE')
    silent.close()
  })
})

const NOBODY = 65_534
const CALLERS = 4_321

/** Only root can run programs as another user, if that user can reach them. */
const CAN_SWITCH =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ['--version'], { uid: NOBODY, gid: NOBODY, cwd: '/' }).status === 0

/** What a program of another user gets that connects to a socket. */
async function tryAs(uid: number, gid: number, path: string): Promise<string> {
  const code = `const connection = require('net').connect(process.argv[1])
    connection.on('connect', () => { console.log('connected'); connection.destroy() })
    connection.on('error', (error) => console.log(error.code))`
  const child = spawn(process.execPath, ['-e', code, path], { uid, gid, cwd: '/' })
  const output: string[] = []
  child.stdout.on('data', (piece) => output.push(String(piece)))
  await once(child, 'close')
  return output.join('').trim()
}
