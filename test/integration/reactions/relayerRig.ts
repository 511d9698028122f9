import type pg from 'pg'
import { type Address, encodeFunctionData, getAddress, type Hex, keccak256, toHex } from 'viem'
import { shareSurplus } from '../../../core/money/shareSurplus.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { MEASUREMENT } from '../../../devnet/deploy/devnetContracts.ts'
import { registerEnclave } from '../../../devnet/deploy/registerEnclave.ts'
import { worth } from '../../../devnet/tokens.ts'
import { createIntentCall } from '../../../sdk/intent/createIntentCall.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { DEFAULT_SPONSOR_LIMITS } from '../../../services/config/sponsorLimits.ts'
import { createDevelopmentQuoter } from '../../../services/enclave/attestation/attestationQuoter.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import type { Roots } from '../../../services/enclave/keys/rootFile.ts'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { createBundleContext } from '../../../services/relayer/recipientBundles/createBundleContext.ts'
import { decryptBundleFromChain } from '../../../services/relayer/recipientBundles/decryptBundleFromChain.ts'
import {
  type Metadata,
  storeMetadata,
} from '../../../services/relayer/recipientBundles/intentMetadataStore.ts'
import { storeBundle } from '../../../services/relayer/recipientBundles/storeBundle.ts'
import {
  type Reactions,
  type ReactionsOptions,
  startReactions,
} from '../../../services/relayer/reconciler/startReactions.ts'
import { toIntentTerms } from '../../../services/relayer/terms/intentTerms.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { loadIntents } from '../../../services/store/intents/intentLookup.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { decodeBridgeLog } from '../../../src/event/decodeBridgeLog.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'
import {
  type BridgeChain,
  type BridgePair,
  type PairOptions,
  startBridgePair,
} from '../indexer/bridgePair.ts'
import { awaitLive, startTestIndexer } from '../indexer/indexerUnderTest.ts'

/** Known to everybody: it guards nothing. */
export const TEST_ROOT = new Uint8Array(32).fill(7)
const AUCTION = 60
const OFFER = worth('USDC', 10_000)
const FLOOR = worth('ZEN', 9_000)
const REWARD = worth('USDC', 100)

/** An intent as its sender knows it. */
export type Offer = { id: bigint; recipients: Hex[]; amounts: bigint[] }

export type RelayerRig = BridgePair & {
  postgres: PostgresUnderTest
  client: pg.Client
  database: OpenDatabase
  /** The first of the enclaves; all of them, each of another operator. */
  enclave: Enclave
  enclaves: Enclave[]
  relayer: Address
  configs: ChainConfig[]
  indexer: Indexer
  /**
   * An intent from base to horizen, with its recipients in the creation's blob or without, by one of the
   * devnet's senders; `auction` in seconds, by default 60; `publicKey` that the blob is sealed to, by default
   * the first enclave's at the start.
   */
  create(options?: {
    blob?: boolean
    recipients?: number
    by?: number
    auction?: number
    publicKey?: Hex
  }): Promise<Offer>
  /** Goes to where the last of these intents' auctions has just ended. */
  endAuctions(offers: readonly Offer[]): Promise<void>
  /** What `POST /store-recipients` does once the index has the intent. */
  store(offer: Offer): Promise<void>
  /** What `POST /intent-metadata` does. */
  describe(offer: Offer, metadata: Metadata): Promise<void>
  /** What the winner owes to whom, delivered on the destination; `pay` changes whom. */
  deliver(offer: Offer, pay?: (recipients: Hex[]) => Hex[]): Promise<Hex>
  /** The `chain2IntentId` of the latest delivery, by its own log: a reorg gives numbers out again. */
  lastDelivery(): bigint
  stored(id: bigint): Promise<StoredIntent | null>
  phase(id: bigint): Promise<string | null>
  startReactions(options?: Partial<ReactionsOptions>): Promise<Reactions>
  /** Mines a block on each chain first, and again while it waits. */
  until(condition: () => Promise<boolean> | boolean, what: string): Promise<void>
}

type RigOptions = PairOptions & {
  change?: (
    config: ChainConfig,
    contracts: BridgeChain['contracts'],
  ) => ChainConfig | Promise<ChainConfig>
  /** How many enclaves there are, with one root and keys of their own. Default 1. */
  enclaves?: number
  mode?: 'strict' | 'compat'
}

