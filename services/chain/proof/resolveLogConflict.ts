import { parseRpcReceipt } from '../../../core/proof/parseRpcReceipt.ts'
import type { ReceiptLog } from '../../../core/proof/receipt.ts'
import { type ChainLog, rawLogSchema } from '../history/rpcSchemas.ts'
import type { Provider } from '../rpcPool/provider.ts'
import type { RpcPool } from '../rpcPool/rpcPool.ts'
import { fetchProvenLogs } from './fetchProvenLogs.ts'
import { requestFromProvider } from './requestFromProvider.ts'
import { resolveHashConflict } from './resolveHashConflict.ts'

/** One provider's logs of a range of blocks. */
export type ProviderLogs = { logs: readonly ChainLog[]; provider: Provider }

/**
 * Quarantines the provider that is wrong if two return different logs of the same blocks. Receipts from any provider decide, if
 * they hash to the receiptsRoot of a block that both have. If the two have different blocks, the blocks above decide, up to
 * one on which they agree. No receipt proves a log's transaction or index; there, a provider that contradicts its own receipts
 * is wrong.
 *
 * @param above a block at or above the range, on whose hash both agree
 * @returns the quarantined provider; null if they agree or nothing can be proven
 */
export async function resolveLogConflict(
  pool: RpcPool,
  one: ProviderLogs,
  other: ProviderLogs,
  above: number,
): Promise<Provider | null> {
  const dispute = firstDifference(one, other) ?? firstDifference(other, one)
  if (dispute === null) return resolvePositions(one, other)
  const { log, claimant, denier } = dispute
  // A concurrent conflict about another range may have resolved it.
  if (claimant.quarantine || denier.quarantine) return claimant.quarantine ? claimant : denier
  const resolved = await resolveHashConflict([claimant, denier], log.blockNumber, above)
  if (resolved === null) return null
  if (resolved.kind === 'agreed') return resolveLog(pool, dispute, resolved.hash)
  const { forger, block, claimed, parent } = resolved
  const reason = `its block ${block} is ${claimed}, but the block above it has the parent ${parent}`
  return quarantine(forger, reason)
}

type Dispute = {
  log: ChainLog
  /** Returned the log, or more copies of it. */
  claimant: Provider
  denier: Provider
  /** How many logs with this content each returned for this block. */
  copies: { claimed: number; denied: number }
}

/** The first log that one provider returns, or returns more often, than the other. */
function firstDifference(claimant: ProviderLogs, denier: ProviderLogs): Dispute | null {
  const left = new Map<string, number>()
  for (const one of denier.logs) left.set(identity(one), (left.get(identity(one)) ?? 0) + 1)
  const log = claimant.logs.find((one) => {
    const key = identity(one)
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0
  })
  if (log === undefined) return null
  const copies = { claimed: copiesOf(log, claimant.logs), denied: copiesOf(log, denier.logs) }
  return { log, claimant: claimant.provider, denier: denier.provider, copies }
}

function copiesOf({ blockNumber, ...log }: ChainLog, logs: readonly ChainLog[]): number {
  const content = contentOf(log)
  return logs.filter((one) => one.blockNumber === blockNumber && contentOf(one) === content).length
}

/** What receipts prove of a log, which excludes its transaction's hash and its index. */
function identity({ blockHash, ...log }: ChainLog): string {
  return `${blockHash} ${contentOf(log)}`
}

function positioned({ transactionHash, logIndex, ...log }: ChainLog): string {
  return `${transactionHash} ${logIndex} ${identity({ transactionHash, logIndex, ...log })}`
}

