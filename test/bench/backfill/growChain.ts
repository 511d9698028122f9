import type { RunningAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { bridgeHistory } from './bridgeHistory.ts'
import { emitterCode, type PlannedLog, packLogs } from './emitterCode.ts'

export type ChainShape = {
  /** Blocks with events. */
  blocks: number
  eventsPerBlock: number
  eventsPerTransaction: number
  /** Empty blocks after each block with events. */
  quietBlocks?: number
  /** Empty blocks at the end; more than Ponder's finality, so that every event is final. */
  tail?: number
  seed?: number
}

/** Where the emitter stands. */
export const benchBridge = '0xb41d9e0000000000000000000000000000000b41' as const

/** anvil flags for a node that mines when told to, with room for large blocks. */
export const growingAnvil = [
  '--no-mining',
  '--gas-limit',
  '3000000000',
  '--base-fee',
  '0',
  '--gas-price',
  '0',
]

/** Mines a history of real bridge events. @returns the number of events. */
export async function growChain(
  anvil: Pick<RunningAnvil, 'rpc' | 'chainId'>,
  shape: ChainShape,
): Promise<number> {
  const {
    blocks,
    eventsPerBlock,
    eventsPerTransaction,
    quietBlocks = 0,
    tail = 64,
    seed = 1,
  } = shape
  const call = (method: string, ...params: unknown[]) => rpc(anvil.rpc, method, params)
  await call('anvil_setCode', benchBridge, emitterCode())
  const senders = (await call('eth_accounts')) as string[]
  const history = bridgeHistory({ chainId: anvil.chainId, events: blocks * eventsPerBlock, seed })
  for (let block = 0; block < blocks; block++) {
    for (let sent = 0; sent < eventsPerBlock; sent += eventsPerTransaction) {
      const logs = take(history, Math.min(eventsPerTransaction, eventsPerBlock - sent))
      const from = senders[(block + sent) % senders.length]
      const gas = `0x${(100_000 + logs.length * 60_000).toString(16)}`
      await call('eth_sendTransaction', {
        from,
        to: benchBridge,
        data: packLogs(logs),
        gas,
        gasPrice: '0x0',
      })
    }
    await call('anvil_mine', '0x1')
    if (quietBlocks > 0) await call('anvil_mine', `0x${quietBlocks.toString(16)}`)
  }
  await call('anvil_mine', `0x${tail.toString(16)}`)
  return blocks * eventsPerBlock
}

function take(history: Iterator<PlannedLog>, count: number): PlannedLog[] {
  const logs: PlannedLog[] = []
  while (logs.length < count) {
    const { value, done } = history.next()
    if (done) break
    logs.push(value)
  }
  return logs
}

/** One JSON-RPC call; throws the node's own words. */
export async function rpc(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as {
    result?: unknown
    error?: { message: string }
  }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}
