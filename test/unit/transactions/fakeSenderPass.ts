import type pg from 'pg'
import {
  BaseError,
  BlockNotFoundError,
  type Hash,
  TransactionReceiptNotFoundError,
  toHex,
} from 'viem'
import { RefusedError } from '../../../services/chain/transactions/chainNodes.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import {
  type ChainView,
  DEFAULT_SENDER_SETTINGS,
  type Pass,
  type SenderContext,
} from '../../../services/chain/transactions/senderContext.ts'
import type {
  SignedTransaction,
  Version,
} from '../../../services/chain/transactions/transactionStore.ts'

export const ACCOUNT = `0x${'aa'.repeat(20)}` as const
export const TO = `0x${'bb'.repeat(20)}` as const

/** The lowest unused nonce. */
export const NEXT = 7

const VERSION: Version = {
  hash: '0x01',
  nonce: NEXT,
  raw: '0x1111',
  gasLimit: 100_000n,
  maxFeePerGas: 5_000n,
  maxPriorityFeePerGas: 10n,
  isCancel: false,
  msSinceSigned: 0,
  signedAtBlock: 100,
  msSinceSent: 0,
}

type Described = Omit<Partial<SignedTransaction>, 'versions'> & { versions?: Partial<Version>[] }

/** A transaction that was sent just now, unless described otherwise. */
export function signedTransaction({ versions = [{}], ...rest }: Described = {}): SignedTransaction {
  const nonce = rest.nonce ?? NEXT
  return {
    id: nonce,
    kind: 'gift',
    chainId: 1,
    effect: `gift ${nonce}`,
    account: ACCOUNT,
    to: TO,
    data: '0x1234',
    value: 3n,
    mac: null,
    gasLimit: null,
    l1Fee: 0n,
    state: 'sent',
    txHash: null,
    blockNumber: null,
    blockHash: null,
    succeeded: null,
    problem: null,
    detail: null,
    round: 1,
    requestedAt: new Date(0),
    changedAt: new Date(0),
    ...rest,
    nonce,
    versions: versions.map((version) => ({ ...VERSION, nonce, ...version })),
  }
}

/** Blocks and receipts of a node, and how many transactions the account has mined as of a block. */
export type NodeChain = {
  blocks?: Record<number, Hash>
  receipts?: Record<Hash, { blockNumber: bigint; blockHash: Hash; status: 'success' | 'reverted' }>
  countAt?: (blockNumber: bigint) => number
  /** Whether it doesn't answer. */
  isDown?: boolean
}

/** What nodes and the signer do. By default they accept everything, and all calls succeed. */
export type Behaviour = {
  /** What nodes refuse the earlier versions with. */
  refusal?: unknown
  /** What nodes refuse what is signed now with. */
  newRefusal?: unknown
  /** Gas that a call costs, or `reverts`. */
  call?: bigint | 'reverts' | 'unknown'
  /** Versions that nodes have. */
  known?: readonly Hash[]
  /** Error code with which the signer refuses calls, but no cancellations. */
  signing?: string
  isStale?: boolean
  /** What each node has; by default there is one, and it has nothing. */
  chains?: readonly NodeChain[]
  /** Signed transactions in the database. */
  signed?: readonly SignedTransaction[]
  view?: Partial<ChainView>
  settings?: Partial<SenderContext>
}

