import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type BatchState,
  CairnError,
  type IntentHandle,
  type IntentRequest,
} from '../../sdk/index.ts'
import { createClient, type ExampleSetup } from '../exampleSetup.ts'

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
  const intents: { id: bigint; recipients: readonly Payment[] }[] = []
  const handles = await cairn.submitBatch(
    {
      sourceChain: source.name,
      destChain: destination.name,
      auctionSeconds: 20,
      tokenIn: source.usdc,
      tokenOut: destination.usdc,
      amountIn: (sum * (100n + MARGIN)) / 100n,
      minAmountOut: sum,
      reward: (sum * REWARD) / 100n,
      recipients: payments,
    },
    {
      state: isResumed ? (JSON.parse(readFileSync(statePath, 'utf8')) as BatchState) : undefined,
      save: (state) => store(statePath, state),
      onProgress: ({ intent, recipients, created, intents: all }) => {
        intents.push({ id: intent.id, recipients })
        log(`intent ${created} of ${all}: ${intent.id} pays ${recipients.length} people`)
      },
    },
  )
  const ended = await Promise.all(
    handles.map((intent) =>
      intent
        .wait({ onUpdate: ({ status }) => log(`${intent.id} ${status}`) })
        .catch((error: unknown) => awaitRefund(intent, error)),
    ),
  )
  // Nothing is in flight any more: the next run is a new payroll.
  rmSync(statePath, { force: true })
  const isPaid = (at: number) => ended[at]?.status === 'completed'
  return {
    paid: intents.flatMap(({ recipients }, at) => (isPaid(at) ? recipients : [])),
    unpaid: intents.flatMap(({ recipients }, at) => (isPaid(at) ? [] : recipients)),
  }
}

/** Milliseconds between attempts to refund. */
const RETRY_EVERY = 2_000

/**
 * Intents without a winner, or whose winner didn't deliver, are refunded: their recipients remain unpaid. Only the chain's
 * word that the funds are back makes it safe to pay them again.
 */
async function awaitRefund(intent: IntentHandle, error: unknown): Promise<{ status: string }> {
  if (!(error instanceof CairnError) || !/^(INTENT_EXPIRED|EXECUTION_TIMEOUT)$/.test(error.code))
    throw error
  for (;;) {
    const refusal = await intent.refund().then(() => null, asCairnError)
    if (refusal === null) return { status: 'refunded' }
    if (refusal.code === 'INTENT_ENDED') {
      const [, phase] = refusal.details.args as readonly unknown[]
      return { status: Number(phase) === COMPLETED ? 'completed' : 'refunded' }
    }
    // The relayer refunds soon what wasn't delivered; anyone can after 72 hours.
    if (refusal.code !== 'CONTRACT_REVERTED' && !refusal.retryable) throw refusal
    await pause(RETRY_EVERY)
  }
}

/** The contract's phase of an intent whose winner was paid. */
const COMPLETED = 3

function asCairnError(error: unknown): CairnError {
  if (error instanceof CairnError) return error
  throw error
}

/** Writes the state atomically. */
function store(path: string, state: BatchState): void {
  writeFileSync(`${path}.new`, JSON.stringify(state))
  renameSync(`${path}.new`, path)
}