/** Two chains whose bridges trust enclaves of the test's own, indexed into a database of its own. */
export async function startRelayerRig({
  change = (config) => config,
  enclaves: count = 1,
  mode = 'strict',
  ...pairOptions
}: RigOptions = {}): Promise<RelayerRig> {
  const [pair, postgres] = await Promise.all([
    startBridgePair(pairOptions),
    startPostgresUnderTest(),
  ])
  const { base, horizen } = pair
  const configs = await Promise.all(
    [base, horizen].map(({ config, contracts }) =>
      change({ ...config, registry: contracts.registry }, contracts),
    ),
  )
  const enclaves = await Promise.all(
    Array.from({ length: count }, () => testEnclave(configs, mode)),
  )
  const [enclave] = enclaves as [Enclave]
  const { relayer, eciesPublicKey } = await enclave.publicKeys()
  for (const [position, one] of enclaves.entries()) {
    await Promise.all([base, horizen].map((chain) => trust(chain, one, position)))
  }
  const { databaseUrl } = postgres
  const indexer = await startTestIndexer(databaseUrl, configs)
  await Promise.all([base, horizen].map((chain) => awaitLive(indexer, chain)))
  const client = await postgres.connect()
  const database = openDatabase({
    databaseUrl,
    connectTimeoutMs: 30_000,
    statementTimeoutMs: 30_000,
  })
  const running: Reactions[] = []
  let offers = 0
  let lastDelivery = BigInt(horizen.chainId) << 64n

  const stored = async (id: bigint) =>
    (await loadIntents(database.db, [{ sourceChainId: base.chainId, intentId: id }]))[0] ?? null

  const bundles = createBundleContext(
    { db: database.db, enclave, safePrice: DEFAULT_SPONSOR_LIMITS },
    configs,
    mode,
  )

  const rig: RelayerRig = {
    ...pair,
    postgres,
    client,
    database,
    enclave,
    enclaves,
    relayer,
    configs,
    indexer,
    stored,
    async create(requested = {}) {
      const { blob = true, recipients: count = 2, by = 0, auction = AUCTION } = requested
      offers += 1
      const recipients = Array.from({ length: count }, (_, at) => someone(`${offers}/${at}`))
      const amounts = recipients.map((_, at) => FLOOR / BigInt(count + 1) + BigInt(at))
      const { contracts, senders } = base
      const sender = senders[by] as AccountSender
      const params = {
        tokenA: contracts.tokens.USDC,
        tokenB: contracts.tokens.ZEN,
        amountA: OFFER,
        expectedAmountB: FLOOR,
        reward: REWARD,
        destChainId: BigInt(horizen.chainId),
        auctionDuration: BigInt(auction),
      }
      const sealed = sealCreationBlob(requested.publicKey ?? eciesPublicKey, {
        sourceChainId: base.chainId,
        bridge: contracts.bridge,
        user: sender.address,
        params,
        recipients,
        amounts,
        createdAt: 1_700_000_000,
      })
      const data = createIntentCall(params, blob ? sealed : null)
      const receipt = await sender.execute({ to: contracts.bridge, data })
      for (const log of receipt.logs) {
        const event = decodeBridgeLog(log as never, {} as never)
        if (event?.type === 'IntentCreated') return { id: event.args.intentId, recipients, amounts }
      }
      throw new Error('no intent was created')
    },
    async endAuctions(offers) {
      const ends = await Promise.all(
        offers.map(async ({ id }) => {
          const { endTime } = await base.client.readContract({
            address: base.contracts.bridge,
            abi: bridgeIntentV2Abi,
            functionName: 'getIntent',
            args: [id],
          })
          return Number(endTime)
        }),
      )
      const { timestamp } = await base.client.getBlock()
      const seconds = Math.max(...ends) + 1 - Number(timestamp)
      if (seconds > 0) await base.client.increaseTime({ seconds })
      await base.client.mine({ blocks: 1 })
    },
    async store({ id, recipients, amounts }) {
      await rig.until(async () => (await stored(id)) !== null, 'the intent is indexed')
      const { source } = (await stored(id)) as StoredIntent
      const terms = toIntentTerms(source, lower(base.contracts.bridge))
      const { createdAt, auctionDuration } = terms
      const { intent } = await decryptBundleFromChain(bundles, terms, [], null)
      await storeBundle(bundles, {
        terms,
        contents: { recipients, amounts, n: 1, salt: keccak256('0x') },
        ciphertext: null,
        signature: null,
        now: createdAt,
        state: {
          intent: { ...intent, mode: 'compat' },
          blobs: [],
          feeBps: 0,
          createdAt,
          auctionDuration,
          isFirm: false,
        },
      })
    },
    async describe({ id }, metadata) {
      const { source } = (await stored(id)) as StoredIntent
      const terms = toIntentTerms(source, lower(base.contracts.bridge))
      await storeMetadata(bundles, terms, source.recipientClass, metadata)
    },
    async deliver({ id, recipients, amounts }, pay = (them) => them) {
      const won = await base.client.readContract({
        address: base.contracts.bridge,
        abi: bridgeIntentV2Abi,
        functionName: 'getIntent',
        args: [id],
      })
      const data = encodeFunctionData({
        abi: bridgeIntentV2Abi,
        functionName: 'solveIntent',
        args: [
          ...([BigInt(base.chainId), id, won.paramsHash, base.contracts.tokens.ZEN] as const),
          ...([pay(recipients), shareSurplus(amounts, won.amountB)] as const),
          won.fillDeadline - 1n,
        ],
      })
      const solver = horizen.solvers[0] as AccountSender
      const receipt = await solver.execute({ to: horizen.contracts.bridge, data })
      for (const log of receipt.logs) {
        const event = decodeBridgeLog(log as never, {} as never)
        if (event?.type === 'IntentSolved') lastDelivery = event.args.chain2IntentId
      }
      return receipt.transactionHash
    },
    lastDelivery: () => lastDelivery,
    phase: async (id) => (await stored(id))?.source.phase ?? null,
    async startReactions(options = {}) {
      const reactions = await startReactions({
        databaseUrl,
        chains: configs,
        enclave,
        enclaves,
        mode,
        sweepMs: 300,
        sender: { pollMs: 200 },
        safePrice: DEFAULT_SPONSOR_LIMITS,
        ...options,
      })
      running.push(reactions)
      return reactions
    },
    until: (condition, what) =>
      until(condition, what, {
        interval: 100,
        meanwhile: () =>
          Promise.all([base, horizen].map((chain) => chain.client.mine({ blocks: 1 }))),
      }),
    async stop() {
      await Promise.all(running.map((one) => one.stop()))
      await indexer.stop()
      await database.close()
      await Promise.all([pair.stop(), postgres.stop()])
    },
  }
  return rig
}

