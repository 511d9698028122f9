import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { classifyRpcError } from '../../../services/chain/rpcPool/rpcError.ts'
import { explain } from '../../../tools/commandLine.ts'
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
