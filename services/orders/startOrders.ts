import type { Logger } from 'pino'
import { type Address, getAddress, parseGwei } from 'viem'
import { createRelayerClient } from '../../sdk/relayer/relayerClient.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { endFormerTransactions } from '../chain/transactions/endFormerTransactions.ts'
import type { Phase, SenderSettings, SignTransaction } from '../chain/transactions/senderContext.ts'
import { createSilentChainWaker } from '../chain/transactions/silentChainWaker.ts'
import { type Sender, startSender } from '../chain/transactions/startSender.ts'
import { createTransactionFeed } from '../chain/transactions/transactionFeed.ts'
import type { Transaction } from '../chain/transactions/transactionRow.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { ConfigurationError } from '../config/configurationError.ts'
import { findGasPriceCap } from '../config/findGasPriceCap.ts'
import type { Enclave } from '../enclave/enclaveInterface.ts'
import { bindDatabase } from '../enclaveBinding/bindDatabase.ts'
import { type Repeated, repeat } from '../process/repeat.ts'
import { type OpenDatabase, openDatabase } from '../store/database/openDatabase.ts'
import { createDestinationChains, createVaultChains, type VaultChain } from './chain/vaultChain.ts'
import { COMPARED_ORDERS, checkVaultLedger, type LedgerReport } from './checkVaultLedger.ts'
import { createOrdersService } from './createOrdersService.ts'
import { takeOrderSteps } from './execution/takeOrderSteps.ts'
import { type ChainProblem, findChainProblem } from './findChainProblem.ts'
import { findUnservedOrders } from './follow/findUnservedOrders.ts'
import { type FiredTranche, followVault } from './follow/followVault.ts'
import { createReloadLimit } from './follow/reloadLimit.ts'
import { createUnreadOrderSearch, type UnreadOrderSearch } from './follow/unreadOrderSearch.ts'
import { calculateMinimumGasLimit } from './gas/calculateMinimumGasLimit.ts'
import { migrateOrdersDatabase } from './migrateOrdersDatabase.ts'
import { createOrderServiceLog, type OrderServiceLog } from './orderServiceLog.ts'
import type { OrdersContext, OrdersSettings, ServedChain } from './ordersContext.ts'
import type { OrdersService } from './ordersServiceTypes.ts'
import { createRecipientBundleSender, type RecipientBundleSender } from './recipientBundleSender.ts'

export type StartOrdersOptions = Partial<OrdersSettings> & {
  /** The service's own database. */
  databaseUrl: string
  chains: readonly ChainConfig[]
  enclaves: readonly [Enclave, ...Enclave[]]
  /** The same enclaves, for what the API's clients ask of them. Default: `enclaves`. */
  enclavesForClients?: readonly [Enclave, ...Enclave[]]
  relayerUrl: string
  log: Logger
  /** Milliseconds between two rounds on a chain. Default 500. */
  roundMs?: number
  /** Milliseconds between two ledger checks. Default 10,000. */
  ledgerMs?: number
  /** Gas price limit in wei on chains that don't set their own; null: by chain. */
  maxFeePerGas?: bigint | null
  /** Wei of gas that the bridge's minimum is worth on chains that don't set their own. Default: 0.001 of the chain's coin. */
  weiPerMinimum?: bigint
  sender?: Partial<SenderSettings> & { pollMs?: number }
  /** Called at each phase of a transaction, so that tests can kill the process there. */
  onPhase?: (phase: Phase, transaction: Transaction) => void
}

export type RunningOrders = OrdersService & {
  /** Calls back for each tranche that any instance fires from now on. */
  onFired(listener: (fired: FiredTranche) => void): void
  stop(): Promise<void>
}

/** What runs in parallel on one chain. */
export type ChainWork = {
  chain: ServedChain
  sender: Sender
  bundles: RecipientBundleSender
  ledger: LedgerReport | null
  search: UnreadOrderSearch
  /** Why the latest round of each loop failed; a loop whose round succeeded has none. */
  problems: Map<Loop, ChainProblem>
}

/** What is repeated on each chain. */
export type Loop = 'steps' | 'bundles' | 'ledger' | 'search'

