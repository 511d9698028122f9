import fc from 'fast-check'
import { HttpRequestError, LimitExceededRpcError, TimeoutError } from 'viem'
import { expect, test } from 'vitest'
import { type BlockRange, readInRanges } from '../../../sdk/client/readInRanges.ts'

const url = 'http://node.invalid'

/** A node that serves so many blocks a request, and what it was asked. */
function nodeThatServes(limit: bigint, refusal: () => Error) {
  const asked: BlockRange[] = []
  const read = async (range: BlockRange) => {
    asked.push(range)
    if (range.toBlock - range.fromBlock >= limit) throw refusal()
    return range
  }
  return { asked, read }
}

const tooMany = () => new LimitExceededRpcError(new Error('block range is too large'))
const badRequest = () => new HttpRequestError({ url, status: 400 })

async function partsOf(range: BlockRange, read: (range: BlockRange) => Promise<BlockRange>) {
  const parts: BlockRange[] = []
  for await (const part of readInRanges(range, read)) parts.push(part)
  return parts
}

test('every block is read once, in order, whatever the node serves', () =>
  fc.assert(
    fc.asyncProperty(
      fc.bigInt(0n, 10_000_000n),
      fc.bigInt(0n, 100_000n),
      fc.bigInt(50n, 200_000n),
      fc.constantFrom(tooMany, badRequest),
      async (fromBlock, more, limit, refusal) => {
        const toBlock = fromBlock + more
        const { asked, read } = nodeThatServes(limit, refusal)
        const parts = await partsOf({ fromBlock, toBlock }, read)
        let next = fromBlock
        for (const part of parts) {
          expect(part.fromBlock).toBe(next)
          next = part.toBlock + 1n
        }
        expect(next).toBe(toBlock + 1n)
        // At most twice as many requests as this limit needs, and some to find it out.
        expect(asked.length).toBeLessThan(50 + (2 * Number(more)) / Number(limit))
      },
    ),
  ))

test('a range that is empty isn’t read', async () => {
  const { asked, read } = nodeThatServes(10n, tooMany)
  expect(await partsOf({ fromBlock: 5n, toBlock: 4n }, read)).toEqual([])
  expect(asked).toEqual([])
})

test('a node that refuses a single block is not asked again', async () => {
  const { asked, read } = nodeThatServes(0n, tooMany)
  await expect(partsOf({ fromBlock: 0n, toBlock: 10_000n }, read)).rejects.toThrow(
    LimitExceededRpcError,
  )
  expect(asked.at(-1)).toEqual({ fromBlock: 0n, toBlock: 0n })
  expect(asked.length).toBeLessThan(15)
})

test.each([
  ['doesn’t answer', undefined],
  ['has too many requests', 429],
  ['is broken', 503],
])('a node that %s is asked once', async (_, status) => {
  const fails = () => new HttpRequestError({ url, ...(status && { status }) })
  const { asked, read } = nodeThatServes(0n, fails)
  await expect(partsOf({ fromBlock: 0n, toBlock: 10_000n }, read)).rejects.toThrow(HttpRequestError)
  expect(asked).toHaveLength(1)
})

test('a node that needs too long for many blocks is asked for few again', async () => {
  const { asked, read } = nodeThatServes(10_000n, () => new TimeoutError({ body: {}, url }))
  const parts = await partsOf({ fromBlock: 0n, toBlock: 999_999n }, read)
  expect(parts.at(-1)?.toBlock).toBe(999_999n)
  expect(asked.length).toBeLessThan(300)
})

test('a node that stops answering is asked once more, for few blocks', async () => {
  const asked: BlockRange[] = []
  const read = async (range: BlockRange) => {
    asked.push(range)
    if (range.toBlock >= 100_000n) throw new TimeoutError({ body: {}, url })
    return range
  }
  await expect(partsOf({ fromBlock: 0n, toBlock: 9_999_999n }, read)).rejects.toThrow(TimeoutError)
  expect(asked.filter(({ toBlock }) => toBlock >= 100_000n).length).toBeLessThan(4)
})
