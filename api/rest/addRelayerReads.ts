import type { App } from '../http/addEndpoint.ts'
import { addIntentDetails } from './intents/intentDetails.ts'
import { addIntentEvents } from './intents/intentEvents.ts'
import { addIntents } from './intents/intents.ts'
import { addOpenAuctions } from './intents/openAuctions.ts'
import { addChains } from './operations/chains.ts'
import { addHealth, addReady } from './operations/health.ts'
import type { RpcHeads } from './operations/rpcHeads.ts'
import { addStateHashes } from './operations/stateHashes.ts'
import { addVerify } from './operations/verify.ts'
import { addOrderDetails } from './orders/orderDetails.ts'
import { addQuote, type QuoteReads } from './quotes/quote.ts'
import type { RelayerReads } from './relayerReads.ts'
import { addSolverDetails } from './solvers/solverDetails.ts'
import { addTokens } from './tokens/tokens.ts'

/** Adds every public read of the relayer's interface. */
export function addRelayerReads(
  app: App,
  reads: RelayerReads,
  { rpc, quotes }: { rpc: RpcHeads; quotes: QuoteReads },
  expectsReactions = false,
): void {
  addHealth(app, reads, rpc, expectsReactions)
  addReady(app, reads)
  addIntentDetails(app, reads)
  addIntents(app, reads)
  addIntentEvents(app, reads)
  addOpenAuctions(app, reads)
  addQuote(app, reads, quotes)
  addSolverDetails(app, reads)
  addOrderDetails(app, reads)
  addVerify(app, reads)
  addStateHashes(app, reads)
  addChains(app, reads, rpc)
  addTokens(app, reads)
}
