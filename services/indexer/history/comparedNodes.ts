import { setTimeout as pause } from 'node:timers/promises'
import { type Sending, sendOnlyTo } from '../../chain/history/agreedReads.ts'
import { createBlockHeaderRequest } from '../../chain/history/blockHeaderRequest.ts'
import { NodesDisagreeError } from '../../chain/history/historyErrors.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import { requestFromPool } from '../../chain/history/requestFromPool.ts'
import { requestHeader, TIMEOUT_MS } from '../../chain/history/requestInBatches.ts'
import { type Header, parseAnswer, rawHeaderSchema } from '../../chain/history/rpcSchemas.ts'
import { headerMatchesHash } from '../../chain/proof/headerMatchesHash.ts'
import { type Provider, resultOf } from '../../chain/rpcPool/provider.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { findLowerMedian, findMajority } from '../../chain/transactions/medianAndMajority.ts'

/** A chain's nodes for readers that want to check rather than believe: each read is compared. */
export type ComparedNodes = {
  pool: RpcPool
  /**
   * The latest block that most nodes have; of two nodes, both.
   *
   * @throws NodesDisagreeError when one of two is far behind the other, or the block differs
   */
  head(): Promise<Header>
  /** A block on which the nodes agree. @throws NodesDisagreeError, RpcError */
  header(block: number): Promise<Header>
  /**
   * The answer that most of the answering nodes give.
   *
   * @param sayOf names an answer, the same for equal ones
   * @throws NodesDisagreeError without a majority; RpcError when none answers
   */
  read<Answer>(
    subject: string,
    ask: (sending: Sending) => Promise<Answer>,
    sayOf: (answer: Answer) => string,
  ): Promise<Answer>
  /** Records blocks that only these nodes gave, because no other answered. */
  noteUnconfirmed(range: BlockRange, providers: readonly Provider[]): void
  /** Whether any of those nodes was found wrong later. */
  isDiscredited(): boolean
  /** Forgets the notes, before everything is read again. */
  forget(): void
  report(): NodesReport
}

/** Which nodes were believed, and about what. Named by host and position, without the rest of their URL. */
export type NodesReport = {
  nodes: string[]
  /** Nodes that were found wrong, and weren't used any more. */
  refused: { node: string; reason: string }[]
  /** Blocks of which one of several nodes gave the header or the logs alone, because no other answered. */
  unconfirmed: { node: string; from: number; to: number }[]
}

/** Seconds by which the slower of two nodes may be behind. */
const MOST_LAG = 120
/** Attempts to find two nodes in step, and milliseconds between them. */
const ATTEMPTS = 4
const PAUSE_MS = 1_000

/** Milliseconds to wait for a node that has just failed. One that fails again and again is left out meanwhile. */
const MOST_WAIT_MS = 5_000

