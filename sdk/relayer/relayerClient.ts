import { getAbiItem, type Hex } from 'viem'
import type * as z from 'zod/mini'
import { bridgeIntentV2Abi as abi } from '../../core/abi/sdkBridgeIntentV2.ts'
import { requireIntentId } from '../errors/invalidArgument.ts'
import { atPace } from './atPace.ts'
import type { RelayerAddress } from './relayerAddress.ts'
import type { IntentQuery, ListedAddresses, QuoteQuery, RouteQuery } from './relayerQueries.ts'
import * as answers from './relayerResponses.ts'
import { type RelayerRequest, requestRelayer } from './requestRelayer.ts'
import { invalidAnswer, requireOwnCall, requireSameIntent } from './requireOwnAnswer.ts'

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

/** A Safe transaction with its owner's signature, for the relayer to send at its cost. */
export type RelayRequest = {
  safeAddress: `0x${string}`
  chainId: number
  to: `0x${string}`
  /** Wei. */
  value: bigint
  data: Hex
  /** 1 for the official `MultiSendCallOnly` only. */
  operation: 0 | 1
  /** 65 bytes: the stealth key's signature of `safeTransactionHash`. */
  signature: Hex
}

/**
 * A typed client of the relayer. Every call throws only RelayerErrors or, for an invalid id, a CairnError `INVALID_REQUEST`.
 */
export type RelayerClient = {
  eciesPublicKey(): Promise<Hex>
  batches(): Promise<answers.RelayerBatch[]>
  /** One page of `GET /intents`, unverified: before you pay again, await `CairnClient.intent(id).wait()` for each. */
  intents(query?: IntentQuery): Promise<answers.IntentPage>
  intentDetails(intentId: bigint): Promise<answers.RelayerIntent>
  /** @param proof its signature covers `intentPrivateMessage`, by the sender or a viewer */
  privateDetails(
    intentId: bigint,
    proof: { reader: `0x${string}`; signature: Hex; timestamp: number },
  ): Promise<answers.PrivateDetails>
  /**
   * @param encryptedData from `sealBundle`
   * @param senderSignature the sender's signature of `storeRecipientsMessage` (EIP-191): required to replace what is
   *   stored, and in strict mode for the first bundle
   */
  storeRecipients(intent: {
    intentId: bigint
    chainId: number
    encryptedData: Hex
    senderSignature?: Hex
  }): Promise<void>
  /**
   * The recipients of an intent the caller has won; `headers` identify the caller, and may authenticate it.
   */
  getRecipients(
    intent: { intentId: bigint; sourceChainId: number },
    headers: Record<string, string>,
  ): Promise<answers.RelayerRecipients>
  settle(request: SettleRequest): Promise<answers.Settled>
  /**
   * An intent's anchor as signed by an enclave: send its `call` if the relayer doesn't, to your chain's bridge rather than the
   * relayer's `to`.
   */
  anchor(intent: { intentId: bigint; sourceChainId?: number }): Promise<answers.SignedAnchor>
  /** An intent's recipients, sealed to its winner, as signed by enclaves: send its `call`, as for `anchor`. */
  reveal(intent: { intentId: bigint; sourceChainId?: number }): Promise<answers.SignedReveal>
  /** Statements of the relayer's enclaves: see `enclaveKey`. */
  attestation(): Promise<answers.EnclaveAttestation[]>
  registerSolver(
    registration: { solverAddress: `0x${string}`; routes: readonly answers.Route[] },
    headers: Record<string, string>,
  ): Promise<void>
  /** Pairs served by a live solver. */
  routes(filter?: RouteQuery): Promise<answers.Routes>
  /** An intent's expected outcome, from its pair's completions in the last day. Not an offer. */
  quote(request: QuoteQuery): Promise<answers.RelayerQuote>
  /**
   * Registers a wallet as a recipient. Returns its keys and its deliveries so far.
   *
   * @param signature of `registerRecipientMessage`
   */
  registerRecipient(recipient: {
    recipientAddress: `0x${string}`
    signature: Hex
  }): Promise<answers.RegisteredRecipient>
  /**
   * A recipient's stealth addresses with their Safes and balances.
   *
   * @param recipient its signature is the same as for the registration
   */
  stealthAddresses(
    recipient: { recipientAddress: `0x${string}`; signature: Hex },
    options?: ListedAddresses,
  ): Promise<answers.StealthEntry[]>
  /**
   * Makes a Safe of a registered wallet for one intent. Use it only if you trust the relayer, which could answer with an address
   * of its own: otherwise, name the wallet in the bundle. This Safe is paid only if the bundle names it: a bundle that names the
   * wallet pays another. A relayer in strict mode requires proof in `headers`.
   */
  generateStealth(
    delivery: { recipientAddress: `0x${string}`; chainId: number; intentId: bigint },
    headers?: Record<string, string>,
  ): Promise<answers.GeneratedStealth>
  /**
   * The private key of a stealth address: never log it, and store it only encrypted. Without `sealTo`, the relayer sees it.
   *
   * @param request its signature covers `deriveStealthKeyMessage`
   * @param challenge signature of `deriveStealthKeyChallenge`; required in strict mode
   * @returns the key, encrypted to `sealTo` if given (ECIES, as in eciesjs); an earlier relayer in compat mode ignores `sealTo`
   */
  deriveStealthKey(
    request: {
      recipientAddress: `0x${string}`
      stealthAddress: `0x${string}`
      signature: Hex
    },
    challenge?: { timestamp: number; signature: Hex; sealTo?: Hex },
  ): Promise<Hex>
  /**
   * Has a Safe deployed at the relayer's cost.
   *
   * @param request its signature covers `deploySafeMessage`, by the stealth key
   */
  deploySafe(request: {
    stealthAddress: `0x${string}`
    chainId: number
    signature: Hex
  }): Promise<answers.DeployedSafe>
  /** Has a Safe transaction sent at the relayer's cost. @returns the transaction's hash */
  relayProxy(request: RelayRequest): Promise<Hex>
}

