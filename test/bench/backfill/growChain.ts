import { numberToHex } from 'viem'
import type { RunningAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { generateBridgeHistory } from './bridgeHistory.ts'
import { buildEmitterCode, type PlannedLog, packLogs } from './emitterCode.ts'
import { installEmitter, setCreationCount } from './installEmitter.ts'

export type ChainShape = {
  /** Blocks with events. */
  blocks: number
  eventsPerBlock: number
  eventsPerTransaction: number
  /** Empty blocks after each block with events. */
  quietBlocks?: number
  /** Empty blocks at the end; more than Ponder's finality depth, so that every event is final. */
  tail?: number
  seed?: number
  /** Whether the emitter must pass as a bridge, which the indexer checks first. Default false. */
  isBridge?: boolean
}

/** Address of the emitter. */
export const BENCH_BRIDGE = '0xb41d9e0000000000000000000000000000000b41' as const

/** Flags for an anvil that mines on request, with room for large blocks. */
export const GROWING_ANVIL = [
  '--no-mining',
  '--gas-limit',
  '3000000000',
  '--base-fee',
  '0',
  '--gas-price',
  '0',
]

/** Mines a history of bridge events. @returns the number of events. */
export async function growChain(
  anvil: Pick<RunningAnvil, 'rpc' | 'chainId'>,
  shape: ChainShape,
): Promise<number> {
  const { blocks, eventsPerBlock, quietBlocks = 0, tail = 64, seed = 1, isBridge = false } = shape
  const { chainId } = anvil
  const call = (method: string, ...params: unknown[]) => callRpc(anvil.rpc, method, params)
  if (isBridge) await installEmitter(call, BENCH_BRIDGE, chainId)
  else await call('anvil_setCode', BENCH_BRIDGE, buildEmitterCode())
  const count = setCreationCount(call, BENCH_BRIDGE, chainId)
  const [from] = (await call('eth_accounts')) as [string]
  let nonce = Number(await call('eth_getTransactionCount', from, 'latest'))
  const history = generateBridgeHistory({ chainId, events: blocks * eventsPerBlock, seed })
  for (let block = 0; block < blocks; block++) {
    const logs = take(history, eventsPerBlock)
    const sent = [...emissions(logs, shape)]
    // Mined in the order of their nonces, whatever their order in the request.
    const transactions = sent.map((data) => ({ ...data, from, nonce: numberToHex(nonce++) }))
    await rpcBatch(
      anvil.rpc,
      transactions.map((one) => ['eth_sendTransaction', [one]]),
    )
    await call('anvil_mine', '0x1')
    // anvil stores a block's state when the next one is mined.
    if (isBridge) await count(logs)
    if (quietBlocks > 0) await call('anvil_mine', `0x${quietBlocks.toString(16)}`)
  }
  await call('anvil_mine', `0x${tail.toString(16)}`)
  return blocks * eventsPerBlock
}

type RpcCall = [method: string, params: readonly unknown[]]

/** A block's transactions, in order. */
function* emissions(logs: readonly PlannedLog[], { eventsPerTransaction }: ChainShape) {
  for (let at = 0; at < logs.length; at += eventsPerTransaction) {
    const emitted = logs.slice(at, at + eventsPerTransaction)
    const gas = numberToHex(100_000 + emitted.length * 60_000)
    yield { to: BENCH_BRIDGE, data: packLogs(emitted), gas, gasPrice: '0x0' }
  }
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

/** One JSON-RPC call; throws the node's message. */
export async function callRpc(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const [result] = await rpcBatch(url, [[method, params]])
  return result
}

/** Calls per request. */
async function rpcBatch(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(
      calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })),
    ),
  })
  const answers = (await response.json()) as { result?: unknown; error?: { message: string } }[]
  return answers.map(({ result, error }, at) => {
    if (error) throw new Error(`${calls[at]?.[0]}: ${error.message}`)
    return result
  })
}
