import { expect, test } from 'vitest'
import { fetchIndexedRecord } from '../../../api/explorer/browser/proof/fetchIndexedRecord.ts'
import { listOwnOrders } from '../../../api/explorer/browser/wallet/listOwnOrders.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

// What the pages read of a server that they don't trust.

const OWNER = '0x00000000000000000000000000000000000000aa'
const ORDER = { id: 'twap-1', vaultOrderId: '0x1', sourceChainId: '1', assetIn: OWNER }

const serveJson = (body: (url: URL) => object) =>
  serveLocally(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body(new URL(url!, 'http://server'))))
  })

test('an endless answer is given up', async () => {
  let bytes = 0
  const part = Buffer.alloc(2 ** 20, ' ')
  const origin = await serveLocally((_, response) => {
    const more = () => {
      while (!response.destroyed && bytes < 2 ** 28) {
        bytes += part.length
        if (!response.write(part)) return response.once('drain', more)
      }
    }
    more()
  })
  const readings = [() => listOwnOrders(origin, OWNER), () => fetchIndexedRecord(origin, 7n)]
  for (const read of readings)
    await expect(read()).rejects.toMatchObject({ code: 'ANSWER_INVALID' })
  expect(bytes).toBeLessThan(2 ** 28)
})

test('an owner’s orders come page by page, and a list without end ends', async () => {
  const asked: string[] = []
  const origin = await serveJson(({ search, searchParams }) => {
    asked.push(search)
    const isLast = searchParams.get('cursor') === 'b'
    return { orders: [{ ...ORDER, amountLeft: '5' }], nextCursor: isLast ? null : 'b' }
  })
  expect(await listOwnOrders(origin, OWNER)).toHaveLength(2)
  expect(asked).toEqual([`?user=${OWNER}&limit=100`, `?user=${OWNER}&limit=100&cursor=b`])
  const endless = await serveJson(() => ({ orders: [], nextCursor: 'b' }))
  expect(await listOwnOrders(endless, OWNER)).toEqual([])
})

test.each([
  { orders: {}, nextCursor: null },
  { orders: [null], nextCursor: null },
  { orders: [{ ...ORDER, amountLeft: '0x5' }], nextCursor: null },
  { orders: Array(101).fill({ ...ORDER, amountLeft: '5' }), nextCursor: null },
])('what is no list of orders is named as that', async (body) => {
  const reading = listOwnOrders(await serveJson(() => body), OWNER)
  await expect(reading).rejects.toMatchObject({
    code: 'ANSWER_INVALID',
    message: expect.stringMatching(/^this server at /),
  })
})

test('a record may have any values', async () => {
  const intent = { status: { a: 1 }, intentId: 7 }
  expect(await fetchIndexedRecord(await serveJson(() => ({ intent })), 7n)).toEqual(intent)
})