/**
 * Starts the scheduled-order service. It folds orders from the chains, so that it can be killed at any moment. Several
 * instances with one database and account share the work: the database and the vault accept every step once.
 *
 * @throws ConfigurationError when no chain has a vault; EnclaveBindingError when the first enclave's root isn't the
 *   database's
 */
export async function startOrders(options: StartOrdersOptions): Promise<RunningOrders> {
  const { databaseUrl, enclaves, roundMs = 500, ledgerMs = 10_000 } = options
  const chains = createVaultChains(options.chains)
  const [first] = chains
  if (first === undefined) throw new ConfigurationError(['CHAINS: no chain has a vault'])
  await migrateOrdersDatabase(databaseUrl)
  await bindDatabase(databaseUrl, enclaves[0])
  const account = getAddress((await enclaves[0].orderKeys()).account)
  const database = openDatabase({ databaseUrl, name: 'cairn_orders', connections: 10 })
  const unserved = await findUnservedOrders(database.db, chains)
  const listeners: ((fired: FiredTranche) => void)[] = []
  const notify = (fired: FiredTranche) => {
    for (const listen of listeners) listen(fired)
  }
  const served = chains.map((chain) => serveChain(chain, database, notify, options))
  const context = createContext(options, database, account, served)
  const stopping = new AbortController()
  const bundles = createRecipientBundleSender(
    context,
    createRelayerClient({ baseUrl: options.relayerUrl }),
    stopping.signal,
  )
  const works = [...context.chains.values()].map((chain) => ({
    chain,
    sender: senderOf(options, context, chain),
    bundles,
    ledger: null,
    search: createUnreadOrderSearch(chain, CHECKS_BETWEEN_RELOADS * ledgerMs),
    problems: new Map(),
  })) as ChainWork[]
  const repeated = works.flatMap((work) => [
    keepTakingSteps(context, work, roundMs),
    keepSendingBundles(context, work, roundMs),
    keepCheckingLedger(context, work, ledgerMs),
    keepSearchingUnreadOrders(context, work, ledgerMs),
  ])
  const ending = keepEndingFormerTransactions(context, ledgerMs)
  const forClients = { ...context, enclaves: options.enclavesForClients ?? enclaves }
  return {
    ...createOrdersService(forClients, works, getAddress(first.vault)),
    unserved,
    onFired: (listener) => void listeners.push(listener),
    stop: async () => {
      stopping.abort()
      await Promise.all([ending, ...repeated].map((one) => one.stop()))
      await Promise.all([context.feed.stop(), ...works.map(({ sender }) => sender.stop())])
      await database.close()
    },
  }
}

function serveChain(
  chain: VaultChain,
  { db }: OpenDatabase,
  onFired: (fired: FiredTranche) => void,
  { weiPerMinimum: forAll = WEI_PER_MINIMUM }: StartOrdersOptions,
): ServedChain {
  const { gweiPerMinimum } = chain.config
  const weiPerMinimum = gweiPerMinimum === undefined ? forAll : parseGwei(String(gweiPerMinimum))
  const follower = followVault(db, chain, onFired)
  const state = { follower, steps: new Map(), waiting: new Map(), halted: new Set<Hex>() }
  return { ...chain, weiPerMinimum, ...state }
}

const WEI_PER_MINIMUM = 10n ** 15n

/** Least number of ledger checks between two reloads. */
const CHECKS_BETWEEN_RELOADS = 60

/** Default daily gas per owner: a dozen fundings. */
const UNPAID_GAS = 3_000_000n

/** Default daily gas of all owners: twenty times the above. */
const UNPAID_GAS_OF_ALL = 60_000_000n

function createContext(
  options: StartOrdersOptions,
  { db }: OpenDatabase,
  account: Address,
  chains: readonly ServedChain[],
): OrdersContext {
  const { databaseUrl, enclaves, timeoutMs = 45_000, reloadEveryMs = 600_000 } = options
  return {
    db,
    enclaves,
    account,
    chains: new Map(chains.map((chain) => [chain.chainId, chain])),
    destinations: createDestinationChains(options.chains),
    feed: createTransactionFeed(db, databaseUrl),
    events: createOrderServiceLog(options.log),
    wakeSilentChain: createSilentChainWaker(db, account),
    settings: {
      now: options.now ?? (() => Math.floor(Date.now() / 1_000)),
      timeoutMs,
      reloadEveryMs,
      unpaidGas: options.unpaidGas ?? UNPAID_GAS,
      unpaidGasOfAll: options.unpaidGasOfAll ?? UNPAID_GAS_OF_ALL,
    },
  }
}

