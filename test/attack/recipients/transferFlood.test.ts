import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ChildRole, spawnRole } from '../../../services/process/spawnRole.ts'
import { MOST_BYTES } from '../../../services/relayer/recipients/safeTransfers/transferFollowerContext.ts'
import { TRANSFERS_HEAP } from '../../../services/roles/keepSafeTransfersRole.ts'
import {
  chain,
  closeTestbed,
  configuredTokens,
  formatBalance,
  insertNewSafe,
  mint,
  openTestbed,
  postgres,
  readSafe,
} from '../../integration/recipients/followerTestbed.ts'
import { until } from '../../rig/until.ts'
import { type FloodingNode, startFloodingNode } from './floodingNode.ts'

const PARENT = fileURLToPath(new URL('./transferFollowerParent.ts', import.meta.url))

let node: FloodingNode
let directory: string
let role: ChildRole | null = null
let safe: Hex

beforeAll(async () => {
  await openTestbed()
  directory = await mkdtemp(join(tmpdir(), 'cairn-flood-'))
  safe = await insertNewSafe()
  await chain.client.mine({ blocks: 30 })
  await mint('USDC', safe, 5n)
  const block = Number(await chain.client.getBlockNumber())
  await mint('ZEN', safe, 7n)
  await chain.client.mine({ blocks: 30 })
  node = await startFloodingNode(chain.node.rpc, { block, safe })
})

afterAll(async () => {
  await role?.stop()
  await node?.close()
  await closeTestbed()
  await rm(directory, { recursive: true, force: true })
})

async function environment(): Promise<NodeJS.ProcessEnv> {
  const file = join(directory, 'chains.json')
  const { name, chainId, bridge, startBlock, confirmations } = chain.config
  const tokens = configuredTokens()
  const own = { name, chainId, bridge, startBlock, confirmations, tokens, rpcUrls: [node.url] }
  await writeFile(file, JSON.stringify({ chains: [own] }))
  const { PATH, HOME } = process.env
  return { PATH, HOME, DATABASE_URL: postgres.databaseUrl, CHAINS: file, LOG_LEVEL: 'warn' }
}

/** The most memory that a process has held at any time, in megabytes. */
function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}

it('a million fake transfers in one block neither stall the follower nor fill its memory', async () => {
  role = spawnRole({
    role: 'transfers',
    env: await environment(),
    heapMegabytes: TRANSFERS_HEAP,
    logFile: join(directory, 'transfers.log'),
  })
  await role.ready
  // What came in the flooded block, and after it.
  await until(async () => {
    const { balances } = await readSafe(safe)
    return balances.length === 2 && balances.every(({ balance }) => balance !== null)
  })
  const { balances } = await readSafe(safe)
  expect(balances).toEqual(
    expect.arrayContaining([formatBalance('USDC', 5n), formatBalance('ZEN', 7n)]),
  )
  expect(node.floods.length).toBeGreaterThan(2)
  // Beyond what is read there are the sockets' own buffers.
  expect(Math.max(...node.floods)).toBeLessThan(3 * MOST_BYTES)
  expect(existsSync(`/proc/${role.pid}`)).toBe(true)
  expect(peakOf(role.pid)).toBeLessThan(400)
})

it('the follower ends when its parent process is killed', async () => {
  const env = { ...(await environment()), PATH: process.env.PATH }
  const parent = spawn(process.execPath, ['--no-warnings', PARENT], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [pid] = (await once(parent, 'message')) as [number]
  expect(existsSync(`/proc/${pid}`)).toBe(true)
  parent.kill('SIGKILL')
  await until(() => !existsSync(`/proc/${pid}`))
})
