import { readConfiguration } from '../config/readConfiguration.ts'
import { createLog } from '../log/createLog.ts'
import { logTransfers } from '../relayer/recipients/transfers/logTransfers.ts'
import { writeFollowerStatus } from '../relayer/recipients/transfers/readTransfersHealth.ts'
import { startTransferFollower } from '../relayer/recipients/transfers/startTransferFollower.ts'
import { migrate } from '../store/database/migrate.ts'
import { notifyParent, runRole } from './runRole.ts'

/**
 * Follows the transfers of recipients' Safes, by the environment's configuration. Strangers can fill
 * what it reads from nodes, so it shares its process with nothing that others wait for.
 */
export function runTransfers(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const { chains, databaseUrl, logLevel: level } = readConfiguration(env)
    const to = (text: string) => notifyParent({ type: 'notice', text: `transfers: ${text}` })
    const log = createLog('transfers', { level, notify: { from: 'error', to } })
    await migrate(databaseUrl)
    const followers = chains.map((chain) =>
      startTransferFollower({ databaseUrl, chain, onEvent: logTransfers(log) }),
    )
    const heartbeats = writeFollowerStatus(databaseUrl, followers)
    log.info({ chains: chains.map(({ name }) => name) }, 'following transfers')
    const stop = async () => {
      await Promise.all([heartbeats, ...followers].map((one) => one.stop()))
    }
    return { url: null, log, stop }
  })
}
