import { createAdminGate } from '../../http/auth/adminGate.ts'
import { addStuckIntentsRoute } from '../operations/stuckIntentsRoute.ts'
import type { ApiRoutes } from '../startApi.ts'
import { createMissingDeliveryLookup } from './missingDeliveryLookup.ts'
import { createSettleCoordinator, type SettleCoordinatorOptions } from './settleCoordinator.ts'
import { addSettleRoute } from './settleRoute.ts'

type SettlementOptions = SettleCoordinatorOptions & {
  /** Valid admin tokens. Without any, `/stuck` doesn't exist. */
  adminTokens: readonly string[]
}

/** `/settle`, and `/stuck` for operators. */
export function createSettlementRoutes({ adminTokens, ...options }: SettlementOptions): ApiRoutes {
  return (app, context) => {
    const coordinator = createSettleCoordinator(
      context,
      createMissingDeliveryLookup(context.configured),
      options,
    )
    addSettleRoute(app, context, coordinator, context.isTrustedProxy)
    if (adminTokens.length > 0) addStuckIntentsRoute(app, context, createAdminGate(adminTokens))
    return undefined
  }
}
