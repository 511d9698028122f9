import { numberToHex } from 'viem'
import { DiscreditedRangeError } from './auditRange.ts'
import { type BloomBits, bloomAdmits, bloomBits, isUnset } from './bloom.ts'
import { type FetchContext, type FetchedLogs, finalAnswers } from './fetchLogs.ts'
import type { RawBlock, RawLog } from './ponderInternals.ts'

/**
 * Looks at a few blocks of a range for which the provider gave no logs: where a block's bloom admits one
 * of the contracts and one of their events, the block's receipts tell whether logs were left out.
 *
 * This works with a single provider too. It is a sample: a provider that leaves out one block in a thousand
 * is likely to pass, one whose log index is missing for a stretch is not.
 *
 * @throws DiscreditedRangeError when logs were left out; their provider is quarantined.
 */
export async function probeQuietBlocks(
  context: FetchContext,
  fetched: FetchedLogs,
  probes: number,
): Promise<void> {
  const quiet = quietBlocks(fetched, probes)
  if (quiet.length === 0) return
  const { pool, query } = context
  const { answers } = await pool.send(
    quiet.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [numberToHex(number), false],
    })),
    finalAnswers(context),
  )
  const bits = {
    addresses: query.addresses.map(bloomBits),
    topics: query.topics.map(bloomBits),
  }
  for (const answer of answers) {
    if ('error' in answer) continue
    const block = answer.result as RawBlock
    if (!mayHold(block.logsBloom, bits)) continue
    if (await holdsLogs(context, block)) {
      fetched.provider.setQuarantine(
        'logs',
        `eth_getLogs leaves out the logs of block ${Number(block.number)}, which its receipts have`,
      )
      throw new DiscreditedRangeError(fetched.provider.quarantine?.reason)
    }
  }
}

/**
 * Up to `count` blocks without logs, one from each of as many equal parts of the range. Where in its part is
 * scattered, so that a contract that acts at regular intervals isn't missed each time, and yet always the same.
 */
export function quietBlocks(
  { from, to, logs }: Pick<FetchedLogs, 'from' | 'to' | 'logs'>,
  count: number,
): number[] {
  const loud = new Set(logs.map((log) => Number(log.blockNumber)))
  const width = Math.max(1, Math.floor((to - from + 1) / count))
  const quiet: number[] = []
  for (let part = from; part <= to && quiet.length < count; part += width) {
    const block = Math.min(part + ((Math.imul(part, 0x9e3779b1) >>> 8) % width), to)
    if (!loud.has(block)) quiet.push(block)
  }
  return quiet
}

function mayHold(bloom: string, bits: { addresses: BloomBits[]; topics: BloomBits[] }): boolean {
  if (isUnset(bloom)) return false
  const admitsAny = (values: BloomBits[]) => values.some((value) => bloomAdmits(bloom, value))
  return admitsAny(bits.addresses) && admitsAny(bits.topics)
}

/** Blooms have false positives; receipts don't. A provider that can't give receipts leaves the question open. */
async function holdsLogs(
  { pool, signal, patienceMs, query }: FetchContext,
  block: RawBlock,
): Promise<boolean> {
  const { answers } = await pool
    .send([{ method: 'eth_getBlockReceipts', params: [block.hash] }], {
      signal,
      patienceMs,
    })
    .catch(() => ({ answers: [] }))
  const answer = answers[0]
  if (!answer || 'error' in answer || !Array.isArray(answer.result)) return false
  return (answer.result as { logs?: RawLog[] }[]).some((receipt) =>
    receipt.logs?.some(
      (log) =>
        query.addresses.includes(log.address.toLowerCase()) &&
        query.topics.includes(log.topics[0] as string),
    ),
  )
}
