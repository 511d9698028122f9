import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import type { SponsorErrorCode } from '../../../core/safe/sponsorErrorCode.ts'
import { findReason } from '../../../services/chain/accountSender.ts'
import { createChainNodes } from '../../../services/chain/transactions/chainNodes.ts'
import { FORMER_ACCOUNT } from '../../../services/chain/transactions/endFormerTransactions.ts'
import { createRollupDataFees } from '../../../services/chain/transactions/rollupDataFees.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import {
  DEFAULT_SPONSOR_LIMITS,
  type SponsorLimits,
} from '../../../services/config/sponsorLimits.ts'
import type { BucketLimits } from '../../../services/process/tokenBuckets.ts'
import {
  type Requester,
  SponsorError,
  type Sponsorship,
} from '../../../services/relayer/recipients/sponsored/sponsorContext.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { ApiError, BadRequestError, NotFoundError, UnavailableError } from '../../http/apiError.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import { addressOf, writerOf } from '../../http/limits/clientAddress.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import { createChainNotFollowedError } from '../createChainNotFollowedError.ts'
import { throwBundleApiError } from '../recipientBundles/throwBundleApiError.ts'
import { callerTag } from './generateStealthRoute.ts'
import {
  type MinedTransactionsOptions,
  type MinedTransactionWaiter,
  wasCancelled,
} from './minedTransactionWaiter.ts'
import type { RecipientContext } from './recipientContext.ts'

type SponsorRates = {
  safe: BucketLimits
  /** Per client, after the limit of its Safe. */
  client: BucketLimits
  /** Wrong signatures per client, since checking them costs requests to nodes. */
  unproven: BucketLimits
}

export const SPONSOR_RATES: SponsorRates = {
  safe: { perSecond: 1 / 5, burst: 1 },
  client: { perSecond: 10 / 60, burst: 10 },
  unproven: { perSecond: 1, burst: 60 },
}

export type SponsorCoordinatorOptions = MinedTransactionsOptions & {
  limits?: Partial<SponsorLimits>
  rates?: Partial<SponsorRates>
}

/** Serves an endpoint at which the relayer pays for transactions. */
export type SponsorCoordinator = {
  /**
   * Handles a request within the rate limits, and waits until its transaction is mined.
   *
   * @param request checks the request, and returns the id of its transaction; null: there is nothing to send
   * @returns the transaction's hash; null if there was nothing to send
   * @throws ApiError
   */
  serve(
    c: ApiContext,
    chainId: number,
    request: (sponsorship: Sponsorship, requester: Requester) => Promise<number | null>,
  ): Promise<Hex | null>
}

/** Create one for each endpoint, so that a deployment doesn't count against the first relay. */
export function createSponsorCoordinator(
  context: RecipientContext,
  mined: MinedTransactionWaiter,
  { limits = {}, rates = {} }: SponsorCoordinatorOptions = {},
): SponsorCoordinator {
  const { safe, client: ofClient, unproven: ofUnproven } = { ...SPONSOR_RATES, ...rates }
  const safes = createRateLimit('sponsored-safe', safe)
  const clients = createRateLimit('sponsored-client', ofClient)
  const unproven = createRateLimit('unproven-signatures', ofUnproven)

  const feesOn = new Map<number, ReturnType<typeof feesOf>>()

  async function sponsorshipOn(chainId: number): Promise<Sponsorship> {
    const { reads, enclave, clientOf } = context
    const chain = reads.configured.find((one) => one.chainId === chainId)
    if (!chain || !clientOf(chainId)) {
      throw createChainNotFollowedError()
    }
    const { relayer: account } = await enclave.publicKeys().catch(throwBundleApiError)
    const fees = feesOn.get(chainId) ?? feesOf(chain)
    feesOn.set(chainId, fees)
    return {
      db: reads.db,
      chainId,
      account,
      ...fees,
      contracts: findSafeContracts(chainId, chain.safe),
      tokens: Object.values(chain.tokens ?? {}).map(({ address }) => address.toLowerCase() as Hex),
      confirmations: chain.confirmations,
      limits: { ...DEFAULT_SPONSOR_LIMITS, ...limits },
    }
  }

  return {
    serve: async (c, chainId, request) => {
      const client = writerOf(addressOf(c, context.isTrustedProxy))
      // Takes nothing: only wrong signatures are charged, below.
      unproven.require(client, 0, 1)
      const sponsorship = await sponsorshipOn(chainId)
      const charge = (safeAddress: Hex) => {
        safes.require(`${chainId}:${safeAddress}`)
        clients.require(client)
      }
      const tag = await callerTag(c, context).catch(throwBundleApiError)
      const id = await request(sponsorship, { client: tag, charge }).catch((error: unknown) => {
        if (error instanceof SponsorError && UNPROVEN.has(error.code)) unproven.take(client)
        return sponsorFailure(error)
      })
      if (id === null) return null
      return hashOf(await mined.wait(id, client))
    },
  }
}

