import { createAdminGate } from '../../http/auth/adminGate.ts'
import { addStuck } from '../operations/stuck.ts'
import type { ApiRoutes } from '../server.ts'
import { createMissingDeliveryLookup } from './missingDeliveryLookup.ts'
import { addSettle } from './settle.ts'
import { createSettleCoordinator, type SettleCoordinatorOptions } from './settleCoordinator.ts'

type SettlementOptions = SettleCoordinatorOptions & {
  /** Valid admin tokens. Without any, `/stuck` doesn't exist. */
  adminTokens: readonly string[]
}

/** `/settle`, and `/stuck` for operators. */
export function settlementRoutes({ adminTokens, ...options }: SettlementOptions): ApiRoutes {
  return (app, context) => {
    const coordinator = createSettleCoordinator(
      context,
      createMissingDeliveryLookup(context.configured),
      options,
    )
    addSettle(app, context, coordinator, context.isTrustedProxy)
    if (adminTokens.length > 0) addStuck(app, context, createAdminGate(adminTokens))
    return undefined
  }
}
