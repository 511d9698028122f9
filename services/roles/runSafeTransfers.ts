import type { Logger } from 'pino'
import { readConfiguration } from '../config/readConfiguration.ts'
import { createProblemLog, createRepeatLog } from '../log/repeatLog.ts'
import type { TransfersStatus } from '../relayer/recipients/safeTransfers/readTransfersHealth.ts'
import { startTransferFollower } from '../relayer/recipients/safeTransfers/startTransferFollower.ts'
import type { TransferEvent } from '../relayer/recipients/safeTransfers/transferFollowerContext.ts'
import { migrate } from '../store/database/migrate.ts'
import { openDatabase } from '../store/database/openDatabase.ts'
import { writeRoleHeartbeats } from '../store/roles/writeRoleHeartbeats.ts'
import { roleLog, runRole } from './runRole.ts'

/**
 * Follows the transfers of recipients' Safes, configured by the environment. Strangers can inflate what it reads from
 * nodes, so it has a process of its own.
 */
export function runSafeTransfers(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const { chains, databaseUrl, logLevel: level } = readConfiguration(env)
    const log = roleLog('transfers', level)
    await migrate(databaseUrl)
    const onEvent = logTransfers(log)
    const followers = chains.map((chain) => startTransferFollower({ databaseUrl, chain, onEvent }))
    const { db, close } = openDatabase({ databaseUrl, name: 'cairn_transfers', connections: 1 })
    const heartbeats = writeRoleHeartbeats<TransfersStatus>(
      db,
      'transfers',
      () => ({ chains: followers.map((follower) => follower.report()) }),
      createProblemLog(log)(
        'the heartbeat can’t be written, so /health may report this role as stopped: retrying',
      ),
    )
    log.info({ chains: chains.map(({ name }) => name) }, 'following transfers')
    const stop = async () => {
      await Promise.all([heartbeats, ...followers].map((one) => one.stop()))
      await close()
    }
    return { url: null, log, stop }
  })
}

/** Logs the Safes' transfers: chains and blocks, never a Safe or an amount. */
function logTransfers(log: Logger): (event: TransferEvent) => void {
  const report = createRepeatLog(log)
  return (event) => {
    if (event.type === 'rewound') {
      const { chainId, to } = event
      return log.info({ chainId, to }, 'transfers are read again: the chain was reorganised')
    }
    const { chainId, problem, detail } = event
    const message = `transfers can’t be followed: ${problem}`
    report('warn', `${chainId} ${problem}`, { chainId, detail }, message)
  }
}
