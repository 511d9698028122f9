import { type ChainLog, rawLogSchema } from '../history/rpcSchemas.ts'
import { isSameLogs } from '../proof/isSameLogs.ts'
import { resolveLogConflict } from '../proof/resolveLogConflict.ts'
import { isWritable } from './isWritable.ts'
import { type Provider, resultOf } from './provider.ts'
import { quarantineOutvoted } from './quarantineOutvoted.ts'
import { RpcError } from './rpcError.ts'
import type { RpcPool, SendOptions } from './rpcPool.ts'

/** Milliseconds for a second provider to confirm a block's logs. One that lags gets the block meanwhile. */
const CONFIRM_MS = 2_000

type BlockLogs = {
  provider: Provider
  number: number
  /** What Ponder gets. */
  answer: unknown
  /** The contracts' own logs. */
  logs: ChainLog[]
}

/**
 * Reads the logs of the block with this hash and compares them with a second provider's, as the history's are: receipts
 * decide, or else the other providers, and the wrong one is quarantined. If no second provider answers in time, or
 * nothing decides, the first one's logs are used.
 *
 * @param contracts in lower case: other contracts' logs aren't compared
 * @throws RpcError when no provider has them
 */
export async function answerBlockLogs(
  pool: RpcPool,
  hash: string,
  {
    contracts,
    totalTimeoutMs,
    timeoutMs,
  }: { contracts: ReadonlySet<string>; totalTimeoutMs: number; timeoutMs: number },
): Promise<unknown> {
  const deadline = performance.now() + totalTimeoutMs
  const request = (until: number, options: SendOptions) =>
    requestBlockLogs(pool, hash, contracts, { ...options, deadline: until })
  const confirm = (until: number, exclude: ReadonlySet<Provider>) =>
    request(until, { exclude, timeoutMs: CONFIRM_MS, retryBehind: true }).catch(nullIfRefused)
  while (true) {
    const first = await request(deadline, { timeoutMs })
    const confirmUntil = Math.min(performance.now() + CONFIRM_MS, deadline)
    const second = await confirm(confirmUntil, new Set([first.provider]))
    if (second === null || isSameLogs(first.logs, second.logs)) return first.answer
    const voteOf = async (voter: Provider) => {
      const vote = await confirm(performance.now() + CONFIRM_MS, allBut(pool, voter))
      const agrees = ({ logs }: BlockLogs) => vote !== null && isSameLogs(logs, vote.logs)
      return [first, second].find(agrees)?.provider ?? null
    }
    const wrong =
      (await resolveLogConflict(pool, first, second, first.number)) ??
      (await quarantineOutvoted(
        pool,
        [first.provider, second.provider],
        voteOf,
        `logs of block ${first.number}`,
      ))
    if (wrong !== first.provider) return first.answer
  }
}

/**
 * Requests only the contracts' logs: anyone can fill a block with so many others that no answer holds them, for a few cents on a
 * rollup. And the block: a provider that lacks it, or has only its header yet, may answer that it has no logs.
 */
async function requestBlockLogs(
  pool: RpcPool,
  hash: string,
  contracts: ReadonlySet<string>,
  { exclude = new Set(), deadline, ...options }: SendOptions & { deadline: number },
): Promise<BlockLogs> {
  const ofContracts = { blockHash: hash, ...(contracts.size > 0 && { address: [...contracts] }) }
  const requests = [
    { method: 'eth_getBlockByHash', params: [hash, false] },
    { method: 'eth_getLogs', params: [ofContracts] },
  ]
  const unusable = new Set(exclude)
  while (true) {
    const usable = (result: unknown) => result !== null
    const totalTimeoutMs = Math.max(deadline - performance.now(), 0)
    const sent = await pool.send(requests, {
      ...options,
      totalTimeoutMs,
      exclude: unusable,
      usable,
    })
    const { provider } = sent
    const [block, answer] = sent.answers.map((one) => resultOf(one))
    const number = Number(Object(block).number)
    const any = lacksLogs(block, answer)
      ? await requestAnyLogs(provider, block, ofContracts).catch(nullIfRefused)
      : answer
    const logs = lacksLogs(block, any) ? null : readLogsOf(block, any, { hash, number }, contracts)
    if (logs !== null) return { provider, number, answer: any, logs }
    unusable.add(provider)
  }
}

/** Whether an answer has no logs although the block does. Ponder stops at one, even if none is of its contracts. */
function lacksLogs(block: unknown, answer: unknown): boolean {
  const { logsBloom } = Object(block) as { logsBloom?: unknown }
  return (
    Array.isArray(answer) && answer.length === 0 && /[1-9a-f]/i.test(String(logsBloom).slice(2))
  )
}

/** Of all logs of a block, none of which is needed. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * All logs of a block, which show that the provider has them. If it has too many or doesn't list them, whatever it says, a
 * receipt shows that it has more than the block's header; then the contracts' own, which it may have lacked when it was first
 * asked, or one that stands for the others.
 */
async function requestAnyLogs(
  provider: Provider,
  block: unknown,
  ofContracts: { blockHash: string },
): Promise<unknown> {
  const { blockHash } = ofContracts
  const ask = async (method: string, params: readonly unknown[], mostBytes?: number) => {
    const [answer] = await provider.send([{ method, params }], { timeoutMs: CONFIRM_MS, mostBytes })
    return resultOf(answer)
  }
  try {
    return await ask('eth_getLogs', [{ blockHash }], MOST_BYTES)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const { number, transactions } = Object(block) as { number?: unknown; transactions?: unknown }
    if (error.failure !== 'oversized') {
      const receipt = await ask('eth_getTransactionReceipt', [Object(transactions)[0]], MOST_BYTES)
        // It may be the stranger's, with all its logs. One that the provider lacks is null at once.
        .catch((cause) => (isLarge(cause) ? { blockHash } : Promise.reject(cause)))
      if (Object(receipt).blockHash !== blockHash) throw error
    }
    const own = await ask('eth_getLogs', [ofContracts])
    return Array.isArray(own) && own.length === 0 ? [standInLog(blockHash, number)] : own
  }
}

function isLarge(error: unknown): boolean {
  return error instanceof RpcError && (error.failure === 'oversized' || error.isTimeout)
}

/** A log of no contract: Ponder takes it and ignores it. */
function standInLog(blockHash: string, blockNumber: unknown) {
  return {
    address: `0x${'0'.repeat(40)}`,
    topics: [],
    data: '0x',
    blockHash,
    blockNumber,
    transactionHash: `0x${'0'.repeat(64)}`,
    transactionIndex: '0x0',
    logIndex: '0x0',
    removed: false,
  }
}

/** Null if the answer isn't one about this block. Ponder stops at any log of another block, whosever it is. */
function readLogsOf(
  block: unknown,
  answer: unknown,
  { hash, number }: { hash: string; number: number },
  contracts: ReadonlySet<string>,
): ChainLog[] | null {
  const { hash: named } = Object(block) as { hash?: unknown }
  if (String(named).toLowerCase() !== hash || !Array.isArray(answer) || !isWritable(answer))
    return null
  const logs: ChainLog[] = []
  for (const raw of answer) {
    const { data: log } = rawLogSchema.safeParse(raw)
    if (log?.blockHash !== hash || log.blockNumber !== number) return null
    if (contracts.has(log.address)) logs.push(log)
  }
  return logs
}

function allBut({ providers }: RpcPool, one: Provider): ReadonlySet<Provider> {
  return new Set(providers.filter((provider) => provider !== one))
}

function nullIfRefused(error: unknown): null {
  if (error instanceof RpcError) return null
  throw error
}
