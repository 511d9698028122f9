import type { Hex, Log } from 'viem'
import { readAllLogs } from '../../chain/history/readLogs.ts'
import { requestFromClient } from '../../chain/history/requestFromClient.ts'
import type { SolverChain } from './solverChain.ts'

/** Blocks to look back: the event comes within three quarters of an execution window. */
const BLOCKS = 5_000

/** The bridge's recent logs with these topics, in viem's format. */
export async function readRecentLogs(
  { client, bridge }: Pick<SolverChain, 'client' | 'bridge'>,
  topics: readonly (Hex | Hex[] | null)[],
): Promise<Log[]> {
  const head = Number(await client.getBlockNumber())
  const logs = await readAllLogs(requestFromClient(client), {
    filters: [{ address: bridge, topics }],
    from: Math.max(0, head - BLOCKS),
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