function senderOf(
  options: StartOrdersOptions,
  context: OrdersContext,
  { config, follower }: ServedChain,
): Sender {
  const { databaseUrl, onPhase, sender } = options
  return startSender({
    pollMs: 500,
    ...sender,
    databaseUrl,
    chain: config,
    account: context.account,
    sign: signerOf(context.enclaves[0]),
    maxFeePerGas: findGasPriceCap(config, options.maxFeePerGas),
    leastGas: (transaction) =>
      calculateMinimumGasLimit(follower.latest()?.book ?? null, transaction),
    onEvent: context.events.transaction,
    ...(onPhase && { onPhase }),
  })
}

function signerOf(enclave: Enclave): SignTransaction {
  return async ({ value: _, ...transaction }) => {
    const { serialized, hash } = await enclave.signOrderTransaction(transaction)
    return { serialized: serialized as Hex, hash: hash as Hex }
  }
}

function keepTakingSteps(context: OrdersContext, work: ChainWork, everyMs: number): Repeated {
  const { chain } = work
  return keep(context.events, work, 'steps', everyMs, async () => {
    await takeOrderSteps(context, chain, await chain.follower.refresh())
  })
}

function keepSendingBundles(context: OrdersContext, work: ChainWork, everyMs: number): Repeated {
  return keep(context.events, work, 'bundles', everyMs, async () => {
    const snapshot = work.chain.follower.latest()
    if (snapshot === null) return
    await work.bundles.send(work.chain, snapshot.book.open(), snapshot.head.timestamp)
  })
}

/** What the service's senders send: calls of vaults, to fill a nonce's gap, and to wake a silent chain. */
const SENT_KINDS = ['fundOrder', 'fireTranche', 'closeOrder', 'fill', 'block']

/** Of all chains, also of those that aren't configured any more. */
function keepEndingFormerTransactions(
  { db, account, events }: OrdersContext,
  everyMs: number,
): Repeated {
  return repeat(
    everyMs,
    (error) => events.formerAccountFailed(error),
    () => endFormerTransactions(db, account, SENT_KINDS),
  )
}

function keepCheckingLedger(context: OrdersContext, work: ChainWork, everyMs: number): Repeated {
  let from = 0
  const reloads = createReloadLimit(CHECKS_BETWEEN_RELOADS * everyMs)
  return keep(context.events, work, 'ledger', everyMs, async () => {
    const snapshot = work.chain.follower.latest()
    if (snapshot === null) return
    if (from >= snapshot.book.size()) from = 0
    work.ledger = await checkVaultLedger(context, work.chain, snapshot, from)
    from += COMPARED_ORDERS
    const { contradicted, tokens } = work.ledger
    // Nothing in the database shows which credit was invented.
    const isDoubtful = tokens.some(({ difference, credits }) => difference < 0n && credits > 0n)
    // A node's false answer or a tampered copy must not end an order. Both may recur.
    const isContradicted = contradicted.length > 0 || isDoubtful
    if (reloads.decide(isContradicted, COMPARED_ORDERS, snapshot.book.size()))
      work.chain.follower.requestReload()
  })
}

function keepSearchingUnreadOrders(
  context: OrdersContext,
  work: ChainWork,
  everyMs: number,
): Repeated {
  const { chain, search } = work
  return keep(context.events, work, 'search', everyMs, async (signal) => {
    const snapshot = chain.follower.latest()
    if (snapshot === null || work.ledger === null) return
    await search.check(work.ledger, snapshot, signal)
    for (const order of search.unread()) context.events.unreadOrder(chain.name, order)
  })
}

function keep(
  events: OrderServiceLog,
  work: ChainWork,
  loop: Loop,
  everyMs: number,
  runRound: (signal: AbortSignal) => Promise<void>,
): Repeated {
  return repeat(
    everyMs,
    (error) => {
      const problem = findChainProblem(error)
      work.problems.set(loop, problem)
      events.roundFailed(work.chain.name, loop, problem, error)
    },
    async (signal) => {
      await runRound(signal)
      work.problems.delete(loop)
    },
  )
}
