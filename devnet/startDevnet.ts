import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { contractArtifacts } from '../contracts/artifacts.ts'
import { createRelayerClient } from '../sdk/relayer/relayerClient.ts'
import { connectEnclave } from '../services/enclave/socket/connectEnclave.ts'
import { createLog } from '../services/log/createLog.ts'
import { type RunningPostgres, startPostgres } from '../services/postgres/startPostgres.ts'
import { type DevnetAccounts, devnetAccounts } from './accounts.ts'
import { DEVNET_WINDOWS, type Windows } from './bridgeWindows.ts'
import { configureChain } from './configureChain.ts'
import { deployDevnet } from './deploy/deployDevnet.ts'
import { type DevnetContracts, devnetContracts } from './deploy/devnetContracts.ts'
import { describeDevnet } from './describeDevnet.ts'
import { devnetClient } from './devnetClient.ts'
import { type DevnetFile, writeDevnetFile } from './devnetFile.ts'
import type { DevnetOptions, DevnetRole } from './devnetOptions.ts'
import { lockDirectory } from './directoryLock.ts'
import { enclaveAccounts } from './enclaveAccounts.ts'
import { resetRelayerState } from './resetRelayerState.ts'
import { type DevnetChain, startChains } from './startChains.ts'
import { type RoleGround, startRoles } from './startRoles.ts'
import { clearState, type StateDirectory, stateDirectory } from './stateDirectory.ts'
import { playOrders } from './traffic/orders/playOrders.ts'
import { playTraffic, type Traffic } from './traffic/playTraffic.ts'
import { trafficChain } from './traffic/trafficChain.ts'
import { devnetMeasurement, trustEnclave } from './trustEnclave.ts'

/** A running devnet. */
export type Devnet = {
  /** What `devnet.json` in its directory says. */
  file: DevnetFile
  chains: readonly DevnetChain[]
  /** Process ids of the roles. */
  rolePids(): Partial<Record<DevnetRole, number>>
  /** Resolves, with the reason, when a part that can't be started again has ended. */
  broken: Promise<string>
  /** Ends everything in order; the state stays in the directory. */
  stop(): Promise<void>
}

/** Wei that the orders' account begins with, on each chain. */
const ORDERS_GAS = 10n ** 20n

/** What has been started so far, to be ended in the opposite order. */
type Parts = { name: string; stop: () => Promise<unknown> | unknown }[]

