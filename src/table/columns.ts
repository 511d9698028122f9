/** A column's type in PostgreSQL; with a question mark where it may be null. `numeric` is `numeric(78, 0)`. */
export type ColumnType = StoredType | `${StoredType}?`
type StoredType = 'int8' | 'integer' | 'numeric' | 'hex' | 'text' | 'boolean' | 'json'

type StatedTable = {
  sqlName: string
  /** Columns of the primary key, in its order. */
  key: readonly string[]
  columns: { readonly [column: string]: ColumnType }
}

/**
 * Every table that the projection writes, with its columns in their order: the one place that states them. Tables in
 * PostgreSQL (ponder.schema.ts), rows in TypeScript (rows.ts) and lists of columns (src/table/tableShapes.ts) are derived from it.
 *
 * Every row belongs to one chain, named by the first column of its primary key, and only that
 * chain's events write it (docs/architecture.md, law 8). What an intent's destination chain says
 * about it is a `delivery` row of its own; the two meet when they are read.
 *
 * Units: amounts are integers in token base units, times are unix seconds of the block, addresses and hashes are
 * lower-case hex text. Null is "has not happened (yet)".
 */
export const COLUMNS = {
  /** One log of a bridge or a vault, decoded. Append-only. */
  event: {
    sqlName: 'event',
    key: ['chainId', 'blockNumber', 'logIndex'],
    columns: {
      chainId: 'int8',
      blockNumber: 'int8',
      logIndex: 'integer',
      blockHash: 'hex',
      blockTimestamp: 'int8',
      transactionHash: 'hex',
      /** Account that sent the transaction (not necessarily the intent's sender). */
      transactionFrom: 'hex',
      /** Solidity event name, e.g. `IntentCreated`; a vault's credits are `VaultCreditAdded`, `VaultCreditClaimed`. */
      type: 'text',
      /** Source chain of the intent concerned; null for events about no intent. */
      sourceChainId: 'int8?',
      /** Packed id `(chainId << 64) | sequence`; null for events about no intent. */
      intentId: 'numeric?',
      /** Arguments by their Solidity names; integers as decimal strings, hex as lower-case strings. */
      args: 'json',
    },
  },
  /** What the source chain says of an intent. */
  intent: {
    sqlName: 'intent',
    key: ['sourceChainId', 'intentId'],
    columns: {
      sourceChainId: 'int8',
      intentId: 'numeric',
      /** keccak256 of chain, bridge, sender and the seven arguments of createIntent. */
      paramsHash: 'hex',
      /** The source chain's own state: open, bidding, deposited, completed, cancelled, expired, failed. */
      phase: 'text',

      sender: 'hex',
      destChainId: 'int8',
      tokenA: 'hex',
      tokenB: 'hex',
      amountA: 'numeric',
      expectedAmountB: 'numeric',
      reward: 'numeric',
      /** The auction takes bids while block time < endTime. */
      endTime: 'int8',
      /** From here on recipients are firm, and an intent with a bid can't be cancelled. */
      firmAt: 'int8',
      /** endTime + 2 pickup windows: from here on an intent with bids but no deposit is expired. */
      pickupDeadline: 'int8',
      createTxHash: 'hex',
      createdAt: 'int8',
      createdBlock: 'int8',

      /** Signatures that a reveal, a settlement or a NotDelivered needs: the token's at the creation. */
      quorum: 'integer',

      /** The scheduled order of which it is a tranche, and its number there, from 0; null if of none. */
      orderId: 'hex?',
      trancheIndex: 'int8?',

      /** 250 (unshielded) or 700 (shielded) once anchored. */
      feeBps: 'integer?',
      /** Most recipients of the delivery, a power of two, once anchored. */
      recipientClass: 'integer?',
      anchorTxHash: 'hex?',
      anchoredAt: 'int8?',
      /** Recovery blobs on chain before firmAt (created, anchored, appended), non-empty ones. */
      blobCount: 'integer',
      /** The contract's commitment to those blobs; zero while there is none. */
      blobsHash: 'hex',

      bidCount: 'integer',
      bestBid: 'numeric?',
      bestBidder: 'hex?',

      /** The winner: the solver that picked the intent up. */
      solver: 'hex?',
      /** Amount of tokenB the winner committed to. */
      winningAmountB: 'numeric?',
      /** What the winner has locked of its stake, in base units of tokenA. */
      bond: 'numeric?',
      fillDeadline: 'int8?',
      depositTxHash: 'hex?',
      depositedAt: 'int8?',
      /** The winner said on chain that it hadn't been told the recipients; they were put on chain. */
      askedAt: 'int8?',
      askTxHash: 'hex?',
      revealedAt: 'int8?',
      revealTxHash: 'hex?',

      settleTxHash: 'hex?',
      settledAt: 'int8?',
      payout: 'numeric?',
      fee: 'numeric?',
      /** Delivery that the settlement names. */
      chain2IntentId: 'numeric?',
      attester: 'hex?',

      cancelTxHash: 'hex?',
      cancelledAt: 'int8?',

      refundTxHash: 'hex?',
      refundedAt: 'int8?',
      /** Amount that went back to the sender, by cancel or by refund. */
      refundAmount: 'numeric?',
      /** What the best bidder or winner lost of its stake by the refund. */
      forfeitedBond: 'numeric?',

      /** Block of the latest event folded into this row. */
      updatedBlock: 'int8',
      updatedAt: 'int8',
    },
  },
  /** What a destination chain says of an intent: one `solveIntent` by one solver. */
  delivery: {
    sqlName: 'delivery',
    key: ['destChainId', 'chain2IntentId'],
    columns: {
      /** Chain on which it happened, which need not be the intent's destination. */
      destChainId: 'int8',
      chain2IntentId: 'numeric',
      /** The intent that the caller says it delivers for, and its terms as the caller names them. */
      sourceChainId: 'int8',
      intentId: 'numeric',
      paramsHash: 'hex',
      solver: 'hex',
      tokenB: 'hex',
      amountB: 'numeric',
      /** Of amountB, what the token refused to move: it waits in the bridge for its recipients. */
      credited: 'numeric',
      solveTxHash: 'hex',
      solvedAt: 'int8',
      solvedBlock: 'int8',
    },
  },
  /** One bid, in the order of the auction. */
  bid: {
    sqlName: 'bid',
    key: ['sourceChainId', 'intentId', 'bidIndex'],
    columns: {
      sourceChainId: 'int8',
      intentId: 'numeric',
      /** 1 for the intent's first bid, and so on. */
      bidIndex: 'integer',
      solver: 'hex',
      amountB: 'numeric',
      bidTxHash: 'hex',
      bidAt: 'int8',
      blockNumber: 'int8',
    },
  },
  /** One solver's record on one chain. Bids, wins, settlements and failures count on the source chain, deliveries on the destination. */
  solverRecord: {
    sqlName: 'solver_record',
    key: ['chainId', 'solver'],
    columns: {
      chainId: 'int8',
      solver: 'hex',
      bids: 'integer',
      wins: 'integer',
      deliveries: 'integer',
      settlements: 'integer',
      /** Winners' locks lost here: it didn't deliver. */
      failures: 'integer',
      /** Best bidders' locks lost here: it didn't pick up what it had bid for. */
      noShows: 'integer',
      firstSeen: 'int8',
      lastSeen: 'int8',
    },
  },
  /** What one solver moved of one token on one chain. */
  solverVolume: {
    sqlName: 'solver_volume',
    key: ['chainId', 'solver', 'token'],
    columns: {
      chainId: 'int8',
      solver: 'hex',
      token: 'hex',
      /** Delivered to recipients here (this chain as destination). */
      delivered: 'numeric',
      /** Paid out by settlements here (this chain as source). */
      paidOut: 'numeric',
      /** Locks lost here. */
      forfeited: 'numeric',
    },
  },
  /** What backs one solver's bids in one token on one chain. */
  solverStake: {
    sqlName: 'solver_stake',
    key: ['chainId', 'solver', 'token'],
    columns: {
      chainId: 'int8',
      solver: 'hex',
      token: 'hex',
      /** All of its stake, what is locked included. */
      staked: 'numeric',
      /** Of that, what backs its best bids and its wins. */
      locked: 'numeric',
    },
  },
  /** A lock that a solver lost. The best bidder and the winner of one intent can each lose one. */
  forfeit: {
    sqlName: 'forfeit',
    key: ['sourceChainId', 'intentId', 'solver'],
    columns: {
      sourceChainId: 'int8',
      intentId: 'numeric',
      solver: 'hex',
      /** The intent's tokenA. */
      token: 'hex',
      amount: 'numeric',
      /** no_deposit: it didn't pick the intent up. not_delivered: it was the winner. */
      reason: 'text',
      forfeitTxHash: 'hex',
      forfeitedAt: 'int8',
      blockNumber: 'int8',
    },
  },
  /** The key to which a solver's recipients are sealed, set once. */
  sealingKey: {
    sqlName: 'sealing_key',
    key: ['chainId', 'solver'],
    columns: {
      chainId: 'int8',
      solver: 'hex',
      /** secp256k1, 65 bytes: 04 ‖ x ‖ y. */
      publicKey: 'hex',
      setAt: 'int8',
      setTxHash: 'hex',
    },
  },
  /** Statistics of one directed pair on one UTC day, by the source chain's events. Pair and chain totals are sums of these. */
  pairDay: {
    sqlName: 'pair_day',
    key: ['sourceChainId', 'destChainId', 'tokenA', 'tokenB', 'day'],
    columns: {
      sourceChainId: 'int8',
      destChainId: 'int8',
      tokenA: 'hex',
      tokenB: 'hex',
      /** Days since 1970-01-01 UTC, of the event counted. */
      day: 'integer',
      created: 'integer',
      bids: 'integer',
      completed: 'integer',
      cancelled: 'integer',
      expired: 'integer',
      failed: 'integer',
      /** Σ amountA of intents created, and of intents completed, that day. */
      createdVolumeA: 'numeric',
      completedVolumeA: 'numeric',
      completedVolumeB: 'numeric',
      fees: 'numeric',
      rewards: 'numeric',
      /** Accounts that created an intent of this pair that day. */
      senders: 'integer',
      /** Of these, whose first intent of the day on the source chain was of this pair: a chain's pairs add up to its senders. */
      sendersOfChain: 'integer',
      /** Completed intents by how long they took from creation to settlement: bucket (src/projection/completionTimes.ts) to count. */
      completionTimes: 'json',
    },
  },
  /** The same by hour. */
  pairHour: {
    sqlName: 'pair_hour',
    key: ['sourceChainId', 'destChainId', 'tokenA', 'tokenB', 'hour'],
    columns: {
      sourceChainId: 'int8',
      destChainId: 'int8',
      tokenA: 'hex',
      tokenB: 'hex',
      /** Hours since 1970-01-01 00:00 UTC, of the event counted. */
      hour: 'integer',
      created: 'integer',
      bids: 'integer',
      completed: 'integer',
      cancelled: 'integer',
      expired: 'integer',
      failed: 'integer',
      createdVolumeA: 'numeric',
      completedVolumeA: 'numeric',
      completedVolumeB: 'numeric',
      fees: 'numeric',
      rewards: 'numeric',
      senders: 'integer',
      sendersOfChain: 'integer',
      completionTimes: 'json',
    },
  },
  /** What one solver did with one token on one UTC day: tokenA on a source chain, tokenB where it delivered. */
  solverDay: {
    sqlName: 'solver_day',
    key: ['chainId', 'solver', 'token', 'day'],
    columns: {
      chainId: 'int8',
      solver: 'hex',
      token: 'hex',
      /** Days since 1970-01-01 UTC, of the event counted. */
      day: 'integer',
      bids: 'integer',
      wins: 'integer',
      settlements: 'integer',
      failures: 'integer',
      noShows: 'integer',
      /** Deliveries on this chain, and what they delivered. */
      deliveries: 'integer',
      delivered: 'numeric',
      /** Σ amountA, fee and payout of intents settled. */
      settledVolume: 'numeric',
      fees: 'numeric',
      paidOut: 'numeric',
      /** Locks lost. */
      forfeited: 'numeric',
      /** As in pair_day. */
      completionTimes: 'json',
    },
  },
  /** An account that created intents on one chain on one UTC day. */
  senderDay: {
    sqlName: 'sender_day',
    key: ['sourceChainId', 'day', 'sender'],
    columns: {
      sourceChainId: 'int8',
      day: 'integer',
      sender: 'hex',
      created: 'integer',
      /** Hours since 1970-01-01 00:00 UTC, of its latest intent. */
      lastHour: 'integer',
    },
  },
  /** The same by pair. */
  pairSenderDay: {
    sqlName: 'pair_sender_day',
    key: ['sourceChainId', 'destChainId', 'tokenA', 'tokenB', 'day', 'sender'],
    columns: {
      sourceChainId: 'int8',
      destChainId: 'int8',
      tokenA: 'hex',
      tokenB: 'hex',
      day: 'integer',
      sender: 'hex',
      created: 'integer',
      lastHour: 'integer',
    },
  },
  /** What a bridge owes of one token. The sum of the five equals its balance on chain. */
  escrow: {
    sqlName: 'escrow',
    key: ['chainId', 'token'],
    columns: {
      chainId: 'int8',
      token: 'hex',
      /** amountA + reward of intents that are not terminal. */
      open: 'numeric',
      /** Solvers' stakes, locked or not. */
      stakes: 'numeric',
      /** Pushes that failed and wait for their owner's claim. */
      credits: 'numeric',
      /** What a token refused to move at deliveries and waits for its recipients (this chain as destination). */
      deliveryCredits: 'numeric',
      /** Fees not yet collected by the treasury. */
      fees: 'numeric',
    },
  },
  /** One scheduled order of one chain's vault. Which orders are late, and which have stopped by the clock, is derived. */
  scheduledOrder: {
    sqlName: 'scheduled_order',
    key: ['chainId', 'orderId'],
    columns: {
      chainId: 'int8',
      /** The vault's id: keccak256 of the order as it was submitted. */
      orderId: 'hex',
      owner: 'hex',
      destChainId: 'int8',
      tokenA: 'hex',
      tokenB: 'hex',
      /** What the vault took from the owner; what each tranche puts into escrow, its reward included. */
      totalAmount: 'numeric',
      amountPerPeriod: 'numeric',
      /** Least that each tranche delivers, in base units of tokenB. */
      expectedAmountB: 'numeric',
      /** Seconds. */
      period: 'int8',
      startTime: 'int8',
      /** The later of startTime and the funding: the first tranche is due then. */
      firstAt: 'int8',
      /** Tranches are fired while block time < endTime. */
      endTime: 'int8',
      /** Signatures of different operators that each step needs. */
      quorum: 'integer',
      fundTxHash: 'hex',
      fundedAt: 'int8',
      fundedBlock: 'int8',

      tranchesFired: 'int8',
      /** Of those: settled, and cancelled or refunded. */
      tranchesCompleted: 'int8',
      tranchesRefunded: 'int8',
      lastFiredAt: 'int8?',
      /** What of the owner's tokens is in the vault; 0 once closed. */
      remaining: 'numeric',
      /** What came back to the owner from tranches that were cancelled or refunded. */
      amountRefunded: 'numeric',

      /** filled, end_time, user_cancel; null while it is open. */
      closeReason: 'text?',
      closeTxHash: 'hex?',
      closedAt: 'int8?',
      /** What went back to the owner when it was closed. */
      amountReturned: 'numeric?',

      updatedBlock: 'int8',
      updatedAt: 'int8',
    },
  },
  /** A tranche of a scheduled order: the intent that it became, on the same chain. */
  tranche: {
    sqlName: 'tranche',
    key: ['chainId', 'orderId', 'trancheIndex'],
    columns: {
      chainId: 'int8',
      orderId: 'hex',
      /** From 0. */
      trancheIndex: 'int8',
      intentId: 'numeric',
      firedTxHash: 'hex',
      firedAt: 'int8',
      blockNumber: 'int8',
    },
  },
  /** What a vault owes of one token. Its balance on chain is at least the sum of the two. */
  vaultEscrow: {
    sqlName: 'vault_escrow',
    key: ['chainId', 'token'],
    columns: {
      chainId: 'int8',
      token: 'hex',
      /** What is left of orders that aren't closed. */
      orders: 'numeric',
      /** Payments that the token refused and that wait for their owner's claim. */
      credits: 'numeric',
    },
  },
  /** One bridge contract: its terms, what it relies on, who is paid. */
  bridge: {
    sqlName: 'bridge',
    key: ['chainId'],
    columns: {
      chainId: 'int8',
      address: 'hex',
      // 32 bits without a sign: one more than `integer` has.
      minAuctionDuration: 'int8',
      firmSeconds: 'int8',
      pickupWindow: 'int8',
      executionWindow: 'int8',
      settlementGrace: 'int8',
      registry: 'hex',
      treasury: 'hex',
      forfeitReceiver: 'hex',
      creationPaused: 'boolean',
      deployedBlock: 'int8',
    },
  },
  /** Allow-list of source tokens. */
  bridgeToken: {
    sqlName: 'bridge_token',
    key: ['chainId', 'token'],
    columns: {
      chainId: 'int8',
      token: 'hex',
      /** Least and greatest escrow (amountA + reward). */
      minAmount: 'numeric',
      maxAmount: 'numeric',
      /** Signatures of different operators that its new intents need. */
      quorum: 'integer',
      listed: 'boolean',
    },
  },
  /** Allow-list of destination chains. */
  bridgeDestination: {
    sqlName: 'bridge_destination',
    key: ['chainId', 'destChainId'],
    columns: {
      chainId: 'int8',
      destChainId: 'int8',
      listed: 'boolean',
    },
  },
  /** Contracts that may create intents for users. */
  bridgePeriphery: {
    sqlName: 'bridge_periphery',
    key: ['chainId', 'periphery'],
    columns: {
      chainId: 'int8',
      periphery: 'hex',
      listed: 'boolean',
    },
  },
  /** Changes to a list or the treasury that the owner announced. A removal needs none, and voids those about its entry. */
  bridgeAnnouncement: {
    sqlName: 'bridge_announcement',
    key: ['chainId', 'changeId'],
    columns: {
      chainId: 'int8',
      /** keccak256 of the change. */
      changeId: 'hex',
      /** The ABI-encoded call that enacts it. */
      change: 'hex',
      announcedAt: 'int8',
      /** Anyone can enact it from here on. */
      activeAt: 'int8',
      withdrawnAt: 'int8?',
      enactedAt: 'int8?',
    },
  },
} as const satisfies { [table: string]: StatedTable }
