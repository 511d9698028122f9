import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import {
  startTokenPriceCache,
  type TokenPriceCache,
} from '../../../api/http/prices/tokenPriceCache.ts'
import { until } from '../../rig/until.ts'

const TOKEN = `0x${'ab'.repeat(20)}` as const
const SECRET = 'hunter2'
const directory = mkdtempSync(join(tmpdir(), `cairn-prices-${SECRET}-`))
const opened: (TokenPriceCache | Server)[] = []

afterEach(() => {
  for (const one of opened.splice(0)) {
    if ('stop' in one) one.stop()
    else {
      one.closeAllConnections()
      one.close()
    }
  }
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** A document whose prices are so many seconds old. */
function documentOf(usd: string, age = 0): string {
  const asOf = String(Math.floor(Date.now() / 1_000) - age)
  return JSON.stringify({ source: 'The desk', asOf, prices: [{ chain: 84532, token: TOKEN, usd }] })
}

function bookOf(from: string, timeoutMs = 60_000) {
  const lines: string[] = []
  const onChange = (words: string) => lines.push(words)
  const book = startTokenPriceCache({ from, maxAgeSeconds: 3_600, everyMs: 5, timeoutMs, onChange })
  opened.push(book)
  return { book, lines, priceNow: () => book.of(84_532, TOKEN)?.usd ?? null }
}

/** Replaced at once, as an operator should. */
function write(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

describe('a file', () => {
  test('is polled; if it is missing or invalid, the last prices stay', async () => {
    const path = join(directory, 'prices.json')
    const { book, lines, priceNow } = bookOf(path)
    await until(() => lines.length === 1)
    expect([priceNow(), book.health()?.status]).toEqual([null, 'failing'])
    expect(lines[0]).toContain('can’t be opened (ENOENT)')
    write(path, documentOf('1.5'))
    await until(() => priceNow() === '1.5')
    await until(() => lines.length === 2)
    write(path, documentOf('1.6'))
    await until(() => priceNow() === '1.6')
    write(path, '{"prices": "of another shape"}')
    await until(() => lines.length === 3)
    expect([priceNow(), book.health()]).toMatchObject([
      '1.6',
      { status: 'failing', shown: 1, known: 1 },
    ])
    rmSync(path)
    await until(() => lines.length === 4)
    expect(lines.map((line) => line.slice(0, 15))).toEqual([
      'USD prices can’',
      'USD prices can ',
      'USD prices can’',
      'USD prices can’',
    ])
    expect(lines.join()).not.toContain(SECRET)
    expect(JSON.stringify(book.health())).not.toContain(SECRET)
  })

  test.each([
    ['too old', 3_700],
    ['dated in the future', -3_700],
  ])('with prices %s shows none, and reports it once', async (_, age) => {
    const path = join(directory, `aged${age}.json`)
    write(path, documentOf('1.5', age))
    const { book, lines, priceNow } = bookOf(path)
    await until(() => lines.length === 1)
    expect([priceNow(), lines]).toEqual([null, [expect.stringContaining('1 of 1 USD prices')]])
    expect(book.health()).toEqual({
      status: 'stale',
      shown: 0,
      known: 1,
      asOf: null,
      problem: null,
    })
    write(path, documentOf('1.5'))
    await until(() => priceNow() === '1.5')
  })

  test('that is a pipe, a directory or too long is refused without blocking', async () => {
    const [pipe, folder, long] = ['pipe', 'folder', 'long'].map((name) => join(directory, name))
    execFileSync('mkfifo', [pipe!])
    mkdirSync(folder!)
    writeFileSync(long!, ' '.repeat(1_048_577))
    for (const [path, words] of [
      [pipe, 'not a regular file'],
      [folder, 'not a regular file'],
      [long, 'longer than a megabyte'],
    ]) {
      const { lines, book } = bookOf(path!)
      await until(() => lines.length === 1)
      expect(lines[0]).toContain(words)
      book.stop()
    }
  })
})

describe('a server', () => {
  async function served(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    opened.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/?key=${SECRET}`
  }

  test('supplies prices', async () => {
    let usd = '2'
    const { lines, priceNow } = bookOf(await served((_, answer) => answer.end(documentOf(usd))))
    await until(() => priceNow() === '2')
    usd = '3'
    await until(() => priceNow() === '3')
    expect(lines).toEqual([])
  })

  const faults: [string, RequestListener, string][] = [
    ['refuses', (_, answer) => answer.writeHead(403).end(documentOf('1')), 'answered 403'],
    [
      'leads elsewhere',
      (_, answer) => answer.writeHead(302, { location: `/${SECRET}` }).end(),
      'did not answer',
    ],
    ['answers in prose', (_, answer) => answer.end(SECRET), 'not JSON'],
    [
      'breaks off',
      (_, answer) => void answer.write('{', () => answer.destroy()),
      'did not answer completely',
    ],
    [
      'never ends',
      (_, answer) => {
        const more = () => answer.write(' '.repeat(65_536), more)
        more()
      },
      'longer than a megabyte',
    ],
  ]
  test.each(
    faults,
  )('that %s gives none, in one line without its address', async (_, listener, words) => {
    let asked = 0
    const from = await served((request, answer) => {
      asked += 1
      listener(request, answer)
    })
    const { book, lines, priceNow } = bookOf(from)
    await until(() => asked >= 3 && lines.length > 0)
    expect(lines).toEqual([expect.stringContaining(words)])
    expect([priceNow(), book.health()?.status]).toEqual([null, 'failing'])
    expect(lines.join() + JSON.stringify(book.health())).not.toContain(SECRET)
  })

  test('that hangs is abandoned and polled again', async () => {
    let asked = 0
    const from = await served(() => {
      asked += 1
    })
    const { book, lines, priceNow } = bookOf(from, 50)
    await until(() => asked >= 3 && lines.length > 0)
    expect([priceNow(), book.health()?.status]).toEqual([null, 'failing'])
  })
})
