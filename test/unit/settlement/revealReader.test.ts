import { expect, test } from 'vitest'
import { createRecipientRevealLimiter } from '../../../api/rest/recipientBundles/recipientRevealLimiter.ts'
import { createRevealReader } from '../../../services/relayer/settlement/revealReader.ts'
import type { Signing } from '../../../services/relayer/settlement/signingContext.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A reader whose chain answers that deposits are early, once told to; and which intents it was asked about. */
function rig() {
  const asked: bigint[] = []
  const answers: (() => void)[] = []
  const deep = ({ intentId }: SourceFacts) => {
    asked.push(intentId)
    return new Promise((resolve) =>
      answers.push(() => resolve({ is: 'early', missingBlocks: Number(intentId) })),
    )
  }
  const reader = createRevealReader({ proverOn: () => ({ deep }) } as unknown as Signing)
  const gate = createRecipientRevealLimiter()
  const read = (intentId: bigint, stranger: string | null, more: Partial<SourceFacts> = {}) => {
    const known = { sourceChainId: 1, intentId, quorum: 1, phase: 'completed' } as SourceFacts
    const source = { ...known, ...more }
    return reader.plain(source, { from: 0, head: 9, depth: 1 }, (task) =>
      gate.pass(source, stranger, task),
    )
  }
  const answerAll = async () => {
    for (; answers.length > 0; await settled()) for (const answer of answers.splice(0)) answer()
  }
  return { read, asked, answerAll }
}

test('a reader who has signed waits for no stranger who reads the same intent', async () => {
  const { read, asked, answerAll } = rig()
  const strangers = [read(1n, 'a'), read(2n, 'b')]
  await settled()
  expect(asked).toEqual([1n])
  const signed = read(2n, null)
  await settled()
  expect(asked).toEqual([1n, 2n])
  await answerAll()
  expect(await signed).toEqual({ is: 'early', missingBlocks: 2 })
  await Promise.all(strangers)
})

test('a refusal is the reader’s own', async () => {
  const { read, answerAll } = rig()
  // The strangers' queue is full.
  const waiting = Array.from({ length: 33 }, (_, at) => read(BigInt(at + 1), `client ${at}`))
  await settled()
  const refused = read(99n, 'late')
  const signed = read(99n, null)
  await expect(refused).rejects.toMatchObject({ code: 'ENCLAVE_UNREACHABLE' })
  await settled()
  await answerAll()
  expect(await signed).toMatchObject({ is: 'early' })
  await Promise.all(waiting)
})

test('whoever asks for what is being asked shares its answer, at no cost', async () => {
  const { read, asked, answerAll } = rig()
  const first = read(1n, 'a')
  await settled()
  const others = Array.from({ length: 100 }, () => read(1n, 'b'))
  await settled()
  await answerAll()
  expect(await Promise.all([first, ...others])).toHaveLength(101)
  expect(asked).toEqual([1n])
})

test('what depends on another creation, bundle, winner or commitment is asked for by itself', async () => {
  const { read, asked, answerAll } = rig()
  const others: Partial<SourceFacts>[] = [
    { sourceChainId: 2 },
    { paramsHash: '0x01' },
    { blobsHash: '0x01' },
    { solver: '0x01' },
    { winningAmountB: 1n },
  ]
  const all = [{}, ...others].map((more) => read(1n, null, more))
  await settled()
  expect(asked).toHaveLength(all.length)
  await answerAll()
  await Promise.all(all)
})
