import { createEntryVerifier } from '../../../services/relayer/recipients/entries/entryVerifier.ts'
import type { App } from '../../http/addEndpoint.ts'
import { createAdminGate } from '../../http/auth/adminGate.ts'
import type { WriteContext } from '../writeContext.ts'
import { createDeployedSafes } from './deployedSafes.ts'
import { addDeploySafeRoute } from './deploySafeRoute.ts'
import { addDeriveStealthKeyRoute } from './deriveStealthKeyRoute.ts'
import { addGenerateStealthRoute } from './generateStealthRoute.ts'
import { addIssuedAddressesRoute } from './issuedAddressesRoute.ts'
import { createListingLimit } from './listingLimit.ts'
import { createMinedTransactionWaiter } from './minedTransactionWaiter.ts'
import type { RecipientContext } from './recipientContext.ts'
import { addRegisterRecipientRoute } from './registerRecipientRoute.ts'
import { addRelaySafeTransactionRoute } from './relaySafeTransactionRoute.ts'
import { createSafeCreationFinder, safeChains } from './safeCreationFinder.ts'
import { createSponsorCoordinator, type SponsorCoordinatorOptions } from './sponsorCoordinator.ts'
import { createWalletVerifier } from './walletVerifier.ts'

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
    wallets: createWalletVerifier(writes.clientOf),
    entries: createEntryVerifier(db, writes.enclave),
    deployed: createDeployedSafes(db, chains),
    creations: createSafeCreationFinder(db, chains),
    requireListing: createListingLimit(db),
  }
  const services = serviceTokens.length > 0 ? createAdminGate(serviceTokens) : null
  addRegisterRecipientRoute(app, context)
  addIssuedAddressesRoute(app, context)
  addGenerateStealthRoute(app, context, services)
  addDeriveStealthKeyRoute(app, context)
  const mined = createMinedTransactionWaiter(db, sponsoring)
  addDeploySafeRoute(app, context, createSponsorCoordinator(context, mined, sponsoring))
  addRelaySafeTransactionRoute(app, createSponsorCoordinator(context, mined, sponsoring))
}
