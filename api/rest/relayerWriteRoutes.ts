import { createChainClients } from '../../services/chain/chainClient.ts'
import { createUnindexedIntentFinder } from '../../services/chain/unindexedIntentFinder.ts'
import { DEFAULT_SPONSOR_LIMITS } from '../../services/config/sponsorLimits.ts'
import type { Enclave } from '../../services/enclave/enclaveInterface.ts'
import { createBundleContext } from '../../services/relayer/recipientBundles/createBundleContext.ts'
import {
  createScreeners,
  type Screening,
} from '../../services/relayer/recipientBundles/refuseUnpayableRecipients.ts'
import { createRevealReader } from '../../services/relayer/settlement/revealReader.ts'
import { createSigning } from '../../services/relayer/settlement/signingContext.ts'
import type { App } from '../http/addEndpoint.ts'
import { createAdminGate } from '../http/auth/adminGate.ts'
import { createContractSignatureChains } from '../http/auth/contractSignatureChains.ts'
import { createSignatureCheck } from '../http/auth/signatureCheck.ts'
import { addIntentMetadataRoute } from './intents/intentMetadataRoute.ts'
import { addPrivateIntentDetailsRoute } from './intents/privateIntentDetailsRoute.ts'
import { addEciesPubkeyRoute } from './operations/eciesPubkeyRoute.ts'
import { addRecipientRoutes } from './recipient/recipientRoutes.ts'
import type { SponsorCoordinatorOptions } from './recipient/sponsorCoordinator.ts'
import { addDeleteRecipientsRoute } from './recipientBundles/deleteRecipientsRoute.ts'
import { addGetRecipientsRoute } from './recipientBundles/getRecipientsRoute.ts'
import { createRecipientRevealLimiter } from './recipientBundles/recipientRevealLimiter.ts'
import { addStoredBundlesRoute } from './recipientBundles/storedBundlesRoute.ts'
import { addStoreRecipientsRoute } from './recipientBundles/storeRecipientsRoute.ts'
import { addEnclaveAttestationRoute } from './settlement/enclaveAttestationRoute.ts'
import { addSignedStatementRoutes } from './settlement/signedStatementRoutes.ts'
import { addRegisterSolverRoute } from './solvers/registerSolverRoute.ts'
import { addServedPairsRoutes } from './solvers/servedPairsRoutes.ts'
import type { ApiRoutes, ApiRoutesContext } from './startApi.ts'
import type { AuthMode, WriteContext } from './writeContext.ts'

type RelayerWritesOptions = {
  /** Opens bundles, and pays gas. */
  enclave: Enclave
  /** The quorum's enclaves, of different operators. Default: the one above. */
  enclaves?: readonly Enclave[] | undefined
  /** For chains without a mode of their own. */
  authMode: AuthMode
  /** Valid admin tokens, 32 bytes or more each. Without any, the admin routes don't exist. */
  adminTokens: readonly string[]
  /** Bearer tokens of services that may call generate-stealth, 32 bytes or more each. */
  serviceTokens?: readonly string[]
  /** Limits of what the relayer pays for recipients. */
  sponsoring?: SponsorCoordinatorOptions
  /** Whose nodes may see recipients before there is a winner. Default `own`. */
  screening?: Screening
}

/** Milliseconds that a chain's node has to answer while a caller waits. */
const TIMEOUT_MS = 3_000

export function createRelayerWriteRoutes(options: RelayerWritesOptions): ApiRoutes {
  return (app, reads) => {
    const context = contextOf(options, reads)
    addEciesPubkeyRoute(app, context)
    addStoreRecipientsRoute(app, context)
    addGetRecipientsRoute(app, context)
    addSignedStatementRoutes(app, context)
    addEnclaveAttestationRoute(app, context)
    addServedPairsRoutes(app, context)
    addRegisterSolverRoute(app, context, reads.isTrustedProxy)
    addIntentMetadataRoute(app, context)
    addPrivateIntentDetailsRoute(app, context)
    addRecipientRoutes(app, context, options)
    if (options.adminTokens.length > 0) addAdminRoutes(app, context, options.adminTokens)
    return undefined
  }
}

function addAdminRoutes(app: App, context: WriteContext, tokens: readonly string[]): void {
  const gate = createAdminGate(tokens)
  addStoredBundlesRoute(app, context, gate)
  addDeleteRecipientsRoute(app, context, gate)
}

function contextOf(options: RelayerWritesOptions, reads: ApiRoutesContext): WriteContext {
  const { enclave, authMode } = options
  const clients = createChainClients(reads.configured, TIMEOUT_MS)
  const safePrice = { ...DEFAULT_SPONSOR_LIMITS, ...options.sponsoring?.limits }
  const bundles = createBundleContext(
    { db: reads.db, enclave, safePrice },
    reads.configured,
    authMode,
  )
  const signing = createSigning(reads.db, reads.configured, options.enclaves ?? [enclave])
  return {
    reads,
    bundles,
    enclave,
    now: bundles.now,
    isTrustedProxy: reads.isTrustedProxy,
    signing,
    reveals: createRevealReader(signing),
    revealGate: createRecipientRevealLimiter(),
    screenerOn: createScreeners(reads.configured, options.screening ?? 'own', TIMEOUT_MS),
    recent: new Map(
      reads.configured.map((chain) => [chain.chainId, createUnindexedIntentFinder(chain)]),
    ),
    clientOf: (chainId) => clients.get(chainId) ?? null,
    isSigned: createSignatureCheck(
      createContractSignatureChains(reads.configured, clients),
      reads.isTrustedProxy,
    ),
  }
}
