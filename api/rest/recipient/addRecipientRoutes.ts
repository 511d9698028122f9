import type { App } from '../../http/addEndpoint.ts'
import { createAdminGate } from '../../http/auth/adminGate.ts'
import type { WriteContext } from '../writeContext.ts'
import { createContractWallets } from './contractWallets.ts'
import { createDeployedSafes } from './deployedSafes.ts'
import { addDeploySafe } from './deploySafe.ts'
import { addDeriveStealthKey } from './deriveStealthKey.ts'
import { addGenerateStealth } from './generateStealth.ts'
import { addIssuedAddresses } from './issuedAddresses.ts'
import { createMinedTransactions } from './minedTransactions.ts'
import type { RecipientContext } from './recipientContext.ts'
import { addRegister } from './registerRecipient.ts'
import { addRelayProxy } from './relaySafeTransaction.ts'
import { createSafeCreations, safeChains } from './safeCreations.ts'
import { createSponsorCoordinator, type SponsorCoordinatorOptions } from './sponsorCoordinator.ts'

type RecipientRoutesOptions = {
  /** Bearer tokens of services that may call generate-stealth, 32 bytes or more each. */
  serviceTokens?: readonly string[] | undefined
  /** Limits of what the relayer pays for recipients. */
  sponsoring?: SponsorCoordinatorOptions | undefined
}

/** The endpoints under `/recipient`. */
export function addRecipientRoutes(
  app: App,
  writes: WriteContext,
  { serviceTokens = [], sponsoring }: RecipientRoutesOptions,
): void {
  const { db, configured } = writes.reads
  const chains = safeChains(configured)
  const context: RecipientContext = {
    ...writes,
    wallets: createContractWallets(writes.clientOf),
    deployed: createDeployedSafes(db, chains),
    creations: createSafeCreations(db, chains),
  }
  const services = serviceTokens.length > 0 ? createAdminGate(serviceTokens) : null
  addRegister(app, context)
  addIssuedAddresses(app, context)
  addGenerateStealth(app, context, services)
  addDeriveStealthKey(app, context)
  const mined = createMinedTransactions(db, sponsoring)
  addDeploySafe(app, context, createSponsorCoordinator(context, mined, sponsoring))
  addRelayProxy(app, createSponsorCoordinator(context, mined, sponsoring))
}
