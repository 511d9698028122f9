import { readReceipt } from '../../../core/proof/readReceipt.ts'
import type { ReceiptLog } from '../../../core/proof/receipt.ts'
import { type ChainLog, rawLogSchema } from '../history/rpcSchemas.ts'
import type { Provider } from '../rpcPool/provider.ts'
import type { RpcPool } from '../rpcPool/rpcPool.ts'
import { provenLogs } from './provenLogs.ts'
import { requestFromProvider } from './requestFromProvider.ts'
import { resolveHashConflict } from './resolveHashConflict.ts'

/** The logs of a range of blocks as one provider gives them. */
export type GivenLogs = { logs: readonly ChainLog[]; provider: Provider }

/**
 * Quarantines the provider that is wrong where two give different logs of the same blocks. It believes
 * neither: a block's receipts decide, from any provider, if they hash to the receiptsRoot of a block that
 * both have. Where they don't have the same block, the blocks above decide, up to one on which they agree. No
 * receipt proves a log's transaction or index: there, a provider that contradicts its own receipts is wrong.
 *
 * @param above a block at or above the range of which both give the same hash
 * @returns who was quarantined; null when they give the same, or when nothing can be proven: then either may be right
 */
export async function resolveLogConflict(
  pool: RpcPool,
  one: GivenLogs,
  other: GivenLogs,
  above: number,
): Promise<Provider | null> {
  const dispute = firstDifference(one, other) ?? firstDifference(other, one)
  if (dispute === null) return judgePlaces(one, other)
  const { log, giver, lacker } = dispute
  // Another range, under way at the same time, may have found it out.
  if (giver.quarantine || lacker.quarantine) return giver.quarantine ? giver : lacker
  const settled = await resolveHashConflict([giver, lacker], log.blockNumber, above)
  if (settled === null) return null
  if (settled.kind === 'agreed') return judgeLog(pool, dispute, settled.hash)
  const { forger, block, said, parent } = settled
  const why = `block ${block} is ${said} there, and ${parent} by the block above it`
  return quarantine(forger, why)
}

type Dispute = {
  log: ChainLog
  giver: Provider
  lacker: Provider
  /** How often each gives a log with this content in this block. */
  copies: { given: number; known: number }
}

/** The first log that one gives, or gives more often, and the other doesn't. */
function firstDifference(giver: GivenLogs, lacker: GivenLogs): Dispute | null {
  const left = new Map<string, number>()
  for (const one of lacker.logs) left.set(identity(one), (left.get(identity(one)) ?? 0) + 1)
  const log = giver.logs.find((one) => {
    const key = identity(one)
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0
  })
  if (log === undefined) return null
  const copies = { given: copiesOf(log, giver.logs), known: copiesOf(log, lacker.logs) }
  return { log, giver: giver.provider, lacker: lacker.provider, copies }
}

function copiesOf({ blockNumber, ...log }: ChainLog, logs: readonly ChainLog[]): number {
  const content = contentOf(log)
  return logs.filter((one) => one.blockNumber === blockNumber && contentOf(one) === content).length
}

/** All that receipts prove of a log: its transaction's hash and its index aren't among it. */
function identity({ blockHash, ...log }: ChainLog): string {
  return `${blockHash} ${contentOf(log)}`
}

function placed({ transactionHash, logIndex, ...log }: ChainLog): string {
  return `${transactionHash} ${logIndex} ${identity({ transactionHash, logIndex, ...log })}`
}

/** Both give the same logs. Where they place one differently, the provider whose own receipt contradicts it is wrong. */
async function judgePlaces(one: GivenLogs, other: GivenLogs): Promise<Provider | null> {
  const misplaced = (giver: GivenLogs, rest: GivenLogs) => {
    const known = new Set(rest.logs.map(placed))
    return giver.logs.find((log) => !known.has(placed(log)))
  }
  const [first, second] = [misplaced(one, other), misplaced(other, one)]
  if (!first || !second) return null
  const quarantined = [one, other].find(({ provider }) => provider.quarantine)
  if (quarantined) return quarantined.provider
  const [isDenied, isOthersDenied] = await Promise.all([
    deniesPlace(one.provider, first),
    deniesPlace(other.provider, second),
  ])
  if (isDenied === isOthersDenied) return null
  const [{ provider }, log] = isDenied ? [one, first] : [other, second]
  const where = `log ${log.logIndex} of block ${log.blockNumber} in transaction ${log.transactionHash}`
  return quarantine(provider, `eth_getLogs gives ${where}, whose receipt doesn't have it there`)
}

/** Whether the provider's own receipt of the log's transaction, if it can be read, lacks the log. */
async function deniesPlace(provider: Provider, log: ChainLog): Promise<boolean> {
  try {
    const ask = requestFromProvider(provider)
    const receipt = await ask('eth_getTransactionReceipt', [log.transactionHash])
    const { logs } = receipt as { logs: unknown[] }
    return !logs.map((one) => placed(rawLogSchema.parse(one))).includes(placed(log))
  } catch {
    return false
  }
}

function contentOf({ address, topics, data }: ReceiptLog): string {
  return `${address} ${topics.join()} ${data}`
}

async function judgeLog(
  pool: RpcPool,
  { log, giver, lacker, copies }: Dispute,
  hash: string,
): Promise<Provider | null> {
  const { blockNumber, blockHash, logIndex } = log
  const which = `log ${logIndex} of block ${blockNumber}`
  const gives = `eth_getLogs gives ${which}`
  if (blockHash !== hash) return quarantine(giver, `${gives}, with another hash than the block has`)
  const leavesOut = `eth_getLogs leaves out ${which}`
  const proven = await provenByAnyone(pool, [lacker, giver], { blockNumber, blockHash })
  if (proven === null) {
    return (await copiesInReceipt(lacker, log)) > copies.known
      ? quarantine(lacker, `${leavesOut}, which its own receipt has`)
      : null
  }
  // How logs are numbered differs between chains: how many there are doesn't.
  const there = proven.filter((one) => contentOf(one) === contentOf(log)).length
  if (copies.given > there)
    return quarantine(giver, `${gives}, which the block's receipts don't have`)
  if (copies.known < there)
    return quarantine(lacker, `${leavesOut}, which the block's receipts have`)
  return null
}

/** Not readmitted: a later correct answer doesn't vouch for the next one. */
function quarantine(provider: Provider, why: string): Provider {
  provider.setQuarantine('logs', why)
  return provider
}

/** A provider that contradicts itself is wrong, whatever the chain proves. */
async function copiesInReceipt(provider: Provider, log: ChainLog): Promise<number> {
  try {
    const ask = requestFromProvider(provider)
    const { logs } = readReceipt(await ask('eth_getTransactionReceipt', [log.transactionHash]))
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
    const logs = await provenLogs(provider, { chainId: pool.chainId, ...block })
    if (logs !== null) return logs
  }
  return null
}
