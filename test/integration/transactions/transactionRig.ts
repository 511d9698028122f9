import type pg from 'pg'
import { type Address, getAddress, type Hex, keccak256, toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createDevnetClient, type DevnetClient } from '../../../devnet/devnetClient.ts'
import { findTransaction } from '../../../services/chain/transactions/findTransaction.ts'
import { requestTransaction } from '../../../services/chain/transactions/requestTransaction.ts'
import type { SenderEvent } from '../../../services/chain/transactions/senderContext.ts'
import {
  type Sender,
  type StartSenderOptions,
  startSender,
} from '../../../services/chain/transactions/startSender.ts'
import type {
  Transaction,
  TransactionRequest,
} from '../../../services/chain/transactions/transactionRow.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'
import { createLocalSigner, createNumberedAccount } from './localSigner.ts'

export const CHAIN_ID = 84_532

/** Shorter than in production: a sender's successor waits this long after a kill. */
const LEASE_MS = 1_500

/** What transactions of strangers pay at most in these tests, in wei for each gas. */
export const LEAST_FEE = 5_000_000_000n

export type TransactionRig = {
  postgres: PostgresUnderTest
  database: OpenDatabase
  client: pg.Client
  node: RunningAnvil
  chain: DevnetClient
  /** The account of the next test: funded, unused. */
  account: PrivateKeyAccount
  accountNumber: number
  nextAccount(): Promise<void>
  start(options?: Partial<StartSenderOptions>): { sender: Sender; events: SenderEvent[] }
  /** Stops every sender that was started here and is running. */
  stopSenders(): Promise<void>
  /** Requests a payment of one wei to a new address: its balance counts how often it was sent. */
  request(effect: string, more?: Partial<TransactionRequest>): Promise<Transaction>
  received(effect: string): Promise<bigint>
  /** Makes the node forget pending transactions. */
  dropAll(): Promise<void>
  read(id: number): Promise<Transaction>
  /**
   * Mines a block whose base fee is above what the unmined transactions pay: with the first `versions` of each, or
   * with all.
   */
  mineWithout(versions?: number): Promise<void>
  /** Polls until the condition holds; `mine` mines a block before each poll, or is called there. */
  until(
    condition: () => Promise<boolean>,
    what: string,
    mine?: boolean | (() => Promise<void>),
  ): Promise<void>
  stop(): Promise<void>
}

/** A PostgreSQL and a real node that mines what it is sent, at once unless told otherwise. */
export async function startTransactionRig(): Promise<TransactionRig> {
  const [postgres, node] = await Promise.all([
    startPostgresUnderTest(),
    startAnvil({ chainId: CHAIN_ID, blockTime: 0 }),
  ])
  const { databaseUrl } = postgres
  await migrate(databaseUrl)
  const database = openDatabase({ databaseUrl })
  const client = await postgres.connect()
  const chain = createDevnetClient({ name: 'base_sepolia', chainId: CHAIN_ID, rpc: node.rpc })
  let accounts = 0
  let senders: Sender[] = []
  const rig: TransactionRig = {
    postgres,
    database,
    client,
    node,
    chain,
    account: createNumberedAccount(0),
    async nextAccount() {
      accounts += 1
      rig.account = createNumberedAccount(accounts)
      rig.accountNumber = accounts
      await chain.setBalance({ address: rig.account.address, value: 10n ** 18n })
    },
    accountNumber: 0,
    start(options = {}) {
      const events: SenderEvent[] = []
      const sender = startSender({
        databaseUrl,
        chain: { name: 'base_sepolia', chainId: CHAIN_ID, rpcUrls: [node.rpc], confirmations: 1 },
        account: rig.account.address,
        sign: createLocalSigner(rig.account),
        onEvent: (event) => events.push(event),
        pollMs: 50,
        leaseMs: LEASE_MS,
        ...options,
      })
      senders.push(sender)
      return { sender, events }
    },
    async stopSenders() {
      const running = senders
      senders = []
      await Promise.all(running.map((sender) => sender.stop()))
    },
    request: (effect, more = {}) =>
      requestTransaction(database.db, {
        kind: 'gift',
        chainId: CHAIN_ID,
        effect,
        account: rig.account.address,
        to: derivePayee(effect),
        data: '0x' as Hex,
        value: 1n,
        ...more,
      }),
    received: (effect) => chain.getBalance({ address: derivePayee(effect) }),
    dropAll: () => chain.request({ method: 'anvil_dropAllTransactions' } as never),
    async read(id) {
      const row = await findTransaction(database.db, id)
      if (!row) throw new Error(`no transaction ${id}`)
      return row
    },
    async mineWithout(versions = 1_000) {
      await client.query('begin')
      try {
        // No sender saves another version, let alone sends it, until the block is mined.
        await client.query('lock table app.transaction_version in share mode')
        const { rows } = await client.query(
          `select coalesce(max(max_fee), 0)::text as most from (
             select max_fee, row_number() over (partition by transaction_id order by signed_at) as place
             from app.transaction_version v join app.transaction t on t.id = v.transaction_id
             where t.state in ('signed', 'sent')) as version where place <= $1`,
          [versions],
        )
        const most = BigInt(rows[0].most)
        const baseFeePerGas = (most > LEAST_FEE ? most : LEAST_FEE) + 1n
        await chain.setNextBlockBaseFeePerGas({ baseFeePerGas })
        await chain.mine({ blocks: 1 })
      } finally {
        await client.query('commit')
      }
    },
    until: (condition, what, mine = false) =>
      until(
        async () => {
          if (typeof mine === 'function') await mine()
          else if (mine) await chain.mine({ blocks: 1 })
          return condition()
        },
        what,
        { interval: 50 },
      ),
    async stop() {
      await rig.stopSenders()
      await database.close()
      await Promise.all([postgres.stop(), node.stop()])
    },
  }
  return rig
}

/** An unused address derived from the effect's name. */
export function derivePayee(effect: string): Address {
  return getAddress(`0x${keccak256(toHex(effect)).slice(-40)}`)
}
