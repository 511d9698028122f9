import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  type BatchState,
  type CairnClient,
  CairnError,
  createCairnClient,
  type IntentRequest,
} from '../../sdk/index.ts'
import type { ExampleChain, ExampleSetup } from '../receive/exampleSetup.ts'

/** Base units of USDC. */
export type Payment = IntentRequest['recipients'][number]

/** Outcome of a payroll. */
type PayrollResult = { paid: Payment[]; unpaid: Payment[] }

/**
 * Percentages of the payments: what is offered on top for the fee and the solver, and the solver's reward.
 */
const BEYOND = 8n
const REWARD = 2n

/** Pays everybody in as many intents as needed and waits for the last. */
export async function runPayroll(
  scene: ExampleSetup,
  payments: readonly Payment[],
  statePath: string,
  say: (line: string) => void,
): Promise<PayrollResult> {
  const cairn = clientOf(scene)
  const sum = payments.reduce((total, { amount }) => total + amount, 0n)
  const isAgain = existsSync(statePath)
  if (isAgain) say(`resuming the payroll in ${statePath}`)
  const intents: { id: bigint; recipients: readonly Payment[] }[] = []
  const handles = await cairn.submitBatch(
    {
      ...{ sourceChain: scene.source.name, destChain: scene.destination.name, auctionSeconds: 20 },
      ...{ tokenIn: usdcOf(scene.source), tokenOut: usdcOf(scene.destination) },
      amountIn: (sum * (100n + BEYOND)) / 100n,
      ...{ minAmountOut: sum, reward: (sum * REWARD) / 100n, recipients: payments },
    },
    {
      state: isAgain ? (JSON.parse(readFileSync(statePath, 'utf8')) as BatchState) : undefined,
      save: (state) => store(statePath, state),
      onProgress: ({ intent, recipients, created, intents: all }) => {
        intents.push({ id: intent.id, recipients })
        say(`intent ${created} of ${all}: ${intent.id} pays ${recipients.length} people`)
      },
    },
  )
  const ended = await Promise.all(
    handles.map(({ id, wait }) =>
      wait({ onUpdate: ({ status }) => say(`${id} ${status}`) }).catch(asStatus),
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

/** Intents without a winner, or whose winner didn't deliver, are refunded: their recipients remain unpaid. */
function asStatus(error: unknown): { status: string } {
  if (error instanceof CairnError && /^(INTENT_EXPIRED|EXECUTION_TIMEOUT)$/.test(error.code))
    return { status: error.code }
  throw error
}

/** Writes the state atomically. */
function store(path: string, state: BatchState): void {
  writeFileSync(`${path}.new`, JSON.stringify(state))
  renameSync(`${path}.new`, path)
}

function clientOf({ api, source, destination, senderKey }: ExampleSetup): CairnClient {
  const readerOf = ({ rpc }: ExampleChain) =>
    createPublicClient({ transport: http(rpc), pollingInterval: 250 })
  return createCairnClient({
    relayer: { baseUrl: api, requestTimeoutMs: 30_000 },
    chains: [source, destination].map((chain) => ({ ...chain, publicClient: readerOf(chain) })),
    walletClient: createWalletClient({
      ...{ account: privateKeyToAccount(senderKey), transport: http(source.rpc) },
    }),
  })
}

function usdcOf({ name, tokens }: ExampleChain) {
  const { USDC } = tokens
  if (USDC === undefined) throw new Error(`${name} has no USDC`)
  return USDC
}
