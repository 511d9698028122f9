import { readConfiguration } from '../config/readConfiguration.ts'
import { startPush } from '../push/startPush.ts'
import { migrate } from '../store/database/migrate.ts'
import { roleLog, runRole } from './runRole.ts'

/** The role `push`: writes the journal that event streams read, and delivers webhooks. */
export function runPush(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const { databaseUrl, webhooks, logLevel: level } = readConfiguration(env)
    const log = roleLog('push', level)
    await migrate(databaseUrl)
    const push = await startPush({ databaseUrl, log, webhooks })
    log.info({ webhooks: webhooks.keyFile !== null }, 'writing the journal')
    return { url: null, log, stop: () => push.stop() }
  })
}
