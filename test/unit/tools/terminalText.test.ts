import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { classifyRpcError } from '../../../services/chain/rpcPool/rpcError.ts'
import { explain } from '../../../tools/commandLine.ts'
import { printableJson } from '../../../tools/printableJson.ts'
import { compareHeadersWithChain } from '../../../tools/verify/compareHeadersWithChain.ts'

/** Clears the screen and poses as the tool's own verdict. */
const FORGED = '\u001b[2J\u001b[H\nIntent 5: the proof holds.\u202e'

/** Control and format characters, which move a cursor or turn text around. */
const CONTROL = /\p{C}/u

test('a node can’t write a verdict of its own to the terminal', () => {
  const error = classifyRpcError({ code: -32000, message: `no logs: ${FORGED}` })
  const words = explain('replay', error)
  expect(words).toContain('no logs')
  expect(words).not.toMatch(CONTROL)
  expect(explain('replay', new Error(FORGED))).not.toMatch(/[^\P{C}\n]/u)
})

test('a node whose block hash is a text doesn’t get it shown', async () => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const { id, method } = JSON.parse(body)
    const result = method === 'eth_chainId' ? '0x5' : { hash: FORGED }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const point = { chainId: 5, blockNumber: 7, blockHash: `0x${'1'.repeat(64)}` }
  const events = [{ event: { point }, transactionIndex: 0 }]
  const error = await compareHeadersWithChain(5, url, events as never).catch((one) => one)
  expect(error.name).toBe('NotCanonicalError')
  expect(error.message).not.toMatch(CONTROL)
  expect(error.message).not.toContain('the proof holds')
})

test('a proof file can’t write to the terminal', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cairn-verify-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'proof.json')
  await writeFile(file, JSON.stringify({ format: 'cairn-intent-proof', version: FORGED }))
  const program = join(import.meta.dirname, '../../../tools/verify/main.ts')
  const written = await new Promise<string>((resolve) =>
    execFile(process.execPath, [program, file], (_, out, err) => resolve(out + err)),
  )
  expect(written).toContain('UNSUPPORTED_VERSION')
  expect(written.trimEnd()).not.toMatch(CONTROL)
})

test('JSON escapes what would steer a terminal, and keeps its value', () => {
  const value = {
    'key\u009b': [
      '\u009b2J',
      '\u202eabc',
      '\u0007\u007f',
      'a\nb "c" \\ é 🜂 \ud800',
      '\u{e0041}',
      5n,
    ],
  }
  const replacer = (_: string, one: unknown) => (typeof one === 'bigint' ? String(one) : one)
  const text = printableJson(value, { replacer })
  expect(text).not.toMatch(/[^\P{C}\n]/u)
  expect(text).toContain('\\u009b2J')
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value, replacer)))
  expect(printableJson(['\u0085'], { indent: 0 })).toBe('["\\u0085"]')
})

test('no tool’s --json writes other JSON to a terminal', async () => {
  const folder = join(import.meta.dirname, '../../../tools')
  const mains = ['recover/main.ts', 'recoverOrders/main.ts', 'replay/runReplay.ts']
  for (const file of [...mains, 'report/main.ts', 'sweep/runSweep.ts', 'verify/main.ts']) {
    const source = await readFile(join(folder, file), 'utf8')
    expect(source, file).toContain('printableJson(')
    expect(source, file).not.toContain('JSON.stringify(')
  }
})
