import { chainClient } from '../../services/chain/chainClient.ts'
import { createRecentCreations } from '../../services/chain/findUnindexedIntent.ts'
import type { ChainConfig } from '../../services/config/chainConfig.ts'
import { DEFAULT_SPONSOR_LIMITS } from '../../services/config/sponsorLimits.ts'
import type { Enclave } from '../../services/enclave/enclaveInterface.ts'
import type { BundleContext } from '../../services/relayer/bundles/recipientBundleStore.ts'
import { createScreeners, type Screening } from '../../services/relayer/bundles/screenRecipients.ts'
import { createSigning } from '../../services/relayer/settlement/signingContext.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { App } from '../http/addEndpoint.ts'
import { createAdminGate } from '../http/auth/adminGate.ts'
import { contractAccountChains } from '../http/auth/contractAccountChains.ts'
import { addDeleteRecipients } from './bundles/deleteRecipients.ts'
import { addGetRecipients } from './bundles/getRecipients.ts'
import { addStoredBundles } from './bundles/storedBundles.ts'
import { addStoreRecipients } from './bundles/storeRecipients.ts'
import { addIntentMetadata } from './intents/intentMetadata.ts'
import { addIntentPrivate } from './intents/privateIntentDetails.ts'
import { addEciesPubkey } from './operations/eciesPubkey.ts'
import { addRecipientRoutes } from './recipient/addRecipientRoutes.ts'
import type { SponsorCoordinatorOptions } from './recipient/sponsorCoordinator.ts'
import type { ApiRoutes, ApiRoutesContext } from './server.ts'
import { addAttestation } from './settlement/enclaveAttestation.ts'
import { addSignedStatements } from './settlement/signedStatements.ts'
import { addGetRoutes } from './solvers/getRoutes.ts'
import { addRegisterSolver } from './solvers/registerSolver.ts'
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
  /** Unix seconds; default: the machine's clock. */
  now?: () => number
}

/** Milliseconds that a chain's node has to answer while a caller waits. */
const TIMEOUT_MS = 3_000

/** The relayer's writes and private reads. */
export function relayerWrites(options: RelayerWritesOptions): ApiRoutes {
  return (app, reads) => {
    const context = contextOf(options, reads)
    addEciesPubkey(app, context)
    addStoreRecipients(app, context)
    addGetRecipients(app, context)
    addSignedStatements(app, context)
    addAttestation(app, context)
    addGetRoutes(app, context)
    addRegisterSolver(app, context, reads.isTrustedProxy)
    addIntentMetadata(app, context)
    addIntentPrivate(app, context)
    addRecipientRoutes(app, context, options)
    if (options.adminTokens.length > 0) addAdminRoutes(app, context, options.adminTokens)
    return undefined
  }
}

function addAdminRoutes(app: App, context: WriteContext, tokens: readonly string[]): void {
  const gate = createAdminGate(tokens)
  app.openAPIRegistry.registerComponent('securitySchemes', 'admin', {
    type: 'http',
    scheme: 'bearer',
  })
  addStoredBundles(app, context, gate)
  addDeleteRecipients(app, context, gate)
}

function contextOf(options: RelayerWritesOptions, reads: ApiRoutesContext): WriteContext {
  const { enclave, authMode } = options
  const now = options.now ?? (() => Math.floor(Date.now() / 1_000))
  const clients = new Map(
    reads.configured.map((chain) => [chain.chainId, chainClient(chain, { timeoutMs: TIMEOUT_MS })]),
  )
  const clientOf = (chainId: number) => clients.get(chainId) ?? null
  const bridges = bridgesOf(reads.configured)
  const modes = new Map(reads.configured.map(({ chainId, mode }) => [chainId, mode]))
  const modeOn = (chainId: number) => modes.get(chainId) ?? authMode
  const bundles: BundleContext = {
    db: reads.db,
    enclave,
    now,
    modeOn,
    bridgeOn: (chainId) => bridges.get(chainId) ?? null,
    safePrice: { ...DEFAULT_SPONSOR_LIMITS, ...options.sponsoring?.limits },
  }
  return {
    reads,
    bundles,
    enclave,
    modeOn,
    now,
    isTrustedProxy: reads.isTrustedProxy,
    signing: createSigning(reads.db, reads.configured, options.enclaves ?? [enclave]),
    screenerOn: createScreeners(reads.configured, options.screening ?? 'own', TIMEOUT_MS),
    recent: new Map(reads.configured.map((chain) => [chain.chainId, createRecentCreations(chain)])),
    clientOf,
    accountsOn: contractAccountChains(reads.configured, clientOf),
  }
}

function bridgesOf(configured: readonly ChainConfig[]): Map<number, Hex> {
  return new Map(configured.map(({ chainId, bridge }) => [chainId, bridge.toLowerCase() as Hex]))
}
