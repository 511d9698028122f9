import type { Logger } from 'pino'
import { readReactionsConfiguration } from '../config/readReactionsConfiguration.ts'
import type { Enclave } from '../enclave/enclaveInterface.ts'
import { connectEnclave } from '../enclave/socket/connectEnclave.ts'
import { startEnclave } from '../enclave/startEnclave.ts'
import { bindDatabase } from '../enclaveBinding/bindDatabase.ts'
import { createReactionLog } from '../relayer/reconciler/reactionLog.ts'
import { startReactions } from '../relayer/reconciler/startReactions.ts'
import { recoverIfLost } from '../relayer/recovery/recoverIfLost.ts'
import { requireFormerBridgesEnded } from '../relayer/recovery/requireFormerBridgesEnded.ts'
import { migrate } from '../store/database/migrate.ts'
import { keepSafeTransfersRole } from './keepSafeTransfersRole.ts'
import { roleLog, runRole } from './runRole.ts'

/**
 * The reactions (the reconciler and its senders), configured by the environment. Several instances may share a
 * database.
 */
export function runReactions(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const configuration = readReactionsConfiguration(env)
    const { chains, databaseUrl, bumpAfterMs } = configuration
    const log = roleLog('reactions', configuration.logLevel)
    await migrate(databaseUrl)
    const enclaves = await enclavesOf(configuration, log)
    const [enclave] = enclaves
    // Checked again by the reactions. A recovery with another enclave would be tried again and again.
    await bindDatabase(databaseUrl, enclave)
    await requireFormerBridgesEnded(databaseUrl, chains)
    const recovery = await recoverIfLost({ databaseUrl, chains, enclave, log })
    const reactions = await startReactions({
      ...configuration,
      enclave,
      enclaves,
      mode: configuration.access.mode,
      sender: { bumpAfterMs },
      safePrice: configuration.sponsoring,
      onEvent: createReactionLog(log),
    })
    const transfers = keepSafeTransfersRole(env, (text) => log.warn(text))
    const stop = async () => {
      await recovery.stop()
      await Promise.all([reactions.stop(), transfers.stop()])
    }
    const { relayer } = reactions.status()
    log.info({ relayer, chains: chains.map(({ name }) => name) }, 'reacting')
    return { url: null, log, stop }
  })
}

/** Connects to the enclaves' sockets, or runs one in this process if the deployment has no separate one. */
async function enclavesOf(
  { enclave, chains, access }: ReturnType<typeof readReactionsConfiguration>,
  log: Logger,
): Promise<[Enclave, ...Enclave[]]> {
  const [first, ...others] = enclave.sockets
  if (first !== undefined)
    return [connectEnclave(first), ...others.map((socket) => connectEnclave(socket))]
  const { rootFile, keyFolder } = enclave
  const files = { rootFile: rootFile ?? '', keyFolder }
  return [await startEnclave({ ...files, chains, mode: access.mode, log })]
}