/** Both return the same logs. If a log's position differs, the provider whose own receipt contradicts it is wrong. */
async function resolvePositions(one: ProviderLogs, other: ProviderLogs): Promise<Provider | null> {
  const misplaced = (logs: ProviderLogs, others: ProviderLogs) => {
    const known = new Set(others.logs.map(positioned))
    return logs.logs.find((log) => !known.has(positioned(log)))
  }
  const [first, second] = [misplaced(one, other), misplaced(other, one)]
  if (!first || !second) return null
  const quarantined = [one, other].find(({ provider }) => provider.quarantine)
  if (quarantined) return quarantined.provider
  const [isDenied, isOthersDenied] = await Promise.all([
    contradictsPosition(one.provider, first),
    contradictsPosition(other.provider, second),
  ])
  if (isDenied === isOthersDenied) return null
  const [{ provider }, log] = isDenied ? [one, first] : [other, second]
  const position = `log ${log.logIndex} of block ${log.blockNumber} in transaction ${log.transactionHash}`
  return quarantine(provider, `it returns ${position}, whose receipt doesn't have it there`)
}

/**
 * Whether the provider's own receipt of the log's transaction is readable and lacks the log. Some providers count the logs
 * of each transaction there, which says nothing of a log's index in its block.
 */
async function contradictsPosition(provider: Provider, log: ChainLog): Promise<boolean> {
  try {
    const send = requestFromProvider(provider)
    const receipt = await send('eth_getTransactionReceipt', [log.transactionHash])
    const { logs, transactionIndex } = receipt as { logs: unknown[]; transactionIndex: unknown }
    const own = logs.map((one) => rawLogSchema.parse(one))
    const mayCountEach = Number(transactionIndex) > 0 && own[0]?.logIndex === 0
    const nameOf = (one: ChainLog) => positioned(mayCountEach ? { ...one, logIndex: 0 } : one)
    return !own.map(nameOf).includes(nameOf(log))
  } catch {
    return false
  }
}

function contentOf({ address, topics, data }: ReceiptLog): string {
  return `${address} ${topics.join()} ${data}`
}

async function resolveLog(
  pool: RpcPool,
  { log, claimant, denier, copies }: Dispute,
  hash: string,
): Promise<Provider | null> {
  const { blockNumber, blockHash, logIndex } = log
  const name = `log ${logIndex} of block ${blockNumber}`
  const returns = `it returns ${name}`
  if (blockHash !== hash) return quarantine(claimant, `${returns}, with a wrong block hash`)
  const omits = `it omits ${name}`
  const proven = await provenByAnyone(pool, [denier, claimant], { blockNumber, blockHash })
  if (proven === null) {
    return (await copiesInReceipt(denier, log)) > copies.denied
      ? quarantine(denier, `${omits}, which its own receipt has`)
      : null
  }
  // Compares counts, because chains number logs differently.
  const count = proven.filter((one) => contentOf(one) === contentOf(log)).length
  if (copies.claimed > count)
    return quarantine(claimant, `${returns}, which the block's receipts don't have`)
  if (copies.denied < count) return quarantine(denier, `${omits}, which the block's receipts have`)
  return null
}

/** For good, because a later correct answer doesn't vouch for the next one. */
function quarantine(provider: Provider, reason: string): Provider {
  provider.setQuarantine('logs', reason)
  return provider
}

/** Copies of the log in the provider's own receipt, which it must not contradict. */
async function copiesInReceipt(provider: Provider, log: ChainLog): Promise<number> {
  try {
    const send = requestFromProvider(provider)
    const { logs } = parseRpcReceipt(await send('eth_getTransactionReceipt', [log.transactionHash]))
    return logs.filter((one) => contentOf(one) === contentOf(log)).length
  } catch {
    return 0
  }
}

async function provenByAnyone(
  pool: RpcPool,
  first: readonly Provider[],
  block: { blockNumber: number; blockHash: ChainLog['blockHash'] },
): Promise<ReceiptLog[] | null> {
  for (const provider of new Set([...first, ...pool.trusted()])) {
    const logs = await fetchProvenLogs(provider, { chainId: pool.chainId, ...block })
    if (logs !== null) return logs
  }
  return null
}
