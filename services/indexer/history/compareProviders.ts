import { NodesDisagreeError, UnusableAnswerError } from '../../chain/history/historyErrors.ts'
import { createRangeSizer } from '../../chain/history/rangeSizer.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { ChainLog } from '../../chain/history/rpcSchemas.ts'
import { isSameLogs } from '../../chain/proof/isSameLogs.ts'
import { resolveHashConflict } from '../../chain/proof/resolveHashConflict.ts'
import { type ProviderLogs, resolveLogConflict } from '../../chain/proof/resolveLogConflict.ts'
import { crossCheckBlock } from '../../chain/rpcPool/crossCheckBlock.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { quarantineOutvoted } from '../../chain/rpcPool/quarantineOutvoted.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { InconsistentRangeError } from './checkRangeConsistency.ts'
import { type FetchedLogs, fetchLogs, type HistorySource } from './historySource.ts'

/** A range's provider was proven wrong. The range must be fetched again without it. */
export class DiscreditedRangeError extends Error {
  override readonly name = 'DiscreditedRangeError'
}

/**
 * Compares a range with a second provider's answer: the last block's hash and time, and all logs. Fetching logs is the
 * smaller part of the work, so every range is compared, not just a sample. Quarantines a provider that is proven wrong,
 * or, without proof, the provider that most others contradict.
 *
 * @param given a second provider's answer, if it is known already
 * @returns whether a second provider confirmed the range
 * @throws DiscreditedRangeError if the range's own provider was quarantined; InconsistentRangeError if both have the
 *   same logs with different transactions or indices, and neither proof nor vote decides; with `agreedBlock`,
 *   NodesDisagreeError if neither decides about anything else
 */
export async function compareProviders(
  source: HistorySource,
  fetched: FetchedLogs,
  given: FetchedLogs | null = null,
): Promise<boolean> {
  const { pool } = source
  const others = pool.trusted().filter((one) => one !== fetched.provider && !one.isBackingOff)
  if (others.length === 0) return false
  const second = given ? [given] : await fetchOnce(source, fetched, new Set([fetched.provider]))
  if (second === null) return false
  const { hash, timestamp } = (second.at(-1) as FetchedLogs).end
  const isSameEnd = hash === fetched.end.hash && timestamp === fetched.end.timestamp
  if (!isSameEnd) await resolveEnd(source, fetched, second.at(-1) as FetchedLogs)
  else await resolveDifference(source, fetched, second)
  if (fetched.provider.quarantine) {
    throw new DiscreditedRangeError(fetched.provider.quarantine.reason)
  }
  if (second.some(({ provider }) => provider.quarantine)) return false
  if (isSame(fetched, second)) return true
  const outvoted = isSameEnd ? await outvote(source, fetched, second) : null
  if (outvoted === fetched.provider) throw new DiscreditedRangeError(outvoted.quarantine?.reason)
  if (outvoted === null && isSameEnd && haveSameContents(fetched, second)) {
    const names = [...new Set(second.map(({ provider }) => provider.name))].join(' and ')
    throw new InconsistentRangeError(
      `${fetched.provider.name} and ${names} return different transactions or indices for the same logs in blocks ${fetched.from} to ${fetched.to}: add another provider`,
    )
  }
  if (source.agreedBlock !== undefined) requireDecided(fetched, second, isSameEnd, outvoted)
  return false
}

/** The blocks above, up to one on which they agree, prove who is wrong about the end; else the vote decides. */
async function resolveEnd(
  { pool, signal, agreedBlock }: HistorySource,
  { provider, to }: FetchedLogs,
  { provider: other }: FetchedLogs,
): Promise<void> {
  const resolved =
    agreedBlock === undefined || agreedBlock <= to
      ? null
      : await resolveHashConflict([provider, other], to, agreedBlock)
  if (resolved?.kind === 'forged') {
    const { forger, block, claimed, parent } = resolved
    const reason = `its block ${block} is ${claimed}, but the block above it has the parent ${parent}`
    return forger.setQuarantine('logs', reason)
  }
  await crossCheckBlock(pool, to, { signal, refusesTie: agreedBlock !== undefined })
}

/**
 * Nobody was found wrong, although two contradict each other: about the end, one has changed its answer, so that asking
 * again may help; about the logs, nothing proves or outvotes either.
 */
function requireDecided(
  { provider, from, to }: FetchedLogs,
  second: readonly FetchedLogs[],
  isSameEnd: boolean,
  outvoted: Provider | null,
): void {
  if (outvoted !== null) return
  const names = [...new Set([provider, ...second.map((part) => part.provider)])].map(
    ({ name }) => name,
  )
  const who = names.join(' and ')
  if (!isSameEnd) throw new InconsistentRangeError(`${who} return different blocks ${to}`)
  throw new NodesDisagreeError(`${who} return different logs of blocks ${from} to ${to}`)
}

/** Fetches a range from any other provider without retries, so that an unreachable one causes no delay; null if none answers. */
async function fetchOnce(
  source: HistorySource,
  { from, to }: BlockRange,
  exclude: ReadonlySet<Provider>,
): Promise<FetchedLogs[] | null> {
  try {
    return await fetchLogs(source, { from, to }, createRangeSizer({ first: to - from + 1 }), {
      exclude,
      once: true,
    })
  } catch (error) {
    if (error instanceof RpcError || error instanceof UnusableAnswerError) return null
    throw error
  }
}

/** Where two providers agree on the chain but not on its logs, the block's receipts decide. */
async function resolveDifference(
  { pool }: HistorySource,
  first: FetchedLogs,
  parts: readonly FetchedLogs[],
): Promise<void> {
  const differing = differenceIn(first, parts)
  if (differing) await resolveLogConflict(pool, within(first, differing), differing, first.to)
}

/** Has all other providers vote on the part on which two differ. */
async function outvote(
  source: HistorySource,
  first: FetchedLogs,
  parts: readonly FetchedLogs[],
): Promise<Provider | null> {
  const { pool } = source
  const part = differenceIn(first, parts)
  if (!part) return null
  const candidates = [within(first, part), part]
  const voteOf = async (voter: Provider) => {
    const rest = new Set(pool.providers.filter((provider) => provider !== voter))
    const logs = await fetchOnce(source, part, rest)
    if (logs === null) return null
    return candidates.find((candidate) => isSame(candidate, logs))?.provider ?? null
  }
  const subject = `logs of blocks ${part.from} to ${part.to}`
  return quarantineOutvoted(pool, [first.provider, part.provider], voteOf, subject)
}

function differenceIn(first: FetchedLogs, parts: readonly FetchedLogs[]): FetchedLogs | undefined {
  return parts.find((part) => !isSame(within(first, part), [part]))
}

function within({ logs, provider }: FetchedLogs, { from, to }: BlockRange): ProviderLogs {
  const isWithin = ({ blockNumber }: ChainLog) => from <= blockNumber && blockNumber <= to
  return { logs: logs.filter(isWithin), provider }
}

/** Whether the logs are the same apart from transaction and index, which no receipt's hash proves. */
function haveSameContents(first: ProviderLogs, parts: readonly ProviderLogs[]): boolean {
  const contents = (logs: readonly ChainLog[]) => logs.map(provable).sort().join('\n')
  return contents(first.logs) === contents(parts.flatMap(({ logs }) => logs))
}

const provable = ({ blockHash, address, topics, data }: ChainLog) =>
  `${blockHash} ${address} ${topics.join()} ${data}`

function isSame(first: ProviderLogs, parts: readonly ProviderLogs[]): boolean {
  return isSameLogs(
    first.logs,
    parts.flatMap(({ logs }) => logs),
  )
}
