import { type Address, formatEther, type PublicClient } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { createChainClient, createNodeClients } from '../../chain/chainClient.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { type Repeated, repeat } from '../../process/repeat.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { Signing } from '../settlement/signingContext.ts'
import {
  findKeyProblem,
  findSealingKeyProblem,
  type KeyState,
  type RegisteredSealingKey,
} from './enclaveKeyProblems.ts'
import { createSettlementCheck } from './findFalseSettlement.ts'
import { findIncompleteRecovery } from './findIncompleteRecovery.ts'
import { findRemovedChain } from './findRemovedChain.ts'
import { findUnseenWinner } from './findUnseenWinner.ts'
import { findWrongRoot } from './findWrongRoot.ts'
import { CALL_GAS, type UnpaidGasBudget } from './perform/unpaidGas.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/** `unpaidGas`: gas of the day that no fee covers. */
type WatchedChain = ChainConfig & { unpaidGas: Pick<UnpaidGasBudget, 'taken' | 'limit'> }

type WatchProblemsOptions = {
  db: Db
  chains: readonly WatchedChain[]
  /** The first decrypts and pays; all sign. */
  enclaves: readonly [Enclave, ...Enclave[]]
  signing: Signing
  /** Milliseconds between checks. Default 15,000. */
  everyMs?: number | undefined
}

/**
 * Periodically checks for what keeps the relayer from working without causing errors: a root that opens no blob, an
 * account without gas, keys that a registry doesn't list, a winner that the index doesn't show, a settlement without its
 * delivery, a recovery that lacks intents. A check that fails to run keeps what it found, and reports nothing after a few failures in a row: unreachable
 * nodes and enclaves are reported elsewhere.
 */
export function watchRelayerProblems(
  options: WatchProblemsOptions,
): Repeated & { found(): RelayerProblem[] } {
  const { chains, everyMs = 15_000 } = options
  const checks = chains.flatMap((chain) => [
    ...checksOf(chain, options),
    () => findRemovedChain(options, chain),
  ])
  const found = new Map<Check, RelayerProblem | null>()
  const failures = new Map<Check, number>()
  const watching = repeat(
    everyMs,
    () => {},
    async () => {
      await Promise.all(
        checks.map(async (check) => {
          try {
            found.set(check, await check())
            failures.delete(check)
          } catch {
            const inARow = (failures.get(check) ?? 0) + 1
            failures.set(check, inARow)
            if (inARow >= CLEARING_FAILURES) found.delete(check)
          }
        }),
      )
    },
  )
  return {
    found: () => [...found.values()].filter((problem) => problem !== null),
    stop: () => watching.stop(),
  }
}

/** Consecutive failures of a check after which what it found before may long be fixed. */
const CLEARING_FAILURES = 3

type Check = () => Promise<RelayerProblem | null>

const HOUR_MS = 3_600_000

/**
 * Runs an expensive check only once an hour, but every time while it finds a problem. A problem counts once it is found
 * again: the index may have been a block behind the chain.
 */
function hourly(check: Check): Check {
  let found: RelayerProblem | null = null
  let checkedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (found === null && performance.now() - checkedAt < HOUR_MS) return null
    checkedAt = performance.now()
    const before = found
    found = await check()
    return before && found
  }
}

function checksOf(
  chain: WatchedChain,
  { db, chains, enclaves, signing }: WatchProblemsOptions,
): Check[] {
  const client = createChainClient(chain, { timeoutMs: 5_000 })
  const destinations = new Map(
    chains.map((one) => [one.chainId, { ...one, nodes: createNodeClients(one, 5_000) }]),
  )
  const [first] = enclaves
  let registry: Address | null = null
  return [
    async () => findWrongRoot(db, chain, await first.publicKeys()),
    async () => {
      const { relayer } = await first.publicKeys()
      const [balance, gasPrice] = await Promise.all([
        client.getBalance({ address: relayer }),
        client.getGasPrice(),
      ])
      return gasProblem(chain, relayer, balance, gasPrice)
    },
    hourly(() => findUnseenWinner(db, chain, client)),
    createSettlementCheck({ db, signing, chain, destinations }),
    () => findIncompleteRecovery(db, chain),
    async () => findBudgetProblem(chain),
    ...enclaves.map((enclave) => async () => {
      const { attester, eciesPublicKey } = await enclave.publicKeys()
      registry ??= await client.readContract({
        address: chain.bridge,
        abi: bridgeIntentV2Abi,
        functionName: 'REGISTRY',
      })
      const at = registry
      const state = await readKeyState(client, at, attester)
      const problem = findKeyProblem(chain, attester, state)
      if (problem !== null || enclave !== first || state.eciesKey === eciesPublicKey) return problem
      const read = async (other: Enclave) =>
        readKeyState(client, at, (await other.publicKeys()).attester)
      const others = await Promise.all(
        enclaves.slice(1).map((other) => read(other).catch(() => null)),
      )
      return findSealingKeyProblem(chain, eciesPublicKey, [state, ...others])
    }),
  ]
}

/** Whether the day's budget of gas that no fee covers has no room for another small anchor. */
async function findBudgetProblem({
  chainId,
  name,
  unpaidGas,
}: Pick<WatchedChain, 'chainId' | 'name' | 'unpaidGas'>): Promise<RelayerProblem | null> {
  const taken = await unpaidGas.taken()
  if (taken + CALL_GAS <= unpaidGas.limit) return null
  return {
    chainId,
    code: 'GAS_BUDGET_SPENT',
    cause: `in the last 24 hours, senders used ${taken} of ${unpaidGas.limit} gas on ${name} beyond what their fees ever paid for: such anchors wait`,
    fix: 'if these are customers, raise RELAYER_UNPAID_GAS; what a sender’s fees paid for isn’t affected, and anyone can send a waiting anchor (GET /intents/{intentId}/anchor)',
  }
}

/** Gas of the most expensive call: an anchor with the largest blob. */
const ONE_ANCHOR = 600_000n

/** Whether the account can't pay for one more anchor at current prices. */
function gasProblem(
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
  account: string,
  balance: bigint,
  gasPrice: bigint,
): RelayerProblem | null {
  const needed = ONE_ANCHOR * (gasPrice > 0n ? gasPrice : 1n)
  if (balance >= needed) return null
  return {
    chainId,
    code: 'NO_GAS',
    cause: `${account} holds ${formatEther(balance)} on ${name}, and one anchor takes about ${formatEther(needed)}`,
    fix: `send ${formatEther(needed * 100n)} of the chain’s coin or more to ${account} on ${name}: waiting transactions then continue by themselves`,
  }
}

async function readKeyState(
  client: Pick<PublicClient, 'readContract' | 'getBlock'>,
  address: Address,
  signer: Address,
): Promise<KeyState & RegisteredSealingKey> {
  const contract = { address, abi: enclaveKeyRegistryAbi, args: [signer] } as const
  const [key, isActive, { timestamp }] = await Promise.all([
    client.readContract({ ...contract, functionName: 'keyOf' }),
    client.readContract({ ...contract, functionName: 'isActive' }),
    client.getBlock(),
  ])
  const coordinates = [key.eciesX, key.eciesY].map((one) => one.toString(16).padStart(64, '0'))
  return { ...key, eciesKey: `0x04${coordinates.join('')}`, isActive, now: Number(timestamp) }
}
