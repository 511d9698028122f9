import type { Hex } from 'viem'
import type { z } from 'zod'
import * as answers from './answers.ts'
import { askRelayer, type RelayerAddress, type RelayerRequest } from './askRelayer.ts'

export type SettleRequest = {
  intentId: bigint
  /** Name of the source chain. */
  network: string
  chain2IntentId: bigint
  solverAddress: `0x${string}`
  /** Name of the destination chain. */
  destinationChain: string
  depositTxHash: Hex
  solveTxHash: Hex
}

export type IntentQuery = Record<string, string | number | undefined>

/** The relayer's interface, typed. Every call throws a RelayerError and nothing else. */
export type RelayerClient = {
  eciesPublicKey(): Promise<Hex>
  batches(): Promise<answers.RelayerBatch[]>
  /** One page of `GET /intents`. */
  intents(query?: IntentQuery): Promise<z.output<typeof answers.intentPageAnswer>>
  intentDetails(intentId: bigint): Promise<answers.RelayerIntent>
  /** @param encryptedData of `sealBundle` */
  storeRecipients(intent: { intentId: bigint; chainId: number; encryptedData: Hex }): Promise<void>
  /** The recipients of an intent that the caller has won; `headers` say, and may prove, who asks. */
  getRecipients(
    intent: { intentId: bigint; sourceChainId: number },
    headers: Record<string, string>,
  ): Promise<answers.RelayerRecipients>
  settle(request: SettleRequest): Promise<z.output<typeof answers.settledAnswer>>
  registerSolver(
    registration: { solverAddress: `0x${string}`; routes: readonly answers.Route[] },
    headers: Record<string, string>,
  ): Promise<void>
  routes(): Promise<z.output<typeof answers.routesAnswer>>
}

export function createRelayerClient(address: RelayerAddress): RelayerClient {
  const ask = <Answer>(request: RelayerRequest, schema: z.ZodType<Answer>) =>
    askRelayer(address, request, schema)
  return {
    eciesPublicKey: async () =>
      (await ask({ path: '/ecies-pubkey' }, answers.eciesKeyAnswer)).publicKey,
    batches: async () => (await ask({ path: '/batches' }, answers.batchesAnswer)).batches,
    intents: (query = {}) => ask({ path: '/intents', query }, answers.intentPageAnswer),
    intentDetails: async (intentId) =>
      (await ask({ path: `/intent-details/${intentId}` }, answers.intentDetailsAnswer)).intent,
    storeRecipients: async ({ intentId, chainId, encryptedData }) => {
      const body = { intentId: String(intentId), chainId, encryptedData }
      await ask({ method: 'POST', path: '/store-recipients', body }, answers.storedAnswer)
    },
    getRecipients: ({ intentId, sourceChainId }, headers) => {
      const path = `/get-recipients/${intentId}`
      return ask({ path, query: { sourceChainId }, headers }, answers.recipientsAnswer)
    },
    settle: (request) => {
      const { intentId, chain2IntentId } = request
      const ids = { intentId: String(intentId), chain2IntentId: String(chain2IntentId) }
      const body = { ...request, ...ids }
      return ask({ method: 'POST', path: '/settle', body }, answers.settledAnswer)
    },
    registerSolver: async (body, headers) => {
      await ask(
        { method: 'POST', path: '/register-solver', body, headers },
        answers.registeredAnswer,
      )
    },
    routes: () => ask({ path: '/get-routes' }, answers.routesAnswer),
  }
}
