import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import type { ActiveIntent, SolverService } from '../../services/solver/solverServiceInterface.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import { toIsoTime } from '../http/isoTime.ts'
import { address, amount, count } from '../http/valueSchemas.ts'

const intentSchema = z.object({
  intentId: z.string(),
  network: z.string(),
  tokenA: address,
  tokenB: address,
  amountA: amount,
  expectedAmountB: amount,
  reward: amount,
  destChainId: z.string(),
  endTime: z.string(),
  myBid: amount.nullable(),
  phase: z.string().describe('bidding, leading, outbid, depositing, delivering, settling, missed'),
})

const answer = success({
  count: count,
  intents: z.array(intentSchema),
})

/** `GET /active-intents`: intents that the solver bids on, has won, or is waiting to be paid for. */
export function addActiveIntentsRoute(app: App, solver: SolverService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/active-intents',
    tag: 'Solver',
    summary: 'The solver’s active intents',
    answer,
    handler: async () => {
      const intents = (await solver.activeIntents()).map(render)
      return { count: intents.length, intents }
    },
  })
}

function render(intent: ActiveIntent): z.infer<typeof intentSchema> {
  return {
    intentId: String(intent.intentId),
    network: intent.network,
    tokenA: getAddress(intent.tokenA),
    tokenB: getAddress(intent.tokenB),
    amountA: String(intent.amountA),
    expectedAmountB: String(intent.expectedAmountB),
    reward: String(intent.reward),
    destChainId: String(intent.destChainId),
    endTime: toIsoTime(intent.endTime),
    myBid: intent.myBid === null ? null : String(intent.myBid),
    phase: intent.phase,
  }
}