function hashOf(transaction: Transaction | null): Hex {
  const { txHash = null, succeeded = null, state, problem } = transaction ?? {}
  const isCalled = transaction !== null && txHash !== null && !wasCancelled(transaction)
  if (isCalled && succeeded) return txHash
  if (isCalled && succeeded === false) {
    const words = 'the transaction reverted: the funds are still in the Safe'
    throw new BadRequestError(words, 'RELAY_PROXY_REVERTED', { txHash })
  }
  // That of an earlier gas account may still be mined; if it isn't, a repeated request sends another.
  if ((state === 'failed' || state === 'superseded') && problem !== FORMER_ACCOUNT) {
    const words = 'the call would revert now, so nothing was sent'
    throw new BadRequestError(words, 'RELAY_PROXY_REVERTED', { reason: problem })
  }
  if (problem === 'OUT_OF_GAS') {
    const words = 'the relayer is out of gas: try again later'
    throw new UnavailableError(words, 'RELAYER_OUT_OF_GAS', 30)
  }
  const words = 'the transaction isn’t mined yet: repeat the request to wait for it'
  throw new UnavailableError(words, 'TRANSACTION_PENDING', 5)
}

const UNPROVEN = new Set<SponsorErrorCode>(['INVALID_SIGNATURE', 'SAFE_NONCE_MISMATCH'])

/** Seconds after which some of a 24-hour budget may be left again. */
const BUDGET_RETRY = 3_600

function sponsorFailure(error: unknown): never {
  if (error instanceof ApiError) throw error
  if (!(error instanceof SponsorError)) throw unavailable(error)
  const { code, message, details } = error
  switch (code) {
    case 'UNKNOWN_SAFE':
      throw new NotFoundError(message, code)
    case 'SAFE_BUSY':
    case 'PAYMENT_UNCONFIRMED':
      throw new UnavailableError(message, code, 5)
    case 'RELAY_BUDGET_SPENT':
      throw new ApiError(message, { status: 429, code, retryAfter: BUDGET_RETRY })
    default:
      throw new BadRequestError(message, code, details)
  }
}

/** Keeps only the first line of viem's error, since the rest contains the request and the node's URL. */
function unavailable(error: unknown): unknown {
  const { name, shortMessage } = error as { name?: string; shortMessage?: string }
  if (shortMessage === undefined) return error
  const cause = new Error(`${name}: ${findReason(error)}`)
  const words = 'the chain’s nodes can’t be reached: try again'
  return new UnavailableError(words, 'RPC_UNREACHABLE', 2, cause)
}

function feesOf({ chainId, rpcUrls }: ChainConfig): Pick<Sponsorship, 'dataFees' | 'nodes'> {
  const nodes = createChainNodes(rpcUrls)
  return { nodes, dataFees: createRollupDataFees(nodes, chainId) }
}
