import { z } from '@hono/zod-openapi'
import { findChainName } from '../../../core/chain/chainNames.ts'
import { loadSolvers, type SolverDetail } from '../../../services/store/solvers/listSolvers.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { NotFoundError } from '../../http/apiError.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import {
  address,
  addressInput,
  amount,
  chainId,
  chainName,
  count,
  hash,
  intentId,
  moment,
} from '../../http/valueSchemas.ts'
import { chainsToRead, type ReadContext } from '../readContext.ts'

const solverSchema = z
  .object({
    address,
    bids: count,
    wins: count.describe('Intents that it deposited for.'),
    deliveries: count,
    settlements: count,
    failures: count.describe('Locks that it forfeited because it won and didn’t deliver.'),
    noShows: count.describe(
      'Locks that it forfeited because it was the best bidder and didn’t deposit.',
    ),
    firstSeen: moment,
    lastSeen: moment,
    stakes: z.array(
      z.object({
        chainId,
        chain: chainName,
        token: address,
        staked: amount.describe('The whole stake, including the locked part.'),
        locked: amount.describe('The part that backs its best bids and its deposits.'),
        free: amount.describe('What it can bid with or withdraw.'),
      }),
    ),
    sealingKeys: z.array(
      z.object({
        chainId,
        chain: chainName,
        publicKey: z.string().describe('secp256k1, 65 bytes: 04 ‖ x ‖ y.'),
        setAt: moment,
        setTxHash: hash,
      }),
    ),
    forfeits: z
      .array(
        z.object({
          intentId,
          sourceChainId: chainId,
          token: address,
          amount,
          reason: z.enum(['no_deposit', 'not_delivered']),
          txHash: hash,
          at: moment,
        }),
      )
      .describe('Its latest 100 forfeited locks.'),
  })
  .openapi('SolverDetail')

const answer = success({ solver: solverSchema })

/** `GET /solvers/{address}`: a solver's stakes and record. */
export function addSolverDetailsRoute(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/solvers/{address}',
    tag: 'Auctions',
    summary: 'A solver’s stakes, locks and record',
    params: z.strictObject({ address: addressInput }),
    answer,
    failures: [404, 503],
    isConditional: true,
    handler: async ({ address: solverAddress }) => {
      await chainsToRead(reads)
      const [solver] = await loadSolvers(reads.db, [solverAddress])
      if (!solver)
        throw new NotFoundError(
          'no chain has an event of this solver: check the address',
          'SOLVER_NOT_FOUND',
        )
      return { solver: renderSolver(solver) }
    },
  })
}

function renderSolver(solver: SolverDetail): z.infer<typeof solverSchema> {
  const { bids, wins, deliveries, settlements, failures, noShows } = solver
  return {
    address: toChecksumAddress(solver.solver),
    bids,
    wins,
    deliveries,
    settlements,
    failures,
    noShows,
    firstSeen: toIsoTime(solver.firstSeen),
    lastSeen: toIsoTime(solver.lastSeen),
    stakes: solver.stakes.map(({ chainId: id, token, staked, locked }) => ({
      ...named(id),
      token: toChecksumAddress(token),
      staked: String(staked),
      locked: String(locked),
      free: String(staked - locked),
    })),
    sealingKeys: solver.sealingKeys.map(({ chainId: id, publicKey, setAt, setTxHash }) => {
      return { ...named(id), publicKey, setAt: toIsoTime(setAt), setTxHash }
    }),
    forfeits: solver.forfeits.map((forfeit) => ({
      intentId: String(forfeit.intentId),
      sourceChainId: String(forfeit.sourceChainId),
      token: toChecksumAddress(forfeit.token),
      amount: String(forfeit.amount),
      reason: forfeit.reason,
      txHash: forfeit.forfeitTxHash,
      at: toIsoTime(forfeit.forfeitedAt),
    })),
  }
}

function named(id: number) {
  return { chainId: String(id), chain: findChainName(id) }
}
