import { type ChainLog, rawLogSchema } from '../history/rpcSchemas.ts'
import { isSameLogs } from '../proof/isSameLogs.ts'
import { resolveLogConflict } from '../proof/resolveLogConflict.ts'
import { type Provider, resultOf } from './provider.ts'
import { quarantineOutvoted } from './quarantineOutvoted.ts'
import { RpcError } from './rpcError.ts'
import type { RpcPool, SendOptions } from './rpcPool.ts'

/** Milliseconds for a second provider to confirm a block's logs. One that lags gets the block meanwhile. */
const CONFIRM_MS = 2_000

/** One provider's logs of a block. */
type BlockLogs = {
  provider: Provider
  number: number
  /** Its answer. */
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

/** Requests the block too: a provider that lacks it, or has only its header yet, may answer that it has no logs. */
async function requestBlockLogs(
  pool: RpcPool,
  hash: string,
  contracts: ReadonlySet<string>,
  { exclude = new Set(), deadline, ...options }: SendOptions & { deadline: number },
): Promise<BlockLogs> {
  const requests = [
    { method: 'eth_getBlockByHash', params: [hash, false] },
    { method: 'eth_getLogs', params: [{ blockHash: hash }] },
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
    const [block, answer] = sent.answers.map((one) => resultOf(one))
    const number = Number(Object(block).number)
    const logs = readLogsOf(block, answer, { hash, number }, contracts)
    if (logs !== null) return { provider: sent.provider, number, answer, logs }
    unusable.add(sent.provider)
  }
}

/** Null if the answer isn't one about this block. Ponder stops at any log of another block, whosever it is. */
function readLogsOf(
  block: unknown,
  answer: unknown,
  { hash, number }: { hash: string; number: number },
  contracts: ReadonlySet<string>,
): ChainLog[] | null {
  const { hash: named, logsBloom } = Object(block) as { hash?: unknown; logsBloom?: unknown }
  if (String(named).toLowerCase() !== hash || !Array.isArray(answer)) return null
  if (answer.length === 0 && /[1-9a-f]/i.test(String(logsBloom).slice(2))) return null
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