/**
 * Starts PostgreSQL, two chains with everything deployed, the enclave, the indexer, the reactions, the
 * API, two solvers and the traffic. Resolves when the API and the solvers answer. Everything ends with this process, however that comes about.
 *
 * @throws DirectoryInUse, or what kept a part from starting; nothing is left running then
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const state = stateDirectory(options.directory)
  const parts: Parts = [{ name: 'lock', stop: lockDirectory(state.path) }]
  try {
    return await startParts(options, state, parts)
  } catch (error) {
    await stopParts(parts)
    throw error
  }
}

async function startParts(
  options: DevnetOptions,
  state: StateDirectory,
  parts: Parts,
): Promise<Devnet> {
  const onEvent = options.onEvent ?? (() => {})
  if (options.fresh) clearState(state)
  onEvent({ type: 'stage', text: 'starting PostgreSQL and two chains, compiling the contracts' })
  const accounts = { ...devnetAccounts(), ...enclaveAccounts(state.rootFile) }
  const ground = Promise.withResolvers<RoleGround>()
  let isDeployed = false
  const onRoleEvent: typeof onEvent = (event) => {
    // The indexer begins beside the deployment, and looks again by itself.
    if (isDeployed || !event.text.startsWith('no contract is at')) onEvent(event)
  }
  const starting = allStarted(
    startDatabase(options, state, parts),
    startNodes(options, state, parts),
    contractArtifacts(),
  )
  const started = startRoles({ ...options, onEvent: onRoleEvent }, state, ground.promise)
  const { roles, adminToken, startSolvers, startOrders } = started
  const [postgres, chains, artifacts] = await starting.finally(() =>
    // Ended before what they use, whether or not that has started.
    parts.push({
      name: 'roles',
      stop: () => Promise.all(Object.values(roles).map((role) => role.stop())),
    }),
  )
  if (chains.some(({ resumed }) => !resumed)) await resetRelayerState(postgres.databaseUrl)
  const contracts = devnetContracts(artifacts, devnetAccounts(), windowsOf(options))
  onEvent({ type: 'stage', text: 'deploying the contracts, starting the programs' })
  const configs = chains.map((chain) => configureChain(chain, contracts))
  ground.resolve({ databaseUrl: postgres.databaseUrl, chains: configs })
  const measurement = devnetMeasurement(configs)
  const enclave = roles.enclave ? connectEnclave(state.enclaveSocket) : null
  await Promise.all(
    chains.map((chain) => {
      const others = chains.filter((other) => other !== chain).map(({ chainId }) => chainId)
      const client = devnetClient(chain)
      const choices = { measurements: [measurement] }
      return deployDevnet(client, contracts, accounts, others, choices, async () => {
        if (!enclave) return
        await trustEnclave(client, contracts, accounts, enclave, measurement)
        const { account } = await enclave.orderKeys()
        await client.setBalance({ address: account, value: ORDERS_GAS })
        await client.setBalance({ address: accounts.owner.address, value: ORDERS_GAS })
      })
    }),
  ).finally(() => enclave?.close())
  isDeployed = true
  await started.ready
  const api = (await roles.api?.ready) ?? 'http://127.0.0.1:0'
  startTraffic(options, parts, { chains, contracts, accounts, api })
  const [solvers, orders] = await Promise.all([startSolvers(api), startOrders(api)])
  startOrderTraffic(options, parts, { chains, contracts, accounts, api, orders })
  const { databaseUrl } = postgres
  const file = describeDevnet({
    ...{ api, adminToken, databaseUrl, chains, contracts, accounts, solvers, orders },
  })
  writeDevnetFile(state.path, file)
  return {
    file,
    chains,
    rolePids: () =>
      Object.fromEntries(Object.entries(roles).map(([role, { pid }]) => [role, pid()])),
    broken: whenBroken(postgres, chains),
    stop: () => stopParts(parts),
  }
}

/** Like `Promise.all`, but waits for all even if one fails, so that nothing starts behind our back. */
async function allStarted<T extends readonly unknown[]>(
  ...starting: { [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  await Promise.allSettled(starting)
  return Promise.all(starting) as unknown as Promise<T>
}

async function startDatabase(
  { onEvent, postgresSettings = {} }: DevnetOptions,
  state: StateDirectory,
  parts: Parts,
): Promise<RunningPostgres> {
  const log = createWriteStream(join(state.logs, 'postgres.log'), { flags: 'a' })
  // A full disk is no reason to end the database.
  log.on('error', () => {})
  const postgres = await startPostgres({
    dataDirectory: state.postgres,
    settings: postgresSettings,
    onLine: (line) => log.write(`${line}\n`),
    onNotice: (text) => onEvent?.({ type: 'notice', text }),
  })
  postgres.ended.then(() => log.end())
  parts.push({ name: 'PostgreSQL', stop: () => postgres.stop() })
  return postgres
}

async function startNodes(
  { onEvent }: DevnetOptions,
  state: StateDirectory,
  parts: Parts,
): Promise<DevnetChain[]> {
  const chains = await startChains(state, onEvent ?? (() => {}))
  parts.push({ name: 'chains', stop: () => Promise.all(chains.map((chain) => chain.stop())) })
  return chains
}

function startTraffic(
  options: DevnetOptions,
  parts: Parts,
  scene: {
    chains: DevnetChain[]
    contracts: DevnetContracts
    accounts: DevnetAccounts
    api: string
  },
): Traffic | null {
  const { traffic, logLevel } = options
  if (traffic === 'off') return null
  const { chains, contracts, accounts, api } = scene
  const playing = playTraffic({
    ...traffic,
    chains: chains.map((chain) => trafficChain(chain, contracts, accounts)),
    relayer: createRelayerClient({ baseUrl: api }),
    windows: windowsOf(options),
    log: createLog('traffic', { level: logLevel === 'debug' ? 'debug' : 'silent' }),
  })
  parts.push({ name: 'traffic', stop: () => playing.stop() })
  return playing
}

function startOrderTraffic(
  { traffic, logLevel }: DevnetOptions,
  parts: Parts,
  scene: {
    chains: DevnetChain[]
    contracts: DevnetContracts
    accounts: DevnetAccounts
    api: string
    orders: string | null
  },
): void {
  const { chains, contracts, accounts, api, orders: url } = scene
  if (traffic === 'off' || url === null) return
  const [first, second] = chains.map((chain) => ({
    ...trafficChain(chain, contracts, accounts),
    name: chain.name,
  }))
  if (!first || !second) return
  const playing = playOrders({
    ...{ chains: [first, second], url, owner: accounts.owner, seed: traffic.seed },
    relayer: createRelayerClient({ baseUrl: api }),
    log: createLog('orders', { level: logLevel === 'debug' ? 'debug' : 'silent' }),
  })
  parts.push({ name: 'orders', stop: () => playing.stop() })
}

function windowsOf({ windows = DEVNET_WINDOWS }: DevnetOptions): Windows {
  return windows
}

function whenBroken(postgres: RunningPostgres, chains: DevnetChain[]): Promise<string> {
  return Promise.race([
    postgres.ended.then(() => 'PostgreSQL has ended'),
    ...chains.map(({ name, ended }) => ended.then(() => `the node of ${name} has ended`)),
  ])
}

/** Last started, first ended; one that fails to end keeps none of the others running. */
async function stopParts(parts: Parts): Promise<void> {
  for (const part of parts.splice(0).reverse()) {
    await Promise.resolve(part.stop()).catch(() => {})
  }
}
