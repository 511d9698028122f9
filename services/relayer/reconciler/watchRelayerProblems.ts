import { sql } from 'kysely'
import { type Address, formatEther, type PublicClient } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createChainClient } from '../../chain/chainClient.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Enclave, ResponseOf } from '../../enclave/enclaveInterface.ts'
import { type Repeated, repeat } from '../../process/repeat.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import {
  findKeyProblem,
  findSealingKeyProblem,
  type KeyState,
  type RegisteredSealingKey,
} from './enclaveKeyProblems.ts'
import { findIncompleteRecovery } from './findIncompleteRecovery.ts'
import { findUnseenWinner } from './findUnseenWinner.ts'
import { CALL_GAS, type UnpaidGasBudget } from './perform/unpaidGas.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/** `unpaidGas`: gas of the day that no fee covers. */
type WatchedChain = ChainConfig & { unpaidGas: Pick<UnpaidGasBudget, 'taken' | 'limit'> }

type WatchProblemsOptions = {
  db: Db
  chains: readonly WatchedChain[]
  /** The first decrypts and pays; all sign. */
  enclaves: readonly [Enclave, ...Enclave[]]
  /** Milliseconds between checks. Default 15,000. */
  everyMs?: number | undefined
}

/**
 * Periodically checks for what keeps the relayer from working without causing errors: a root that opens no blob, an
 * account without gas, keys that a registry doesn't list, a winner that the index doesn't show, a recovery that lacks
 * intents. A check that fails to run keeps what it found, and reports nothing after a few failures in a row: unreachable
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

function checksOf(chain: WatchedChain, { db, enclaves }: WatchProblemsOptions): Check[] {
  const client = createChainClient(chain, { timeoutMs: 5_000 })
  const [first] = enclaves
  let registry: Address | null = null
  return [
    async () => rootProblem(db, chain, await first.publicKeys()),
    async () => {
      const { relayer } = await first.publicKeys()
      const [balance, gasPrice] = await Promise.all([
        client.getBalance({ address: relayer }),
        client.getGasPrice(),
      ])
      return gasProblem(chain, relayer, balance, gasPrice)
    },
    hourly(() => findUnseenWinner(db, chain, client)),
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

/** Whether an intent of ours waits for a delivery on a chain that is no longer configured: nobody else would settle it. */
async function findRemovedChain(
  { db, chains }: Pick<WatchProblemsOptions, 'db' | 'chains'>,
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
): Promise<RelayerProblem | null> {
  const configured = sql.join(chains.map((chain) => sql.lit(chain.chainId)))
  const { rows } = await sql<{ destChainId: string; intents: number }>`
    select i.dest_chain_id::text as "destChainId", count(*)::integer as intents from cairn.intent i
    where i.phase = 'deposited' and i.source_chain_id = ${sql.lit(chainId)}
      and i.dest_chain_id not in (${configured})
      and (exists (select from app.signed s
          where s.source_chain_id = i.source_chain_id and s.intent_id = i.intent_id)
        or exists (select from app.bundle b
          where b.source_chain_id = i.source_chain_id and b.intent_id = i.intent_id))
    group by i.dest_chain_id order by i.dest_chain_id limit 1`.execute(db)
  const [removed] = rows
  if (removed === undefined) return null
  return {
    chainId,
    code: 'CHAIN_REMOVED',
    cause: `winners deliver on chain ${removed.destChainId}, which isn’t in CHAINS, for intents from ${name} (${removed.intents}): nobody settles that, and once the senders can refund, the winners lose what they paid`,
    fix: 'put the chain back into CHAINS until these intents have ended (docs/operating.md#take-a-chain-out-of-service)',
  }
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

/** How many blobs of each kind are examined, newest first. */
const LATEST = 500

/**
 * Whether none of a chain's anchored intents is sealed to the enclave's keys. A single blob that is shows that the
 * root is right; the others may belong to other relayers on the same bridge.
 */
async function rootProblem(
  db: Db,
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
  { keyId, previousKeyIds }: Pick<ResponseOf<'publicKeys'>, 'keyId' | 'previousKeyIds'>,
): Promise<RelayerProblem | null> {
  const { seen, own } = await countBlobs(db, chainId, [keyId, ...previousKeyIds])
  if (seen === 0 || own > 0) return null
  return {
    chainId,
    code: 'WRONG_ROOT',
    cause: `the enclave can open 0 of ${seen} recovery blobs of anchored intents on ${name}: none is sealed to its key`,
    fix: 'start the enclave with the root that they were sealed to (ENCLAVE_ROOT_FILE, or from its shares: npm run enclave -- restore-root); if only other relayers have anchored on this bridge so far, your first anchor clears this problem',
  }
}

/** Counts the blobs of anchors and of anchored creations, and those of them sealed to these keys. */
async function countBlobs(
  db: Db,
  chainId: number,
  keyIds: readonly Hex[],
): Promise<{ seen: number; own: number }> {
  // Literals, as they never change: a statement without parameters is planned once.
  const ids = keyIds.map((keyId) => sql.lit(keyId.slice(2).toLowerCase()))
  const chain = sql.lit(chainId)
  const blobsOf = (type: string) => sql`(
    select e.args ->> 'encryptedBlob' as blob from cairn.event e
    where e.chain_id = ${chain} and e.type = ${sql.lit(type)}
      and length(e.args ->> 'encryptedBlob') > 2
    order by e.chain_id desc, e.block_number desc, e.log_index desc limit ${sql.lit(LATEST)})`
  // 0x, the version and the number of blocks precede the key's id.
  const { rows } = await sql<{ seen: number; own: number }>`
    with anchored as (select exists (select from cairn.intent
        where source_chain_id = ${chain} and fee_bps is not null) as "isAny"),
      blobs as (select blob from ${blobsOf('IntentAnchored')} a
        union all select blob from ${blobsOf('IntentCreated')} c)
    select count(*)::integer as seen,
      count(*) filter (where substr(blob, 7, 8) = any(array[${sql.join(ids)}]::text[]))::integer as own
    from blobs, anchored where "isAny"`.execute(db)
  return rows[0] ?? { seen: 0, own: 0 }
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
