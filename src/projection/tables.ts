import type { KeyColumns, Rows, TableName } from './rows.ts'

/** How a column's value looks in TypeScript; `text` covers words and hex, `json` the event arguments. */
export type ColumnKind = 'number' | 'bigint' | 'text' | 'boolean' | 'json'

export type TableShape<Table extends TableName> = {
  /** Name in SQL; columns are the snake_case of theirs. */
  sqlName: string
  /** Primary key, in its order. */
  key: readonly KeyColumns[Table][]
  /** Every column, in the order of ponder.schema.ts. */
  columns: { readonly [Column in keyof Rows[Table] & string]: ColumnKind }
}

/** Shape of every table, for programs that read or write rows by name (replay, comparison, hashes). */
export const TABLES: { readonly [Table in TableName]: TableShape<Table> } = {
  event: {
    sqlName: 'event',
    key: ['chainId', 'blockNumber', 'logIndex'],
    columns: {
      chainId: 'number',
      blockNumber: 'number',
      logIndex: 'number',
      blockHash: 'text',
      blockTimestamp: 'number',
      transactionHash: 'text',
      transactionFrom: 'text',
      type: 'text',
      sourceChainId: 'number',
      intentId: 'bigint',
      args: 'json',
    },
  },
  intent: {
    sqlName: 'intent',
    key: ['sourceChainId', 'intentId'],
    columns: {
      sourceChainId: 'number',
      intentId: 'bigint',
      phase: 'text',
      sender: 'text',
      destChainId: 'number',
      tokenA: 'text',
      tokenB: 'text',
      amountA: 'bigint',
      expectedAmountB: 'bigint',
      reward: 'bigint',
      endTime: 'number',
      pickupDeadline: 'number',
      createTxHash: 'text',
      createdAt: 'number',
      createdBlock: 'number',
      feeBps: 'number',
      anchorTxHash: 'text',
      anchoredAt: 'number',
      blobCount: 'number',
      bidCount: 'number',
      bestBid: 'bigint',
      bestBidder: 'text',
      solver: 'text',
      winningAmountB: 'bigint',
      bond: 'bigint',
      fillDeadline: 'number',
      depositTxHash: 'text',
      depositedAt: 'number',
      settleTxHash: 'text',
      settledAt: 'number',
      payout: 'bigint',
      fee: 'bigint',
      chain2IntentId: 'bigint',
      settledSolveTxHash: 'text',
      attester: 'text',
      cancelTxHash: 'text',
      cancelledAt: 'number',
      refundTxHash: 'text',
      refundedAt: 'number',
      refundAmount: 'bigint',
      slashedBond: 'bigint',
      updatedBlock: 'number',
      updatedAt: 'number',
    },
  },
  delivery: {
    sqlName: 'delivery',
    key: ['destChainId', 'chain2IntentId'],
    columns: {
      destChainId: 'number',
      chain2IntentId: 'bigint',
      sourceChainId: 'number',
      intentId: 'bigint',
      solver: 'text',
      tokenB: 'text',
      amountB: 'bigint',
      solveTxHash: 'text',
      solvedAt: 'number',
      solvedBlock: 'number',
    },
  },
  bid: {
    sqlName: 'bid',
    key: ['sourceChainId', 'intentId', 'bidIndex'],
    columns: {
      sourceChainId: 'number',
      intentId: 'bigint',
      bidIndex: 'number',
      solver: 'text',
      amountB: 'bigint',
      bidTxHash: 'text',
      bidAt: 'number',
      blockNumber: 'number',
    },
  },
  solverRecord: {
    sqlName: 'solver_record',
    key: ['chainId', 'solver'],
    columns: {
      chainId: 'number',
      solver: 'text',
      bids: 'number',
      wins: 'number',
      deliveries: 'number',
      settlements: 'number',
      failures: 'number',
      firstSeen: 'number',
      lastSeen: 'number',
    },
  },
  solverVolume: {
    sqlName: 'solver_volume',
    key: ['chainId', 'solver', 'token'],
    columns: {
      chainId: 'number',
      solver: 'text',
      token: 'text',
      delivered: 'bigint',
      paidOut: 'bigint',
      slashed: 'bigint',
    },
  },
  pairDay: {
    sqlName: 'pair_day',
    key: ['sourceChainId', 'destChainId', 'tokenA', 'tokenB', 'day'],
    columns: {
      sourceChainId: 'number',
      destChainId: 'number',
      tokenA: 'text',
      tokenB: 'text',
      day: 'number',
      created: 'number',
      bids: 'number',
      completed: 'number',
      cancelled: 'number',
      expired: 'number',
      failed: 'number',
      createdVolumeA: 'bigint',
      completedVolumeA: 'bigint',
      completedVolumeB: 'bigint',
      fees: 'bigint',
      rewards: 'bigint',
    },
  },
  escrow: {
    sqlName: 'escrow',
    key: ['chainId', 'token'],
    columns: {
      chainId: 'number',
      token: 'text',
      open: 'bigint',
      bonds: 'bigint',
      credits: 'bigint',
      fees: 'bigint',
    },
  },
  bridge: {
    sqlName: 'bridge',
    key: ['chainId'],
    columns: {
      chainId: 'number',
      address: 'text',
      pickupWindow: 'number',
      executionWindow: 'number',
      settlementGrace: 'number',
      relayer: 'text',
      treasury: 'text',
      creationPaused: 'boolean',
      deployedBlock: 'number',
    },
  },
  bridgeToken: {
    sqlName: 'bridge_token',
    key: ['chainId', 'token'],
    columns: {
      chainId: 'number',
      token: 'text',
      minAmount: 'bigint',
      maxAmount: 'bigint',
      listed: 'boolean',
    },
  },
  bridgeDestination: {
    sqlName: 'bridge_destination',
    key: ['chainId', 'destChainId'],
    columns: { chainId: 'number', destChainId: 'number', listed: 'boolean' },
  },
}

/** All tables, in the order in which hashes and exports list them. */
export const TABLE_NAMES = Object.keys(TABLES) as TableName[]
