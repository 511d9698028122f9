import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { readRefundBudget } from '../../../services/relayer/reconciler/perform/refundGas.ts'
import {
  readReactionsHealth,
  readUnpaidGasShares,
} from '../../../services/relayer/reconciler/readReactionsHealth.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { toIsoTimeOrNull } from '../../http/isoTime.ts'
import { count, text } from '../../http/valueSchemas.ts'
import { createChainNamer } from '../chainNamer.ts'
import type { ReadContext } from '../readContext.ts'

export const relayerHealthSchema = z
  .object({
    status: z.enum(['ok', 'degraded', 'stopped']),
    enclave: z.enum(['ok', 'unreachable', 'unknown']),
    address: z.string().nullable().describe('The account that pays gas.'),
    accounts: z.array(
      z.object({
        chain: z.string(),
        balance: z.string().nullable().describe('Wei.'),
        waiting: count.describe('Transactions that its balance can’t pay for.'),
        problem: z.string().nullable().openapi({ example: 'OUT_OF_GAS' }),
      }),
    ),
    problems: z
      .array(
        z.object({
          chain: z.string(),
          code: z.string().openapi({ example: 'NO_GAS' }),
          cause: z.string(),
          fix: z.string(),
        }),
      )
      .describe('Problems that make the service `degraded`.'),
    refundGas: z
      .array(
        z.object({
          chain: z.string(),
          taken: z.string().describe('Gas of the last 24 hours.'),
          limit: z.string().describe('`RELAYER_UNPAID_GAS`.'),
          isSpent: z.boolean(),
          renewsAt: text.nullable().describe('When there is room again. Null unless it is spent.'),
        }),
      )
      .describe(
        'Gas for refunds of intents that nobody bid on. While it is spent, they wait, which doesn’t make the service `degraded`.',
      ),
    oldestSeconds: count.nullable().describe('How long the oldest overdue task has waited.'),
  })
  .openapi('RelayerHealth')

/** The relayer's part of `/health`. */
export async function readRelayerHealth({
  db,
  configured,
}: ReadContext): Promise<z.infer<typeof relayerHealthSchema>> {
  const [{ relayer, accounts, problems, ...health }, refundGas] = await Promise.all([
    readReactionsHealth(db),
    readRefundBudgets(db, configured),
  ])
  const nameOf = createChainNamer(configured)
  const onChain = <Fact extends { chainId: number }>({ chainId, ...fact }: Fact) => ({
    chain: nameOf(chainId),
    ...fact,
  })
  return {
    ...health,
    address: relayer && getAddress(relayer),
    accounts: accounts.map(onChain),
    problems: problems.map(onChain),
    refundGas: refundGas.map(onChain),
  }
}

/** Each chain's gas for refunds, as far as the reactions have reported its limit. */
async function readRefundBudgets(db: Db, configured: readonly ChainConfig[]) {
  const shares = await readUnpaidGasShares(db)
  const budgets = configured.map(async ({ chainId }) => {
    const { cap, limit } = shares.get(chainId) ?? {}
    if (cap === undefined || limit === undefined) return []
    const { taken, isSpent, renewsAt } = await readRefundBudget(db, chainId, { cap, limit })
    const renewal = toIsoTimeOrNull(renewsAt && Math.ceil(renewsAt.getTime() / 1_000))
    return [{ chainId, taken: String(taken), limit: String(limit), isSpent, renewsAt: renewal }]
  })
  return (await Promise.all(budgets)).flat()
}
