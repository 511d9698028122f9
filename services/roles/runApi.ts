import { createExplorerRoutes } from '../../api/explorer/explorerRoutes.ts'
import { createGraphqlRoutes } from '../../api/graphql/graphqlRoutes.ts'
import { createAccessLog } from '../../api/http/accessLog.ts'
import { createFailureLog } from '../../api/http/failureLog.ts'
import { startTokenPriceCache } from '../../api/http/prices/tokenPriceCache.ts'
import { createPushEventRoutes } from '../../api/rest/events/pushEventRoutes.ts'
import { addIntentProofRoutes } from '../../api/rest/proof/intentProofRoutes.ts'
import { createRelayerWriteRoutes } from '../../api/rest/relayerWriteRoutes.ts'
import { createSettlementRoutes } from '../../api/rest/settlement/settlementRoutes.ts'
import { startApi } from '../../api/rest/startApi.ts'
import { createWebhookRoutes } from '../../api/rest/webhooks/webhookRoutes.ts'
import { readConfiguration } from '../config/readConfiguration.ts'
import { type ConnectedEnclave, connectEnclave } from '../enclave/socket/connectEnclave.ts'
import { bindDatabase, createBoundEnclave } from '../enclaveBinding/bindDatabase.ts'
import { findDatabaseProblem } from '../store/database/databaseProblem.ts'
import { logChangeFeedProblem } from './logChangeFeedProblem.ts'
import { roleLog, runRole } from './runRole.ts'

/** The API: REST and GraphQL on one server, configured by the environment. */
export function runApi(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const { chains, databaseUrl, api, access, ...more } = readConfiguration(env)
    const log = roleLog('api', more.logLevel)
    // Without an enclave, nothing can open a bundle, and the API serves only public reads.
    const [connected, ...others] = more.enclave.sockets.map(enclaveAt)
    const enclave =
      connected &&
      createBoundEnclave(
        connected,
        () => bindDatabase(databaseUrl, connected),
        (error) => log.error({ err: error }, 'the enclave doesn’t belong to this database'),
      )
    // Reports a wrong enclave at once. A missing one may still come.
    enclave?.publicKeys().catch(() => {})
    const { mode: authMode, ...trusted } = access
    const { adminTokens } = trusted
    const sponsoring = { limits: more.sponsoring }
    const onChange = (words: string, isProblem: boolean) => log[isProblem ? 'warn' : 'info'](words)
    const running = await startApi({
      databaseUrl,
      chains,
      ...api,
      expectsReactions: enclave !== undefined,
      ...(more.prices && { prices: startTokenPriceCache({ ...more.prices, onChange }) }),
      routes: [
        createWebhookRoutes({ adminTokens, allowPrivate: more.webhooks.allowPrivate }),
        addIntentProofRoutes,
        createPushEventRoutes({
          onProblem: (error) => log.error({ err: error }, 'the journal can’t be read'),
        }),
        ...(enclave
          ? [
              createRelayerWriteRoutes({
                enclave,
                enclaves: [enclave, ...others],
                authMode,
                sponsoring,
                ...trusted,
              }),
              createSettlementRoutes({ adminTokens }),
            ]
          : []),
        createExplorerRoutes(),
        createGraphqlRoutes({
          onProblem: (error) => {
            // The change feed reports once that the database is unreachable or not filled yet.
            if (findDatabaseProblem(error) === null)
              log.error({ err: error }, 'a GraphQL query failed')
          },
        }),
      ],
      onFailure: createFailureLog(log),
      onAnswer: createAccessLog(log),
      onFeedProblem: logChangeFeedProblem(log, databaseUrl),
    })
    log.info({ url: running.url }, 'listening')
    const stop = async () => {
      await running.stop()
      for (const one of [connected, ...others]) one?.close()
    }
    return { url: running.url, log, drainMs: api.drainMs, stop }
  })
}

/** Milliseconds that a request waits for the enclave. */
const ENCLAVE_TIMEOUT_MS = 8_000

function enclaveAt(socket: string): ConnectedEnclave {
  // Its callers may be anybody: the relayer's own signatures come first.
  return connectEnclave(socket, { timeoutMs: ENCLAVE_TIMEOUT_MS, priority: 'low' })
}
