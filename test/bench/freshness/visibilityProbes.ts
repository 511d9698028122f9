import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Hex } from 'viem'

/** How long to wait for anything to become visible, in milliseconds. */
const TIMEOUT_MS = 10_000

/** Resolves, with `performance.now()`, when REST answers 200 for the intent; asks again after 2 ms until then. */
export function awaitRestVisibility(api: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const statusOf = (intentId: bigint) =>
    new Promise<number>((resolve, reject) => {
      get(`${api}/intent-details/${intentId}`, { agent }, (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      }).on('error', reject)
    })
  return async (intentId: bigint): Promise<number> => {
    const deadline = performance.now() + TIMEOUT_MS
    for (;;) {
      const status = await statusOf(intentId)
      const now = performance.now()
      if (status === 200) return now
      if (status !== 404) throw new Error(`REST answered ${status}`)
      if (now > deadline) throw new Error(`intent ${intentId} never became visible over REST`)
      await pause(2)
    }
  }
}

/** Resolves when PostgreSQL tells its listeners that the intent's row is committed. */
export async function awaitCommitVisibility(client: Client) {
  const seen = new Map<string, number>()
  const waiting = new Map<string, (at: number) => void>()
  client.on('notification', ({ payload }) => {
    const { table, intentId } = JSON.parse(payload ?? '{}')
    if (table !== 'intent' || seen.has(intentId)) return
    seen.set(intentId, performance.now())
    waiting.get(intentId)?.(performance.now())
  })
  await client.query('listen cairn_change')
  return (intentId: bigint): Promise<number> => {
    const already = seen.get(String(intentId))
    if (already !== undefined) return Promise.resolve(already)
    return new Promise((resolve) => waiting.set(String(intentId), resolve))
  }
}

/**
 * What an indexer without subscriptions does: asks for the bridge's new logs every `intervalMs`.
 * Resolves when the answer holds a log of the block.
 */
export function awaitPollingVisibility(rpc: string, bridge: Hex, intervalMs: number) {
  let from = 0n
  const waiting = new Map<bigint, (at: number) => void>()
  const seen = new Map<bigint, number>()
  const poll = async () => {
    for (const { blockNumber } of await logsFrom(rpc, bridge, from)) {
      if (seen.has(blockNumber)) continue
      seen.set(blockNumber, performance.now())
      waiting.get(blockNumber)?.(performance.now())
      from = blockNumber + 1n
    }
  }
  // The next read makes up for one that failed.
  const timer = setInterval(() => poll().catch(() => {}), intervalMs)
  return {
    seenAt: (blockNumber: bigint): Promise<number> => {
      const already = seen.get(blockNumber)
      if (already !== undefined) return Promise.resolve(already)
      return new Promise((resolve) => waiting.set(blockNumber, resolve))
    },
    close: () => clearInterval(timer),
  }
}

async function logsFrom(rpc: string, address: Hex, from: bigint) {
  const filter = { address, fromBlock: `0x${from.toString(16)}`, toBlock: 'latest' }
  const response = await fetch(rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }),
  })
  const { result = [] } = (await response.json()) as { result?: { blockNumber: Hex }[] }
  return result.map((log) => ({ blockNumber: BigInt(log.blockNumber) }))
}
