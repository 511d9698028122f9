import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Timestamp of a chain's genesis block, kept beside its state: anvil makes a genesis block at each
 * start, and with another timestamp it would exist beside the saved one.
 *
 * @returns unix seconds; null for a saved chain whose genesis time isn't known
 */
export function readGenesisTime(stateFile: string): number | null {
  const path = `${stateFile}.genesis`
  if (existsSync(stateFile)) {
    const known = existsSync(path) ? Number(readFileSync(path, 'utf8')) : Number.NaN
    return Number.isSafeInteger(known) ? known : null
  }
  const now = Math.floor(Date.now() / 1_000)
  writeFileSync(path, `${now}\n`)
  return now
}

/**
 * Moves a resumed chain's clock to the present, or, if its latest block is ahead of that, to just
 * after it: anvil itself would go on from the genesis block's time.
 */
export async function catchUpWithTime(rpc: string): Promise<void> {
  const latest = (await ask(rpc, 'eth_getBlockByNumber', ['latest', false])) as {
    timestamp: string
  }
  const now = Math.floor(Date.now() / 1_000)
  await ask(rpc, 'evm_setTime', [Math.max(now, Number(latest.timestamp) + 1)])
}

async function ask(rpc: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}
