import type pg from 'pg'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { ChangedDuringReadError, DiscreditedReadError } from '../../chain/history/historyErrors.ts'
import { prefetchOne } from '../../chain/history/prefetchOne.ts'
import { createRpcPool } from '../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { bindDatabase } from '../../enclaveBinding/bindDatabase.ts'
import { type ComparedNodes, createComparedNodes } from '../../indexer/history/comparedNodes.ts'
import { fetchComparedEvents } from '../../indexer/history/fetchComparedEvents.ts'
import { readIntentCount } from '../../indexer/history/readIntentCount.ts'
import { migrate } from '../../store/database/migrate.ts'
import { openSingleConnection } from '../../store/database/openSingleConnection.ts'
import { type RecoveringEnclave, recoverChain } from './recoverChain.ts'
import { type ChainCertificate, certifyChain } from './recoveryCertificate.ts'
import { requireFormerBridgesEnded } from './requireFormerBridgesEnded.ts'

/** The progress of a chain's recovery: block `at` of `from` to `to`. */
type RecoveryStep = { chain: string; from: number; to: number; at: number; blobs: number }

type RecoverOptions = {
  databaseUrl: string
  chains: readonly ChainConfig[]
  enclave: RecoveringEnclave
  /** Last block to read; default: each chain's head. */
  upTo?: number
  /** Whether a chain that was recovered before is read again from its first block. */
  fromStart?: boolean
  onStep?(step: RecoveryStep): void
}

/** Attempts to read a chain that reorgs keep changing. */
const ROUNDS = 5

/** In blocks; deeper than the reorgs of any supported chain. */
const DEEPEST_REORG = 512

/**
 * Restores schema `app` from the chains: bundles, and the Safes at which registered wallets are paid. The schema must
 * be migrated. Existing rows stay, and an interrupted run resumes.
 *
 * @returns a certificate for each chain
 */
export async function recoverDatabase(options: RecoverOptions): Promise<ChainCertificate[]> {
  const { databaseUrl, chains } = options
  const client = await openSingleConnection(databaseUrl, 'cairn_recovery')
  try {
    const certificates: ChainCertificate[] = []
    for (const chain of chains) {
      certificates.push(await recoverOne(client, chain, options))
    }
    return certificates
  } finally {
    await client.end()
  }
}

async function recoverOne(
  client: pg.Client,
  chain: ChainConfig,
  options: RecoverOptions,
): Promise<ChainCertificate> {
  const nodes = createComparedNodes(createRpcPool(chain))
  if (options.fromStart) await goBack(client, chain, Number.MAX_SAFE_INTEGER)
  for (let round = 1; ; round++) {
    try {
      return await readWholeChain(client, chain, nodes, options)
    } catch (error) {
      if (!(error instanceof ChangedDuringReadError) || round === ROUNDS) throw error
      const isWrongNode = error instanceof DiscreditedReadError
      await goBack(client, chain, isWrongNode ? Number.MAX_SAFE_INTEGER : DEEPEST_REORG)
    }
  }
}

/** Reads the last blocks again. Rows from the old ones are overwritten. */
async function goBack(
  client: pg.Client,
  { chainId, startBlock }: ChainConfig,
  blocks: number,
): Promise<void> {
  await client.query(
    'update app.recovery set next_block = greatest($2, next_block - $3) where chain_id = $1',
    [chainId, startBlock, blocks],
  )
  await client.query(
    `delete from app.recovery_problem p using app.recovery r
     where p.chain_id = $1 and r.chain_id = $1 and p.block_number >= r.next_block`,
    [chainId],
  )
}

async function readWholeChain(
  client: pg.Client,
  { name, chainId, rpcUrls, requestsPerSecond, bridge: written, startBlock }: ChainConfig,
  nodes: ComparedNodes,
  { enclave, upTo, onStep = () => {} }: RecoverOptions,
): Promise<ChainCertificate> {
  const bridge = written.toLowerCase() as Hex
  const chain = { name, chainId, rpcUrls, requestsPerSecond, bridge, startBlock }
  nodes.forget()
  const head = await (upTo === undefined ? nodes.head() : nodes.header(upTo))
  const range = { from: startBlock, to: Math.max(head.number, startBlock) }
  const countCreated = () => readIntentCount(nodes, chain, head.number)
  // Many nodes keep a block's state for minutes only; behind a load balancer, some lack the latest. So ask first and last.
  const early = await countCreated()
  const book = await recoverChain({
    chain,
    enclave,
    client,
    parts: prefetchOne(fetchComparedEvents(nodes, chain, range, head)),
    onPart: (at, blobs) => onStep({ chain: name, ...range, at, blobs }),
  })
  const created = early ?? (await countCreated())
  const after = await nodes.header(head.number)
  if (after.hash !== head.hash)
    throw new ChangedDuringReadError(`${name} was reorganised meanwhile`)
  const blocks = { ...range, toHash: head.hash }
  const read = { chainId, name, bridge, blocks, nodes: nodes.report() }
  return await certifyChain(client, read, book, created)
}

/**
 * Runs `recoverDatabase` on a database in any state, after migrating it and binding it to the enclave's key.
 *
 * @throws EnclaveBindingError when the database belongs to another key; ConfigurationError as `requireFormerBridgesEnded`
 */
export async function recoverIntoDatabase(
  options: RecoverOptions & { enclave: RecoverOptions['enclave'] & Pick<Enclave, 'publicKeys'> },
): Promise<ChainCertificate[]> {
  await migrate(options.databaseUrl)
  await bindDatabase(options.databaseUrl, options.enclave)
  await requireFormerBridgesEnded(options.databaseUrl, options.chains)
  return recoverDatabase(options)
}
