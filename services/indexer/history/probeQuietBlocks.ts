import { numberToHex } from 'viem'
import { parseAnswer } from '../../chain/history/rpcSchemas.ts'
import { fetchProvenLogs } from '../../chain/proof/fetchProvenLogs.ts'
import { requestFromProvider } from '../../chain/proof/requestFromProvider.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { DiscreditedRangeError } from './compareProviders.ts'
import { type ChainBlock, rawBlockSchema } from './fetchBlocksOfLogs.ts'
import { type FetchedLogs, finalHeaders, type HistorySource } from './historySource.ts'
import { type BloomBits, bloomAdmits, bloomBits, isUnset } from './logsBloom.ts'

/**
 * Samples blocks of a range for which the provider returned no logs. If a block's bloom admits a contract and one of its
 * events, the block's receipts show whether logs were omitted.
 *
 * This works with a single provider too. It detects a gap in a provider's log index, but hardly a single omitted block.
 *
 * @throws DiscreditedRangeError when logs were omitted; the provider is quarantined
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
    if (!mayHaveLogs(block.logsBloom, bits)) continue
    if (await hasLogs(source, block, fetched.provider)) {
      fetched.provider.setQuarantine(
        'logs',
        `eth_getLogs omits the logs of block ${block.number}, which its receipts have`,
      )
      throw new DiscreditedRangeError(fetched.provider.quarantine?.reason)
    }
  }
}

/**
 * Up to `count` blocks without logs, one from each of as many equal parts of the range. The position within a part
 * varies, so that events at regular intervals aren't always missed, but it is deterministic.
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

function mayHaveLogs(
  bloom: string,
  bits: { addresses: BloomBits[]; topics: BloomBits[] },
): boolean {
  if (isUnset(bloom)) return false
  const admitsAny = (values: BloomBits[]) => values.some((value) => bloomAdmits(bloom, value))
  return admitsAny(bits.addresses) && admitsAny(bits.topics)
}

/**
 * Whether proven receipts of the block contain logs. A bloom can be a false positive, and the block itself can be false,
 * so only receipts that hash to a block of the logs' own provider count. Without such receipts the answer is false.
 */
async function hasLogs(
  { pool, filter: { addresses, topics } }: HistorySource,
  block: ChainBlock,
  logsProvider: Provider,
): Promise<boolean> {
  const { number: blockNumber, hash: blockHash } = block
  const send = requestFromProvider(logsProvider)
  const ownBlock = (await send('eth_getBlockByNumber', [numberToHex(blockNumber), false]).catch(
    () => null,
  )) as { hash?: unknown } | null
  if (ownBlock?.hash !== blockHash) return false
  for (const provider of pool.trusted()) {
    const logs = await fetchProvenLogs(provider, { chainId: pool.chainId, blockNumber, blockHash })
    if (logs === null) continue
    return logs.some(
      ({ address, topics: [topic] }) =>
        addresses.includes(address) && topic !== undefined && topics.includes(topic),
    )
  }
  return false
}
