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
import type { Scene, SceneChain } from '../receive/scene.ts'

/** Base units of USDC. */
export type Payment = IntentRequest['recipients'][number]

/** What became of a payroll. */
type PayrollResult = { paid: Payment[]; unpaid: Payment[] }

/**
 * In per cent of the payments: what is offered beyond them, for the fee and the solver, and the solver's
 * reward.
 */
const BEYOND = 8n
const REWARD = 2n

/** Pays everybody, in as many intents as it takes, and waits for the last of them. */
export async function runPayroll(
  scene: Scene,
  payments: readonly Payment[],
  statePath: string,
  say: (line: string) => void,
): Promise<PayrollResult> {
  const cairn = clientOf(scene)
  const sum = payments.reduce((total, { amount }) => total + amount, 0n)
  const isAgain = existsSync(statePath)
  if (isAgain) say(`going on with the payroll of ${statePath}`)
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
  // Nothing is under way any more: the next payroll is another one.
  rmSync(statePath, { force: true })
  const isPaid = (at: number) => ended[at]?.status === 'completed'
  return {
    paid: intents.flatMap(({ recipients }, at) => (isPaid(at) ? recipients : [])),
    unpaid: intents.flatMap(({ recipients }, at) => (isPaid(at) ? [] : recipients)),
  }
}

/** An intent that nobody took, or its winner didn't deliver, is refunded: its recipients are still to be paid. */
function asStatus(error: unknown): { status: string } {
  if (error instanceof CairnError && /^(INTENT_EXPIRED|EXECUTION_TIMEOUT)$/.test(error.code))
    return { status: error.code }
  throw error
}

/** In one piece or not at all: half a state is none. */
function store(path: string, state: BatchState): void {
  writeFileSync(`${path}.new`, JSON.stringify(state))
  renameSync(`${path}.new`, path)
}

function clientOf({ api, source, destination, senderKey }: Scene): CairnClient {
  const readerOf = ({ rpc }: SceneChain) =>
    createPublicClient({ transport: http(rpc), pollingInterval: 250 })
  return createCairnClient({
    relayer: { baseUrl: api, requestTimeoutMs: 30_000 },
    chains: [source, destination].map((chain) => ({ ...chain, publicClient: readerOf(chain) })),
    walletClient: createWalletClient({
      ...{ account: privateKeyToAccount(senderKey), transport: http(source.rpc) },
    }),
  })
}

function usdcOf({ name, tokens }: SceneChain) {
  const { USDC } = tokens
  if (USDC === undefined) throw new Error(`${name} has no USDC`)
  return USDC
}
