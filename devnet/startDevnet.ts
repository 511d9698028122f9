import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { loadArtifacts } from '../contracts/artifacts.ts'
import { createRelayerClient } from '../sdk/relayer/relayerClient.ts'
import { connectEnclave } from '../services/enclave/socket/connectEnclave.ts'
import { createLog } from '../services/log/createLog.ts'
import { type RunningPostgres, startPostgres } from '../services/postgres/startPostgres.ts'
import { allEnded } from '../services/process/mapInParallel.ts'
import { type DevnetAccounts, deriveDevnetAccounts } from './accounts.ts'
import { DEVNET_WINDOWS, type Windows } from './bridgeWindows.ts'
import { buildChainConfig } from './buildChainConfig.ts'
import { buildDevnetContracts, type DevnetContracts } from './deploy/devnetContracts.ts'
import { setUpDevnetChain } from './deploy/setUpDevnetChain.ts'
import { deriveRelayerAccount } from './deriveRelayerAccount.ts'
import { describeDevnet } from './describeDevnet.ts'
import { createDevnetClient } from './devnetClient.ts'
import { type DevnetFile, removeDevnetFile, writeDevnetFile } from './devnetFile.ts'
import type { DevnetOptions, DevnetRole } from './devnetOptions.ts'
import { lockDirectory } from './directoryLock.ts'
import { devnetMeasurement, registerDevnetEnclave } from './registerDevnetEnclave.ts'
import { resetRelayerState } from './resetRelayerState.ts'
import { type DevnetChain, startChains } from './startChains.ts'
import { type RoleGround, startRoles } from './startRoles.ts'
import { clearState, createStateDirectory, type StateDirectory } from './stateDirectory.ts'
import { playOrders } from './traffic/orders/playOrders.ts'
import { playTraffic, type Traffic } from './traffic/playTraffic.ts'
import { createTrafficChainClient } from './traffic/trafficChainClient.ts'

/** A running devnet. */
export type Devnet = {
  /** Contents of `devnet.json` in its directory. */
  file: DevnetFile
  chains: readonly DevnetChain[]
  /** Process ids by role. */
  rolePids(): Partial<Record<DevnetRole, number>>
  /** Resolves with a reason when a part that can't be restarted has ended. */
  broken: Promise<string>
  /** Shuts everything down in order; the state stays in the directory. */
  stop(): Promise<void>
}

/** Initial balance of the order service's account on each chain, in wei. */
const ORDERS_GAS = 10n ** 20n

/** Milliseconds after which a part that is still stopping is named. */
const NOTICE_AFTER_MS = 3_000

type OnEvent = NonNullable<DevnetOptions['onEvent']>

/** What has been started so far, to be stopped in reverse order. */
type Parts = { name: string; stop: () => Promise<unknown> | unknown }[]

/**
 * Starts PostgreSQL, two chains with everything deployed, all roles and the traffic. Resolves when the API and the solvers
 * answer. Everything ends with this process, however it ends.
 *
 * @throws DirectoryInUse, or the error that kept a part from starting, after stopping the rest
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const state = createStateDirectory(options.directory)
  const parts: Parts = [{ name: 'lock', stop: lockDirectory(state.path) }]
  try {
    return await startParts(options, state, parts)
  } catch (error) {
    await stopParts(parts, options.onEvent ?? (() => {}))
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
  // A devnet that was killed leaves its file.
  removeDevnetFile(state.path)
  onEvent({ type: 'stage', text: 'starting PostgreSQL and two chains' })
  const accounts = { ...deriveDevnetAccounts(), ...deriveRelayerAccount(state.rootFile) }
  const ground = Promise.withResolvers<RoleGround>()
  let isDeployed = false
  const onRoleEvent: typeof onEvent = (event) => {
    // The indexer starts during the deployment and retries by itself.
    if (isDeployed || !event.text.startsWith('indexer: no contract is at')) onEvent(event)
  }
  const starting = allEnded([
    startDatabase(options, state, parts),
    startNodes(options, state, parts),
    loadArtifacts(),
  ])
  const started = startRoles({ ...options, onEvent: onRoleEvent }, state, ground.promise)
  const { roles, adminToken, startSolvers, startOrders } = started
  const [postgres, chains, artifacts] = await starting.finally(() => {
    const { enclave, ...others } = roles
    // Stopped before the parts they use, whether or not those have started. A role whose call the enclave no longer
    // answers would wait for it until it is killed.
    parts.push(
      { name: 'enclave', stop: () => enclave?.stop() },
      { name: 'roles', stop: () => Promise.all(Object.values(others).map((role) => role.stop())) },
    )
  })
  if (chains.some(({ resumed }) => !resumed)) await resetRelayerState(postgres.databaseUrl)
  const contracts = buildDevnetContracts(artifacts, deriveDevnetAccounts(), windowsOf(options))
  onEvent({ type: 'stage', text: 'deploying the contracts, starting the programs' })
  const configs = chains.map((chain) => buildChainConfig(chain, contracts))
  ground.resolve({ databaseUrl: postgres.databaseUrl, chains: configs })
  const measurement = devnetMeasurement(configs)
  const enclave = roles.enclave ? connectEnclave(state.enclaveSocket) : null
  await Promise.all(
    chains.map((chain) => {
      const others = chains.filter((other) => other !== chain).map(({ chainId }) => chainId)
      const client = createDevnetClient(chain)
      const choices = { measurements: [measurement] }
      return setUpDevnetChain(client, contracts, accounts, others, choices, async () => {
        if (!enclave) return
        await registerDevnetEnclave(client, contracts, accounts, enclave, measurement)
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
    api,
    adminToken,
    databaseUrl,
    chains,
    contracts,
    accounts,
    solvers,
    orders,
  })
  parts.push({ name: 'description', stop: () => removeDevnetFile(state.path) })
  writeDevnetFile(state.path, file)
  return {
    file,
    chains,
    rolePids: () =>
      Object.fromEntries(Object.entries(roles).map(([role, { pid }]) => [role, pid()])),
    broken: whenBroken(postgres, chains),
    stop: () => stopParts(parts, onEvent),
  }
}

async function startDatabase(
  { onEvent, postgresSettings = {} }: DevnetOptions,
  state: StateDirectory,
  parts: Parts,
): Promise<RunningPostgres> {
  const log = createWriteStream(join(state.logs, 'postgres.log'), { flags: 'a' })
  // A full disk must not end the database.
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
    chains: chains.map((chain) => createTrafficChainClient(chain, contracts, accounts)),
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
    ...createTrafficChainClient(chain, contracts, accounts),
    name: chain.name,
  }))
  if (!first || !second) return
  const playing = playOrders({
    chains: [first, second],
    url,
    owner: accounts.owner,
    seed: traffic.seed,
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

/** Stops in reverse order of the start; a part that fails to stop does not keep the others running. */
async function stopParts(parts: Parts, onEvent: OnEvent): Promise<void> {
  for (const { name, stop } of parts.splice(0).reverse()) {
    const notice = () => onEvent({ type: 'notice', text: `still stopping: ${name}` })
    const waiting = setTimeout(notice, NOTICE_AFTER_MS)
    await Promise.resolve(stop()).catch(() => {})
    clearTimeout(waiting)
  }
}
