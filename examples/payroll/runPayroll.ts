import { existsSync, readFileSync, rmSync } from 'node:fs'
import type { BatchState, IntentRequest } from '../../sdk/index.ts'
import { createClient, type ExampleSetup } from '../exampleSetup.ts'
import { awaitRefund } from './awaitRefund.ts'
import { storeState } from './storeState.ts'

/** Base units of USDC. */
export type Payment = IntentRequest['recipients'][number]

/** Outcome of a payroll. */
type PayrollResult = { paid: Payment[]; unpaid: Payment[] }

/** Offered on top of the payments for the fee and the solver, in percent of them. */
const MARGIN = 8n
/** The solver's reward, in percent of the payments. */
const REWARD = 2n

/** Pays everybody in as many intents as needed and waits for the last. */
export async function runPayroll(
  setup: ExampleSetup,
  payments: readonly Payment[],
  statePath: string,
  log: (line: string) => void,
): Promise<PayrollResult> {
  const { source, destination } = setup
  const cairn = createClient(setup, setup.sender)
  const sum = payments.reduce((total, { amount }) => total + amount, 0n)
  const isResumed = existsSync(statePath)
  if (isResumed) log(`resuming the payroll in ${statePath}`)
  const recipientsOf = new Map<bigint, readonly Payment[]>()
  const handles = await cairn.submitBatch(
    {
      sourceChain: source.name,
      destChain: destination.name,
      auctionSeconds: 30,
      tokenIn: source.usdc,
      tokenOut: destination.usdc,
      amountIn: (sum * (100n + MARGIN)) / 100n,
      minAmountOut: sum,
      reward: (sum * REWARD) / 100n,
      recipients: payments,
    },
    {
      state: isResumed ? (JSON.parse(readFileSync(statePath, 'utf8')) as BatchState) : undefined,
      save: (state) => storeState(statePath, state),
      onProgress: ({ intent, recipients, created, intents: all }) => {
        recipientsOf.set(intent.id, recipients)
        log(`intent ${created} of ${all}: ${intent.id} pays ${recipients.length} people`)
      },
    },
  )
  const ended = await Promise.all(
    handles.map((intent) =>
      intent
        .wait({ onUpdate: ({ status }) => log(`${intent.id} ${status}`) })
        .catch((error: unknown) => awaitRefund(intent, error, log)),
    ),
  )
  // Nothing is in flight any more: the next run is a new payroll.
  rmSync(statePath, { force: true })
  const paymentsWhere = (isPaid: boolean) =>
    handles.flatMap(({ id }, at) =>
      isPaid === (ended[at]?.status === 'completed') ? (recipientsOf.get(id) ?? []) : [],
    )
  return { paid: paymentsWhere(true), unpaid: paymentsWhere(false) }
}