/** A test enclave, registered like a stand-in. */
export function testEnclave(
  configs: readonly ChainConfig[],
  mode: 'strict' | 'compat' = 'strict',
  roots: Roots | [] = [TEST_ROOT],
): Promise<Enclave> {
  return createEnclave({
    roots,
    chains: toEnclaveChains(configs, mode),
    quoter: createDevelopmentQuoter(MEASUREMENT, deriveDevnetAccounts().quoting.privateKey),
  })
}

/** Gives the enclave's account some gas, and its attester a place in the registry, by one of the operators. */
export async function trust(chain: BridgeChain, enclave: Enclave, operator = 0): Promise<void> {
  const { client, contracts, chainId } = chain
  const { operators } = deriveDevnetAccounts()
  const { relayer, attester, eciesPublicKey } = await enclave.publicKeys()
  await client.setBalance({ address: relayer, value: 10n ** 20n })
  const toRegister = {
    signer: getAddress(attester),
    eciesKey: eciesPublicKey,
    quote: async ({ challenge }: { challenge: Hex }) =>
      (await enclave.quote({ chainId, challenge, verifier: contracts.verifier })).evidence,
    provePossession: async (asked: {
      operator: Address
      evidenceHash: Hex
      challenge: Hex
      deadline: bigint
    }) => {
      const { operator, evidenceHash, challenge, deadline } = asked
      const request = { chainId, operator, evidenceHash, challenge, deadline }
      return (await enclave.provePossession(request)).signature
    },
  }
  const account = operators[operator]
  if (!account) throw new Error(`there is no operator ${operator}`)
  await registerEnclave(client, chain.relayer, contracts.registry, toRegister, account)
}

function someone(name: string): Hex {
  return lower(getAddress(`0x${keccak256(toHex(name)).slice(-40)}`))
}

function lower(hex: string): Hex {
  return hex.toLowerCase() as Hex
}
