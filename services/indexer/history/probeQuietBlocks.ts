import { numberToHex } from 'viem'
import { parseAnswer } from '../../chain/history/rpcSchemas.ts'
import { provenLogs } from '../../chain/proof/provenLogs.ts'
import { requestFromProvider } from '../../chain/proof/requestFromProvider.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { DiscreditedRangeError } from './compareProviders.ts'
import { type ChainBlock, rawBlockSchema } from './fetchBlocks.ts'
import { type FetchedLogs, finalHeaders, type HistorySource } from './historySource.ts'
import { type BloomBits, bloomAdmits, bloomBits, isUnset } from './logsBloom.ts'

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
  source: HistorySource,
  fetched: FetchedLogs,
  probes: number,
): Promise<void> {
  const quiet = quietBlocks(fetched, probes)
  if (quiet.length === 0) return
  const { pool, filter } = source
  const { answers } = await pool.send(
    quiet.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [numberToHex(number), false],
    })),
    finalHeaders(source),
  )
  const bits = {
    addresses: filter.addresses.map(bloomBits),
    topics: filter.topics.map(bloomBits),
  }
  for (const answer of answers) {
    if ('error' in answer) continue
    const block = parseAnswer(rawBlockSchema, answer.result, 'eth_getBlockByNumber')
    if (!mayHold(block.logsBloom, bits)) continue
    if (await holdsLogs(source, block, fetched.provider)) {
      fetched.provider.setQuarantine(
        'logs',
        `eth_getLogs leaves out the logs of block ${block.number}, which its receipts have`,
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
  const withLogs = new Set(logs.map(({ blockNumber }) => blockNumber))
  const width = Math.max(1, Math.floor((to - from + 1) / count))
  const quiet: number[] = []
  for (let part = from; part <= to && quiet.length < count; part += width) {
    const block = Math.min(part + ((Math.imul(part, 0x9e3779b1) >>> 8) % width), to)
    if (!withLogs.has(block)) quiet.push(block)
  }
  return quiet
}

function mayHold(bloom: string, bits: { addresses: BloomBits[]; topics: BloomBits[] }): boolean {
  if (isUnset(bloom)) return false
  const admitsAny = (values: BloomBits[]) => values.some((value) => bloomAdmits(bloom, value))
  return admitsAny(bits.addresses) && admitsAny(bits.topics)
}

/**
 * Blooms have false positives, and the block that was shown may be false: only receipts that hash to a block that the
 * logs' provider has itself tell. Where nobody gives such, the question is left open.
 */
async function holdsLogs(
  { pool, filter: { addresses, topics } }: HistorySource,
  block: ChainBlock,
  giver: Provider,
): Promise<boolean> {
  const { number: blockNumber, hash: blockHash } = block
  const asked = requestFromProvider(giver)('eth_getBlockByNumber', [
    numberToHex(blockNumber),
    false,
  ])
  const own = (await asked.catch(() => null)) as { hash?: unknown } | null
  if (own?.hash !== blockHash) return false
  for (const provider of pool.trusted()) {
    const logs = await provenLogs(provider, { chainId: pool.chainId, blockNumber, blockHash })
    if (logs === null) continue
    return logs.some(
      ({ address, topics: [topic] }) =>
        addresses.includes(address) && topic !== undefined && topics.includes(topic),
    )
  }
  return false
}
