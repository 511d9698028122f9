import type { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiEnv } from '../http/apiEnv.ts'
import { addBatches } from './batches.ts'
import { addHealth, addReady } from './health.ts'
import { addIntentDetails } from './intentDetails.ts'
import { addIntentEvents } from './intentEvents.ts'
import { addIntents } from './intents.ts'
import type { RelayerReads } from './relayerReads.ts'
import type { RpcHeads } from './rpcHeads.ts'
import { addSolverDetails } from './solverDetails.ts'
import { addStateHashes } from './stateHashes.ts'
import { addVerify } from './verify.ts'

/** Adds every public read of the relayer's interface. */
export function addRelayerReads(
  app: OpenAPIHono<ApiEnv>,
  reads: RelayerReads,
  rpc: RpcHeads,
  expectsReactions = false,
): void {
  addHealth(app, reads, rpc, expectsReactions)
  addReady(app, reads)
  addIntentDetails(app, reads)
  addIntents(app, reads)
  addIntentEvents(app, reads)
  addBatches(app, reads)
  addSolverDetails(app, reads)
  addVerify(app, reads)
  addStateHashes(app, reads)
}