export function createComparedNodes(pool: RpcPool): ComparedNodes {
  const unconfirmed = new Map<Provider, BlockRange[]>()

  async function askAll<Answer>(
    ask: (sending: Sending) => Promise<Answer>,
  ): Promise<Answered<Answer>[]> {
    const trusted = pool.trusted()
    if (trusted.length < 2) return [{ provider: trusted[0], answer: await ask(pool) }]
    // Not by the configured rate limit: while an honest node waits for its turn, another one could lie.
    const ready = trusted.filter(({ backoffMs }) => backoffMs <= MOST_WAIT_MS)
    const results = await Promise.allSettled(
      ready.map(async (provider) => ({
        provider,
        answer: await ask(sendOnlyTo(pool, provider)),
      })),
    )
    const answers = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (answers.length > 0) return answers
    const failed = results.find((one) => one.status === 'rejected')
    if (failed && pool.trusted().length === 0) throw failed.reason
    // All are asked until one answers.
    let provider: Provider | undefined
    const sending: Sending = {
      async send(requests, options) {
        const sent = await pool.send(requests, options)
        provider = sent.provider
        return sent
      },
    }
    const answer = await ask(sending)
    return [{ provider, answer }]
  }

  const read: ComparedNodes['read'] = async (subject, ask, sayOf) =>
    decide(subject, await askAll(ask), sayOf)

  /** @param isLastAttempt whether a disagreement no longer counts as a reorg that the nodes are following */
  async function readHeader(block: number, isLastAttempt: boolean): Promise<Header> {
    const answers = await askAll((sending) => requestBlock(sending, block))
    noteIfUnconfirmed(answers)
    const most = findMajority(answers, ({ answer }) => answer.hash)?.answer.hash
    const voters = answers.filter(({ answer }) => most === undefined || answer.hash === most)
    const proven = voters.filter(({ answer }) => answer.isProven)
    if (proven.length === 0) return headerOf(decide(`block ${block}`, answers, nameBlock))
    // On a chain whose headers hash to their hashes, one that doesn't is false, unless it names a proven block: some
    // nodes leave fields out.
    const known = new Set(proven.map(({ answer }) => nameBlock(answer)))
    const isTrue = ({ answer }: Answered<Header>) => known.has(nameBlock(answer))
    const forged = answers.filter((one) => !one.answer.isProven && !isTrue(one))
    // Throws: nobody is called wrong for a reorg.
    if (most === undefined && !isLastAttempt) decide(`block ${block}`, answers, nameBlock)
    for (const { provider, answer } of forged)
      provider?.setQuarantine('logs', `its block ${block} doesn't hash to ${answer.hash}`)
    return headerOf(decide(`block ${block}`, answers.filter(isTrue), nameBlock))
  }

  /** Records a block that only one of several nodes gave. */
  function noteIfUnconfirmed(answers: readonly Answered<Header>[]): void {
    const [only] = answers
    if (answers.length !== 1 || only?.provider === undefined) return
    const { number } = only.answer
    const known = unconfirmed.get(only.provider) ?? []
    if (known.some(({ from, to }) => from <= number && number <= to)) return
    noteUnconfirmed({ from: number, to: number }, [only.provider])
  }

  const noteUnconfirmed: ComparedNodes['noteUnconfirmed'] = ({ from, to }, providers) => {
    if (pool.providers.length === 1) return
    // One may have given both the logs and the senders.
    for (const provider of new Set(providers)) {
      const known = unconfirmed.get(provider) ?? []
      const last = known.at(-1)
      if (last?.to === from - 1) last.to = to
      else unconfirmed.set(provider, [...known, { from, to }])
    }
  }

  /** Nodes disagree for a moment during a reorg. */
  async function header(block: number): Promise<Header> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await readHeader(block, attempt === ATTEMPTS)
      } catch (error) {
        if (!(error instanceof NodesDisagreeError) || attempt === ATTEMPTS) throw error
        await pause(PAUSE_MS)
      }
    }
  }

  async function head(): Promise<Header> {
    for (let attempt = 1; ; attempt++) {
      const heads = await askAll((sending) => requestHeader(sending, 'latest'))
      noteIfUnconfirmed(heads)
      if (heads.length === 1) return heads[0]!.answer
      const found = await header(findLowerMedian(heads.map(({ answer }) => answer.number)))
      const latest = Math.max(...heads.map(({ answer }) => answer.timestamp))
      // Among three or more, the others outvote a stuck node.
      if (heads.length > 2 || latest - found.timestamp <= MOST_LAG) return found
      if (attempt === ATTEMPTS) throw farApart(heads)
      await pause(PAUSE_MS)
    }
  }

  return {
    pool,
    head,
    header,
    read,
    noteUnconfirmed,
    isDiscredited: () => [...unconfirmed.keys()].some(({ quarantine }) => quarantine !== undefined),
    forget: () => unconfirmed.clear(),
    report: () => ({
      nodes: pool.providers.map(({ name }) => name),
      refused: pool.providers.flatMap(({ name: node, quarantine }) =>
        quarantine === undefined ? [] : [{ node, reason: quarantine.reason }],
      ),
      unconfirmed: [...unconfirmed].flatMap(([{ name: node }, ranges]) =>
        ranges.map((range) => ({ node, ...range })),
      ),
    }),
  }
}

type Answered<Answer> = { provider: Provider | undefined; answer: Answer }

/** The answer of most. @throws NodesDisagreeError */
function decide<Answer>(
  subject: string,
  answers: readonly Answered<Answer>[],
  sayOf: (answer: Answer) => string,
): Answer {
  const majority = findMajority(answers, ({ answer }) => sayOf(answer))
  if (majority !== null) return majority.answer
  const said = answers.map(({ provider, answer }) => `${sayOf(answer)} on ${provider?.name}`)
  throw new NodesDisagreeError(`${subject} is ${said.join(', and ')}`)
}

/** A block's header, and whether it hashes to the block's hash. */
async function requestBlock(
  sending: Sending,
  block: number,
): Promise<Header & { isProven: boolean }> {
  const send = requestFromPool(sending, { totalTimeoutMs: TIMEOUT_MS })
  const { answers } = await send([createBlockHeaderRequest(block)])
  const raw = resultOf(answers[0])
  return {
    ...parseAnswer(rawHeaderSchema, raw, 'eth_getBlockByNumber'),
    isProven: headerMatchesHash(raw),
  }
}

function headerOf({ number, hash, timestamp }: Header): Header {
  return { number, hash, timestamp }
}

function nameBlock({ hash, timestamp }: Header): string {
  return `${hash} of ${new Date(timestamp * 1_000).toISOString()}`
}

function farApart(heads: readonly Answered<Header>[]): NodesDisagreeError {
  const said = heads.map(
    ({ provider, answer }) =>
      `block ${answer.number} (${new Date(answer.timestamp * 1_000).toISOString()}) on ${provider?.name}`,
  )
  return new NodesDisagreeError(
    `the latest block is ${said.join(', and ')}; if one is still catching up, wait`,
  )
}