/** A pass over one account, without a chain or a database. `did`: what it did, in order. */
export function fakeSenderPass(behaviour: Behaviour = {}): { pass: Pass; did: unknown[] } {
  const { refusal, newRefusal, call = 80_000n, known = [], signing, isStale = false } = behaviour
  const { chains = [{}], signed = [] } = behaviour
  const did: unknown[] = []
  const clients = chains.map(({ blocks = {}, receipts = {}, countAt, isDown }) => ({
    getBlock: async ({ blockNumber }: { blockNumber: bigint }) => {
      const hash = blocks[Number(blockNumber)]
      if (hash === undefined) throw new BlockNotFoundError({ blockNumber })
      return { hash }
    },
    getTransactionReceipt: async ({ hash }: { hash: Hash }) => {
      if (isDown) throw new BaseError('no answer')
      const receipt = receipts[hash]
      if (!receipt) throw new TransactionReceiptNotFoundError({ hash })
      return receipt
    },
    getTransactionCount: async ({ blockNumber }: { blockNumber: bigint }) => {
      if (!countAt) throw new BaseError('missing trie node')
      return countAt(blockNumber)
    },
    getBlockNumber: async () => 100n,
    request: async ({ method }: { method: string }) => {
      if (call === 'reverts') throw new BaseError('execution reverted')
      if (call === 'unknown') throw new BaseError('missing trie node')
      return method === 'eth_estimateGas' ? toHex(call) : '0x'
    },
  }))
  const nodes = {
    count: clients.length,
    queryAll: createQueryAllProviders(clients),
    isKnown: async (hash: Hash) => known.includes(hash),
    broadcast: async (raw: string) => {
      did.push(`broadcast ${raw}`)
      const error = raw === VERSION.raw ? refusal : newRefusal
      if (error) throw new RefusedError([error])
    },
  }
  const context = {
    ...DEFAULT_SENDER_SETTINGS,
    confirmations: 2,
    maxFeePerGas: 1_000_000n,
    chainId: 1,
    account: ACCOUNT,
    progress: { windowSize: 1, confirmedCount: 0, missingSince: new Map() },
    nodes,
    requireLease: () => {},
    isStale: async () => isStale,
    isUrgent: () => false,
    leastGas: () => 0n,
    onEvent: (event: { type: string; problem?: string }) =>
      did.push(event.problem ? `${event.type} ${event.problem}` : event.type),
    onPhase: () => {},
    sign: async ({ chainId: _, ...unsigned }: Record<string, unknown>) => {
      if (signing && unsigned.to !== ACCOUNT) throw Object.assign(new Error(), { code: signing })
      did.push(unsigned)
      return { hash: '0x99', serialized: '0x9999' }
    },
    ...behaviour.settings,
  } as unknown as SenderContext
  const view: ChainView = {
    head: 110,
    newestHead: 110,
    next: NEXT,
    highestNext: NEXT,
    pending: NEXT,
    isByOne: false,
    balance: 10n ** 18n,
    blockGas: 30_000_000n,
    market: { baseFeePerGas: 1_000n, priorityFees: { standard: 10n, replacement: 20n } },
    ...behaviour.view,
  }
  const versions = signed.flatMap(({ id, versions }) =>
    versions.map((version) => ({ ...version, transactionId: id })),
  )
  const confirmed = new Set<unknown>()
  const db = {
    query: async (text: string, values: unknown[]) => {
      if (text.startsWith('select')) {
        const live = signed.filter(({ id }) => !confirmed.has(id))
        return { rows: text.includes('from app.transaction_version') ? versions : live }
      }
      if (text.includes("set state = 'confirmed'"))
        for (const id of values[0] as []) confirmed.add(id)
      did.push(describeChange(text, values))
      return { rows: [] }
    },
  } as unknown as pg.ClientBase
  return { pass: { context, db, view }, did }
}

/** A change of rows, by their new state or what they wait for. */
function describeChange(text: string, values: unknown[]): string {
  if (text.includes('insert into app.transaction_version')) return 'saved'
  if (text.includes("values ('fill'")) return `fill ${values[1]}`
  const [, state] = /set state = '?([$\w]+)/.exec(text) ?? []
  if (state === undefined) return text.includes('set problem') ? 'row waits' : text
  if (state === '$2') return `row ${values[1]}`
  if (state !== 'mined') return `row ${state}`
  const said = ({ problem, succeeded }: Mined) => (problem ? `${problem} ${succeeded}` : succeeded)
  return `row mined: ${JSON.parse(String(values[0])).map(said)}`
}

type Mined = { succeeded: boolean; problem?: string }
