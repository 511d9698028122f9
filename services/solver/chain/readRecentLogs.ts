import type { Hex, Log } from 'viem'
import { readAllLogs } from '../../chain/history/readLogs.ts'
import { requestFromClient } from '../../chain/history/requestFromClient.ts'
import type { SolverChain } from './solverChain.ts'

/** Blocks to look back at least. */
const BLOCKS = 5_000

/**
 * The bridge's recent logs with these topics, in viem's format.
 *
 * @param since unix seconds; all logs from then on, however many blocks the chain makes. Default: those of 5,000 blocks
 */
export async function readRecentLogs(
  { client, bridge }: Pick<SolverChain, 'client' | 'bridge'>,
  topics: readonly (Hex | Hex[] | null)[],
  since = Number.POSITIVE_INFINITY,
): Promise<Log[]> {
  const head = Number(await client.getBlockNumber())
  const logs = await readAllLogs(requestFromClient(client), {
    filters: [{ address: bridge, topics }],
    from: await findFirstBlock(client, head, since),
    to: head,
  })
  return logs.map((log) => ({
    ...log,
    topics: log.topics as Log['topics'],
    blockNumber: BigInt(log.blockNumber),
    transactionIndex: null,
    removed: false,
  })) as Log[]
}

/** A block at or before this time, found in a few steps. */
async function findFirstBlock(
  client: SolverChain['client'],
  head: number,
  since: number,
): Promise<number> {
  let depth = BLOCKS
  while (depth < head) {
    const { timestamp } = await client.getBlock({ blockNumber: BigInt(head - depth) })
    if (timestamp <= since) return head - depth
    depth *= 2
  }
  return 0
}
