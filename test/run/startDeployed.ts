import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createPublicClient, type Hex, http } from 'viem'
import { catchUpWithTime } from '../../contracts/anvil/resumedChainTime.ts'
import {
  type RunningAnvil,
  type StartAnvilOptions,
  startAnvil,
} from '../../contracts/anvil/startAnvil.ts'

type NodeToStart = Pick<StartAnvilOptions, 'chainId' | 'port' | 'extraArguments'>

/**
 * Starts a node that mines each transaction at once, with everything that `deploy` sends already on it. The first test
 * file of a run to need a deployment saves the chain and the others load it, in a tenth of the time. Outside a test run,
 * each call deploys for itself.
 *
 * @param identity everything the deployment depends on
 */
export async function startDeployed(
  node: NodeToStart,
  identity: unknown,
  deploy: (running: RunningAnvil) => Promise<void>,
): Promise<RunningAnvil> {
  const chains = process.env.CAIRN_TEST_CHAINS
  if (chains === undefined) return startAndDeploy(node, deploy)
  const key = JSON.stringify([node.chainId, node.extraArguments, identity])
  const saved = join(chains, createHash('sha256').update(key).digest('hex'))
  if (existsSync(saved)) return startCopy(node, saved)
  const running = await startAndDeploy(node, deploy)
  await save(running, saved)
  return running
}

async function startAndDeploy(
  node: NodeToStart,
  deploy: (running: RunningAnvil) => Promise<void>,
): Promise<RunningAnvil> {
  const running = await startAnvil({ ...node, blockTime: 0 })
  try {
    await deploy(running)
    return running
  } catch (error) {
    await running.stop()
    throw error
  }
}

/** Reuses the saved genesis time: otherwise anvil would create a different genesis block at each start. */
async function startCopy(node: NodeToStart, saved: string): Promise<RunningAnvil> {
  const genesis = readFileSync(join(saved, 'genesis'), 'utf8')
  const load = ['--load-state', join(saved, 'state.json'), '--timestamp', genesis]
  const extraArguments = [...(node.extraArguments ?? []), ...load]
  const running = await startAnvil({ ...node, blockTime: 0, extraArguments })
  await catchUpWithTime(running.rpc)
  return running
}

/** Written to a temporary path and renamed, since several test files may start at once. */
async function save({ rpc }: RunningAnvil, saved: string): Promise<void> {
  mkdirSync(dirname(saved), { recursive: true })
  const made = mkdtempSync(`${saved}-`)
  const client = createPublicClient({ transport: http(rpc) })
  const { timestamp } = await client.getBlock({ blockNumber: 0n })
  const state = (await client.request({ method: 'anvil_dumpState', params: [] } as never)) as Hex
  writeFileSync(join(made, 'genesis'), String(timestamp))
  writeFileSync(join(made, 'state.json'), gunzipSync(Buffer.from(state.slice(2), 'hex')))
  try {
    renameSync(made, saved)
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    if (!existsSync(saved)) throw error
  }
}
