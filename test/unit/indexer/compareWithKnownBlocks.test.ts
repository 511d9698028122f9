import type { Hash } from 'viem'
import { expect, test } from 'vitest'
import { compareWithKnownBlocks } from '../../../services/indexer/check/compareWithKnownBlocks.ts'
import type { ChainView } from '../../../services/indexer/follow/probeChain.ts'

const hash = (text: string) => `0x${text.padStart(64, '0')}` as Hash

/** A chain as seen by endpoints that give these hashes for these blocks. */
function view(
  head: number,
  blocks: Record<number, (Hash | null)[]>,
  isDevelopment = false,
): ChainView {
  return {
    head: 0,
    highestHead: head,
    isDevelopment,
    strangers: [],
    clients: [],
    hashesAt: async (number) => blocks[number] ?? [null],
  }
}

const known = [
  { blockNumber: 10, blockHash: hash('a') },
  { blockNumber: 50, blockHash: hash('b') },
]

test('a chain that still has the known blocks is the same', async () => {
  const seen = view(90, { 10: [hash('a')], 50: [hash('b')] })
  expect(await compareWithKnownBlocks(seen, known)).toEqual({ kind: 'same' })
})

test('one endpoint that vouches for a block outweighs others that do not', async () => {
  const seen = view(90, { 10: [hash('a')], 50: [hash('f'), hash('b')] })
  expect(await compareWithKnownBlocks(seen, known)).toEqual({ kind: 'same' })
})

test('a block that nobody knows proves nothing', async () => {
  expect(await compareWithKnownBlocks(view(90, { 10: [hash('a')] }), known)).toEqual({
    kind: 'same',
  })
})

test('a final block with another hash is a fork', async () => {
  const seen = view(90, { 10: [hash('a')], 50: [hash('f')] })
  expect(await compareWithKnownBlocks(seen, known)).toMatchObject({ kind: 'forked' })
})

test('off a development chain no fork is believed before every endpoint has answered', async () => {
  const seen: Record<number, (Hash | null)[]> = {
    10: [hash('a'), hash('a')],
    50: [null, hash('f')],
  }
  const comparison = await compareWithKnownBlocks(view(90, seen), known)
  expect(comparison).toMatchObject({
    kind: 'unknown',
    reason: expect.stringMatching(/1 of 2 endpoints can't be asked/),
  })
  expect(await compareWithKnownBlocks(view(90, seen, true), known)).toMatchObject({
    kind: 'forked',
  })
  seen[50] = [hash('f'), hash('e')]
  expect(await compareWithKnownBlocks(view(90, seen), known)).toMatchObject({ kind: 'forked' })
})

test('a head below a final block means a lagging endpoint, unless an older block shows a fork', async () => {
  const lagging = view(40, { 10: [hash('a')] })
  expect(await compareWithKnownBlocks(lagging, known)).toMatchObject({ kind: 'behind' })
  const reset = view(40, { 10: [hash('f')] })
  expect(await compareWithKnownBlocks(reset, known.toReversed())).toMatchObject({ kind: 'forked' })
})

test('on a development node a head below a final block is a chain that went back', async () => {
  const seen = view(40, { 10: [hash('a')] }, true)
  expect(await compareWithKnownBlocks(seen, known)).toMatchObject({ kind: 'forked' })
})