export function createRelayerClient(address: RelayerAddress): RelayerClient {
  const ask: Ask = (request, schema) => requestRelayer(address, request, schema)
  return {
    eciesPublicKey: async () =>
      (await ask({ path: '/ecies-pubkey' }, answers.eciesKeyAnswer)).publicKey,
    batches: async () => (await ask({ path: '/batches' }, answers.batchesAnswer)).batches,
    intents: async (query = {}) => {
      const { sender } = query
      const page = await ask({ path: '/intents', query }, answers.intentPageAnswer)
      const isOfOther = (intent: answers.RelayerIntent) =>
        intent.sender.toLowerCase() !== String(sender).toLowerCase()
      if (sender === undefined || !page.intents.some(isOfOther)) return page
      throw invalidAnswer(`the relayer answered with intents of senders other than ${sender}`)
    },
    intentDetails: async (intentId) => {
      const id = requireIntentId(intentId)
      const path = `/intent-details/${id}`
      return requireSameIntent((await ask({ path }, answers.intentDetailsAnswer)).intent, id)
    },
    privateDetails: async (intentId, { reader, signature, timestamp }) => {
      const headers = {
        'x-reader-address': reader,
        'x-reader-signature': signature,
        'x-timestamp': String(timestamp),
      }
      const id = requireIntentId(intentId)
      const path = `/intent-private/${id}`
      return requireSameIntent(await ask({ path, headers }, answers.privateAnswer), id)
    },
    storeRecipients: async ({ intentId, chainId, encryptedData, senderSignature }) => {
      const body = { intentId: String(requireIntentId(intentId)), chainId, encryptedData }
      const headers = senderSignature ? { 'x-sender-signature': senderSignature } : {}
      await ask({ method: 'POST', path: '/store-recipients', body, headers }, answers.storedAnswer)
    },
    getRecipients: async ({ intentId, sourceChainId }, headers) => {
      const path = `/get-recipients/${requireIntentId(intentId)}`
      return ask({ path, query: { sourceChainId }, headers }, answers.recipientsAnswer)
    },
    settle: async (request) => {
      const { chain2IntentId } = request
      const intentId = requireIntentId(request.intentId)
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
    routes: (query = {}) => ask({ path: '/get-routes', query }, answers.routesAnswer),
    quote: async (query) => (await ask({ path: '/quote', query }, answers.quoteAnswer)).quote,
    anchor: async ({ intentId, ...query }) => {
      const id = requireIntentId(intentId)
      const signed = await ask({ path: `/intents/${id}/anchor`, query }, answers.signedAnchorAnswer)
      return requireOwnCall(signed, id, getAbiItem({ abi, name: 'anchorIntent' }))
    },
    reveal: async ({ intentId, ...query }) => {
      const id = requireIntentId(intentId)
      const signed = await ask({ path: `/intents/${id}/reveal`, query }, answers.signedRevealAnswer)
      return requireOwnCall(signed, id, getAbiItem({ abi, name: 'revealRecipients' }))
    },
    attestation: async () =>
      (await ask({ path: '/attestation' }, answers.attestationAnswer)).enclaves,
    ...createRecipientCalls(ask),
  }
}

type Ask = <Answer>(request: RelayerRequest, schema: z.ZodMiniType<Answer>) => Promise<Answer>

/** The relayer answers after the transaction is in a block. */
const UNTIL_MINED = { timeoutMs: 30_000 }

/** More addresses and balances than a wallet will have; a list must end. */
const MAX_LISTED = 1_000_000

/** For a further page of addresses: after the first ten, a relayer gives one every two seconds. */
const PAGE_PACE = { attempts: 5, pauseMs: 10_000 }

function isFunded({ balances }: answers.StealthEntry): boolean {
  return balances.some(({ balance, isListed }) => isListed && balance > 0n)
}

/** A request of a recipient. */
function createRecipientCalls(ask: Ask) {
  const post = <Answer>(
    name: string,
    body: object,
    schema: z.ZodMiniType<Answer>,
    { headers = {}, ...more }: Pick<RelayerRequest, 'headers' | 'timeoutMs'> = {},
  ) => ask({ method: 'POST', path: `/recipient/${name}`, body, headers, ...more }, schema)
  return {
    registerRecipient: (body) => post('register', body, answers.recipientAnswer),
    stealthAddresses: async ({ recipientAddress: address, signature }, options = {}) => {
      // In a header rather than the query: URLs are logged in many places.
      const headers = { 'x-recipient-signature': signature }
      // A Safe that changes meanwhile may be on two pages. The later one is newer.
      const found = new Map<string, answers.StealthEntry>()
      let cursor: string | null = null
      let listed = 0
      do {
        const query: Record<string, string> = cursor === null ? { address } : { address, cursor }
        const request = { path: '/recipient/addresses', query, headers }
        const read = () => ask(request, answers.stealthAddressesAnswer)
        const page: answers.StealthAddressPage = await (cursor === null
          ? read()
          : atPace(PAGE_PACE, read))
        const before = found.size
        for (const entry of page.stealthAddresses) {
          found.set(`${entry.chainId} ${entry.safeAddress}`, entry)
          listed += 1 + entry.balances.length
        }
        // A Safe may be on two pages, but not a whole page of them.
        const isNew = found.size > before && listed < MAX_LISTED
        if (page.nextCursor !== null && !isNew) {
          throw invalidAnswer('the relayer’s list of addresses has no end')
        }
        const isEnough = options.isFunded === true && !page.stealthAddresses.every(isFunded)
        cursor = isEnough ? null : page.nextCursor
      } while (cursor !== null)
      const all = [...found.values()]
      return options.isFunded === true ? all.filter(isFunded) : all
    },
    generateStealth: async ({ recipientAddress, chainId, ...of }, headers = {}) => {
      const intentId = String(requireIntentId(of.intentId))
      const body = { recipientAddress, chainId: String(chainId), intentId }
      return post('generate-stealth', body, answers.generatedStealthAnswer, { headers })
    },
    deriveStealthKey: async (body, challenge) => {
      const headers: Record<string, string> = challenge
        ? {
            'x-timestamp': String(challenge.timestamp),
            'x-auth-signature': challenge.signature,
            ...(challenge.sealTo && { 'x-seal-to': challenge.sealTo }),
          }
        : {}
      const answer = await post('derive-stealth-key', body, answers.stealthKeyAnswer, { headers })
      return answer.stealthPrivateKey
    },
    deploySafe: (request) => {
      const body = { ...request, chainId: String(request.chainId) }
      return post('deploy-safe', body, answers.deployedSafeAnswer, UNTIL_MINED)
    },
    relayProxy: async (request) => {
      const { safeAddress, to, data, operation, signature } = request
      const [chainId, value] = [String(request.chainId), String(request.value)]
      const body = { safeAddress, chainId, to, value, data, operation, signature }
      return (await post('relay-proxy', body, answers.relayedAnswer, UNTIL_MINED)).txHash
    },
  } satisfies Partial<RelayerClient>
}
