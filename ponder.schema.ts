/**
 * The tables that Ponder writes: an append-only `event` table and the projections folded from it.
 *
 * Every row belongs to one chain, named by the first column of its primary key, and only that
 * chain's events write it (docs/architecture.md, law 8). What an intent's destination chain says
 * about it is a `delivery` row of its own; the two meet when they are read.
 *
 * Units: amounts are integers in token base units (`numeric(78,0)`), times are unix seconds of the
 * block, addresses and hashes are lower-case hex text.
 */
import { index, onchainTable, primaryKey } from 'ponder'

/** One log of a bridge or a vault, decoded. Append-only. */
export const event = onchainTable(
  'event',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    blockNumber: t.int8({ mode: 'number' }).notNull(),
    logIndex: t.integer().notNull(),
    blockHash: t.hex().notNull(),
    blockTimestamp: t.int8({ mode: 'number' }).notNull(),
    transactionHash: t.hex().notNull(),
    /** Account that sent the transaction (not necessarily the intent's sender). */
    transactionFrom: t.hex().notNull(),
    /** Solidity event name, e.g. `IntentCreated`; a vault's credits are `VaultCreditAdded`, `VaultCreditClaimed`. */
    type: t.text().notNull(),
    /** Source chain of the intent concerned; null for events about no intent. */
    sourceChainId: t.int8({ mode: 'number' }),
    /** Packed id `(chainId << 64) | sequence`; null for events about no intent. */
    intentId: t.bigint(),
    /** Arguments by their Solidity names; integers as decimal strings, hex as lower-case strings. */
    args: t.jsonb().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.blockNumber, table.logIndex] }),
    intentIdx: index().on(table.sourceChainId, table.intentId, table.type),
    typeIdx: index().on(
      table.type,
      table.blockTimestamp,
      table.chainId,
      table.blockNumber,
      table.logIndex,
    ),
    timeIdx: index().on(table.blockTimestamp, table.chainId, table.blockNumber, table.logIndex),
    transactionIdx: index().on(table.transactionHash),
  }),
)

/** What the source chain says of an intent. */
export const intent = onchainTable(
  'intent',
  (t) => ({
    sourceChainId: t.int8({ mode: 'number' }).notNull(),
    intentId: t.bigint().notNull(),
    /** keccak256 of chain, bridge, sender and the seven arguments of createIntent. */
    paramsHash: t.hex().notNull(),
    /** The source chain's own state: open, bidding, deposited, completed, cancelled, expired, failed. */
    phase: t.text().notNull(),

    sender: t.hex().notNull(),
    destChainId: t.int8({ mode: 'number' }).notNull(),
    tokenA: t.hex().notNull(),
    tokenB: t.hex().notNull(),
    amountA: t.bigint().notNull(),
    expectedAmountB: t.bigint().notNull(),
    reward: t.bigint().notNull(),
    /** The auction takes bids while block time < endTime. */
    endTime: t.int8({ mode: 'number' }).notNull(),
    /** From here on recipients stand, and an intent with a bid can't be cancelled. */
    firmAt: t.int8({ mode: 'number' }).notNull(),
    /** endTime + 2 pickup windows: from here on an intent with bids but no deposit is expired. */
    pickupDeadline: t.int8({ mode: 'number' }).notNull(),
    createTxHash: t.hex().notNull(),
    createdAt: t.int8({ mode: 'number' }).notNull(),
    createdBlock: t.int8({ mode: 'number' }).notNull(),

    /** Signatures that a reveal, a settlement or a NotDelivered needs: the token's at the creation. */
    quorum: t.integer().notNull(),

    /** The scheduled order of which it is a tranche, and its number there, from 0; null if of none. */
    orderId: t.hex(),
    trancheIndex: t.int8({ mode: 'number' }),

    /** 250 (unshielded) or 700 (shielded) once anchored. */
    feeBps: t.integer(),
    /** Most recipients of the delivery, a power of two, once anchored. */
    recipientClass: t.integer(),
    anchorTxHash: t.hex(),
    anchoredAt: t.int8({ mode: 'number' }),
    /** Recovery blobs on chain before firmAt (created, anchored, appended), non-empty ones. */
    blobCount: t.integer().notNull(),
    /** The contract's commitment to those blobs; zero while there is none. */
    blobsHash: t.hex().notNull(),

    bidCount: t.integer().notNull(),
    bestBid: t.bigint(),
    bestBidder: t.hex(),

    /** The winner: whoever picked the intent up. */
    solver: t.hex(),
    /** Amount of tokenB the winner committed to. */
    winningAmountB: t.bigint(),
    /** What the winner has locked of its stake, in base units of tokenA. */
    bond: t.bigint(),
    fillDeadline: t.int8({ mode: 'number' }),
    depositTxHash: t.hex(),
    depositedAt: t.int8({ mode: 'number' }),
    /** The winner said on chain that it hadn't been told the recipients; they were put on chain. */
    askedAt: t.int8({ mode: 'number' }),
    askTxHash: t.hex(),
    revealedAt: t.int8({ mode: 'number' }),
    revealTxHash: t.hex(),

    settleTxHash: t.hex(),
    settledAt: t.int8({ mode: 'number' }),
    payout: t.bigint(),
    fee: t.bigint(),
    /** Delivery that the settlement names. */
    chain2IntentId: t.bigint(),
    attester: t.hex(),

    cancelTxHash: t.hex(),
    cancelledAt: t.int8({ mode: 'number' }),

    refundTxHash: t.hex(),
    refundedAt: t.int8({ mode: 'number' }),
    /** Amount that went back to the sender, by cancel or by refund. */
    refundAmount: t.bigint(),
    /** What the best bidder or winner lost of its stake by the refund. */
    forfeitedBond: t.bigint(),

    /** Block of the latest event folded into this row. */
    updatedBlock: t.int8({ mode: 'number' }).notNull(),
    updatedAt: t.int8({ mode: 'number' }).notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.sourceChainId, table.intentId] }),
    createdIdx: index().on(table.createdAt, table.intentId),
    phaseIdx: index().on(table.phase, table.createdAt, table.intentId),
    destIdx: index().on(table.destChainId, table.createdAt, table.intentId),
    senderIdx: index().on(table.sender, table.createdAt, table.intentId),
    solverIdx: index().on(table.solver, table.createdAt, table.intentId),
    tokenAIdx: index().on(table.tokenA, table.createdAt, table.intentId),
    tokenBIdx: index().on(table.tokenB, table.createdAt, table.intentId),
    amountIdx: index().on(table.amountA, table.intentId),
    rewardIdx: index().on(table.reward, table.intentId),
    endTimeIdx: index().on(table.endTime, table.intentId),
    updatedIdx: index().on(table.updatedAt, table.intentId),
    settledIdx: index().on(table.settledAt, table.intentId),
    feeIdx: index().on(table.fee, table.intentId),
  }),
)

/** What a destination chain says of an intent: one `solveIntent` by one solver. */
export const delivery = onchainTable(
  'delivery',
  (t) => ({
    destChainId: t.int8({ mode: 'number' }).notNull(),
    chain2IntentId: t.bigint().notNull(),
    sourceChainId: t.int8({ mode: 'number' }).notNull(),
    intentId: t.bigint().notNull(),
    /** Terms of that intent, as the solver named them. */
    paramsHash: t.hex().notNull(),
    solver: t.hex().notNull(),
    tokenB: t.hex().notNull(),
    amountB: t.bigint().notNull(),
    /** Of amountB, what the token refused to move: it waits in the bridge for its recipients. */
    credited: t.bigint().notNull(),
    solveTxHash: t.hex().notNull(),
    solvedAt: t.int8({ mode: 'number' }).notNull(),
    solvedBlock: t.int8({ mode: 'number' }).notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.destChainId, table.chain2IntentId] }),
    intentIdx: index().on(table.sourceChainId, table.intentId, table.solver),
    solverIdx: index().on(table.solver, table.solvedAt),
  }),
)

/** One bid, in the order of the auction. */
export const bid = onchainTable(
  'bid',
  (t) => ({
    sourceChainId: t.int8({ mode: 'number' }).notNull(),
    intentId: t.bigint().notNull(),
    /** 1 for the intent's first bid, and so on. */
    bidIndex: t.integer().notNull(),
    solver: t.hex().notNull(),
    amountB: t.bigint().notNull(),
    bidTxHash: t.hex().notNull(),
    bidAt: t.int8({ mode: 'number' }).notNull(),
    blockNumber: t.int8({ mode: 'number' }).notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.sourceChainId, table.intentId, table.bidIndex] }),
    solverIdx: index().on(table.solver, table.bidAt),
  }),
)

/** One solver's record on one chain. Bids, wins, settlements and failures count on the source chain, deliveries on the destination. */
export const solverRecord = onchainTable(
  'solver_record',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    solver: t.hex().notNull(),
    bids: t.integer().notNull(),
    wins: t.integer().notNull(),
    deliveries: t.integer().notNull(),
    settlements: t.integer().notNull(),
    /** Winners' locks lost here: it didn't deliver. */
    failures: t.integer().notNull(),
    /** Best bidders' locks lost here: it didn't pick up what it had bid for. */
    noShows: t.integer().notNull(),
    firstSeen: t.int8({ mode: 'number' }).notNull(),
    lastSeen: t.int8({ mode: 'number' }).notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.solver] }),
    solverIdx: index().on(table.solver),
  }),
)

/** What one solver moved of one token on one chain. */
export const solverVolume = onchainTable(
  'solver_volume',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    solver: t.hex().notNull(),
    token: t.hex().notNull(),
    /** Delivered to recipients here (this chain as destination). */
    delivered: t.bigint().notNull(),
    /** Paid out by settlements here (this chain as source). */
    paidOut: t.bigint().notNull(),
    /** Locks lost here. */
    forfeited: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.solver, table.token] }) }),
)

/** What backs one solver's bids in one token on one chain. */
export const solverStake = onchainTable(
  'solver_stake',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    solver: t.hex().notNull(),
    token: t.hex().notNull(),
    /** All of its stake, what is locked included. */
    staked: t.bigint().notNull(),
    /** Of that, what backs its best bids and its wins. */
    locked: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.solver, table.token] }),
    solverIdx: index().on(table.solver),
  }),
)

/** A lock that a solver lost. The best bidder and the winner of one intent can each lose one. */
export const forfeit = onchainTable(
  'forfeit',
  (t) => ({
    sourceChainId: t.int8({ mode: 'number' }).notNull(),
    intentId: t.bigint().notNull(),
    solver: t.hex().notNull(),
    /** The intent's tokenA. */
    token: t.hex().notNull(),
    amount: t.bigint().notNull(),
    /** no_deposit: it didn't pick the intent up. not_delivered: it was the winner. */
    reason: t.text().notNull(),
    forfeitTxHash: t.hex().notNull(),
    forfeitedAt: t.int8({ mode: 'number' }).notNull(),
    blockNumber: t.int8({ mode: 'number' }).notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.sourceChainId, table.intentId, table.solver] }),
    solverIdx: index().on(table.solver, table.forfeitedAt),
  }),
)

/** The key to which a solver's recipients are sealed, set once and for good. */
export const sealingKey = onchainTable(
  'sealing_key',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    solver: t.hex().notNull(),
    /** secp256k1, 65 bytes: 04 ‖ x ‖ y. */
    publicKey: t.hex().notNull(),
    setAt: t.int8({ mode: 'number' }).notNull(),
    setTxHash: t.hex().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.solver] }),
    solverIdx: index().on(table.solver),
  }),
)

/** Statistics of one directed pair on one UTC day, by the source chain's events. Pair and chain totals are sums of these. */
export const pairDay = onchainTable(
  'pair_day',
  (t) => ({
    sourceChainId: t.int8({ mode: 'number' }).notNull(),
    destChainId: t.int8({ mode: 'number' }).notNull(),
    tokenA: t.hex().notNull(),
    tokenB: t.hex().notNull(),
    /** Days since 1970-01-01 UTC, of the event counted. */
    day: t.integer().notNull(),
    created: t.integer().notNull(),
    bids: t.integer().notNull(),
    completed: t.integer().notNull(),
    cancelled: t.integer().notNull(),
    expired: t.integer().notNull(),
    failed: t.integer().notNull(),
    /** Σ amountA of intents created, and of intents completed, that day. */
    createdVolumeA: t.bigint().notNull(),
    completedVolumeA: t.bigint().notNull(),
    completedVolumeB: t.bigint().notNull(),
    fees: t.bigint().notNull(),
    rewards: t.bigint().notNull(),
    /** Accounts that created an intent of this pair that day. */
    senders: t.integer().notNull(),
    /** Of these, whose first intent of the day on the source chain was of this pair: a chain's pairs add up to its senders. */
    sendersOfChain: t.integer().notNull(),
    /** Completed intents by how long they took from creation to settlement: bucket (src/projection/completionTimes.ts) to count. */
    completionTimes: t.jsonb().notNull(),
  }),
  (table) => ({
    pk: primaryKey({
      columns: [table.sourceChainId, table.destChainId, table.tokenA, table.tokenB, table.day],
    }),
    dayIdx: index().on(table.day),
  }),
)

/** The same by hour. */
export const pairHour = onchainTable(
  'pair_hour',
  (t) => ({
    sourceChainId: t.int8({ mode: 'number' }).notNull(),
    destChainId: t.int8({ mode: 'number' }).notNull(),
    tokenA: t.hex().notNull(),
    tokenB: t.hex().notNull(),
    /** Hours since 1970-01-01 00:00 UTC, of the event counted. */
    hour: t.integer().notNull(),
    created: t.integer().notNull(),
    bids: t.integer().notNull(),
    completed: t.integer().notNull(),
    cancelled: t.integer().notNull(),
    expired: t.integer().notNull(),
    failed: t.integer().notNull(),
    createdVolumeA: t.bigint().notNull(),
    completedVolumeA: t.bigint().notNull(),
    completedVolumeB: t.bigint().notNull(),
    fees: t.bigint().notNull(),
    rewards: t.bigint().notNull(),
    senders: t.integer().notNull(),
    sendersOfChain: t.integer().notNull(),
    completionTimes: t.jsonb().notNull(),
  }),
  (table) => ({
    pk: primaryKey({
      columns: [table.sourceChainId, table.destChainId, table.tokenA, table.tokenB, table.hour],
    }),
    hourIdx: index().on(table.hour),
  }),
)

/** What one solver did with one token on one UTC day: tokenA on a source chain, tokenB where it delivered. */
export const solverDay = onchainTable(
  'solver_day',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    solver: t.hex().notNull(),
    token: t.hex().notNull(),
    /** Days since 1970-01-01 UTC, of the event counted. */
    day: t.integer().notNull(),
    bids: t.integer().notNull(),
    wins: t.integer().notNull(),
    settlements: t.integer().notNull(),
    failures: t.integer().notNull(),
    noShows: t.integer().notNull(),
    /** Deliveries on this chain, and what they delivered. */
    deliveries: t.integer().notNull(),
    delivered: t.bigint().notNull(),
    /** Σ amountA, fee and payout of intents settled. */
    settledVolume: t.bigint().notNull(),
    fees: t.bigint().notNull(),
    paidOut: t.bigint().notNull(),
    /** Locks lost. */
    forfeited: t.bigint().notNull(),
    /** As in pair_day. */
    completionTimes: t.jsonb().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.solver, table.token, table.day] }),
    solverIdx: index().on(table.solver, table.day),
    dayIdx: index().on(table.day),
  }),
)

/** An account that created intents on one chain on one UTC day. */
export const senderDay = onchainTable(
  'sender_day',
  (t) => ({
    sourceChainId: t.int8({ mode: 'number' }).notNull(),
    day: t.integer().notNull(),
    sender: t.hex().notNull(),
    created: t.integer().notNull(),
    /** Hours since 1970-01-01 00:00 UTC, of its latest intent. */
    lastHour: t.integer().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.sourceChainId, table.day, table.sender] }) }),
)

/** The same by pair. */
export const pairSenderDay = onchainTable(
  'pair_sender_day',
  (t) => ({
    sourceChainId: t.int8({ mode: 'number' }).notNull(),
    destChainId: t.int8({ mode: 'number' }).notNull(),
    tokenA: t.hex().notNull(),
    tokenB: t.hex().notNull(),
    day: t.integer().notNull(),
    sender: t.hex().notNull(),
    created: t.integer().notNull(),
    lastHour: t.integer().notNull(),
  }),
  (table) => ({
    pk: primaryKey({
      columns: [
        table.sourceChainId,
        table.destChainId,
        table.tokenA,
        table.tokenB,
        table.day,
        table.sender,
      ],
    }),
  }),
)

/** What a bridge owes of one token. The sum of the five equals its balance on chain. */
export const escrow = onchainTable(
  'escrow',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    token: t.hex().notNull(),
    /** amountA + reward of intents that are not terminal. */
    open: t.bigint().notNull(),
    /** Solvers' stakes, locked or not. */
    stakes: t.bigint().notNull(),
    /** Pushes that failed and wait for their owner's claim. */
    credits: t.bigint().notNull(),
    /** What a token refused to move at deliveries and waits for its recipients (this chain as destination). */
    deliveryCredits: t.bigint().notNull(),
    /** Fees not yet collected by the treasury. */
    fees: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.token] }) }),
)

/** One scheduled order of one chain's vault. Which orders are late, and which have stopped by the clock, is derived. */
export const scheduledOrder = onchainTable(
  'scheduled_order',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    /** The vault's id: keccak256 of the order as it was submitted. */
    orderId: t.hex().notNull(),
    owner: t.hex().notNull(),
    destChainId: t.int8({ mode: 'number' }).notNull(),
    tokenA: t.hex().notNull(),
    tokenB: t.hex().notNull(),
    /** What the vault took from the owner; what each tranche puts into escrow, its reward included. */
    totalAmount: t.bigint().notNull(),
    amountPerPeriod: t.bigint().notNull(),
    /** Least that each tranche delivers, in base units of tokenB. */
    expectedAmountB: t.bigint().notNull(),
    /** Seconds. */
    period: t.int8({ mode: 'number' }).notNull(),
    startTime: t.int8({ mode: 'number' }).notNull(),
    /** The later of startTime and the funding: the first tranche is due then. */
    firstAt: t.int8({ mode: 'number' }).notNull(),
    /** Tranches are fired while block time < endTime. */
    endTime: t.int8({ mode: 'number' }).notNull(),
    /** Signatures of different operators that each step needs. */
    quorum: t.integer().notNull(),
    fundTxHash: t.hex().notNull(),
    fundedAt: t.int8({ mode: 'number' }).notNull(),
    fundedBlock: t.int8({ mode: 'number' }).notNull(),

    tranchesFired: t.int8({ mode: 'number' }).notNull(),
    /** Of those: settled, and cancelled or refunded. */
    tranchesCompleted: t.int8({ mode: 'number' }).notNull(),
    tranchesRefunded: t.int8({ mode: 'number' }).notNull(),
    lastFiredAt: t.int8({ mode: 'number' }),
    /** What of the owner's tokens is in the vault; 0 once closed. */
    remaining: t.bigint().notNull(),
    /** What came back to the owner from tranches that were cancelled or refunded. */
    amountRefunded: t.bigint().notNull(),

    /** filled, end_time, user_cancel; null while it is open. */
    closeReason: t.text(),
    closeTxHash: t.hex(),
    closedAt: t.int8({ mode: 'number' }),
    /** What went back to the owner when it was closed. */
    amountReturned: t.bigint(),

    updatedBlock: t.int8({ mode: 'number' }).notNull(),
    updatedAt: t.int8({ mode: 'number' }).notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.orderId] }),
    idIdx: index().on(table.orderId),
    fundedIdx: index().on(table.fundedAt, table.orderId),
    ownerIdx: index().on(table.owner, table.fundedAt, table.orderId),
    openIdx: index().on(table.closedAt, table.endTime),
  }),
)

/** A tranche of a scheduled order: the intent that it became, on the same chain. */
export const tranche = onchainTable(
  'tranche',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    orderId: t.hex().notNull(),
    /** From 0. */
    trancheIndex: t.int8({ mode: 'number' }).notNull(),
    intentId: t.bigint().notNull(),
    firedTxHash: t.hex().notNull(),
    firedAt: t.int8({ mode: 'number' }).notNull(),
    blockNumber: t.int8({ mode: 'number' }).notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.orderId, table.trancheIndex] }) }),
)

/** What a vault owes of one token. Its balance on chain is at least the sum of the two. */
export const vaultEscrow = onchainTable(
  'vault_escrow',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    token: t.hex().notNull(),
    /** What is left of orders that aren't closed. */
    orders: t.bigint().notNull(),
    /** Payments that the token refused and that wait for their owner's claim. */
    credits: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.token] }) }),
)

/** One bridge contract: its terms, what it relies on, who is paid. */
export const bridge = onchainTable('bridge', (t) => ({
  chainId: t.int8({ mode: 'number' }).primaryKey(),
  address: t.hex().notNull(),
  // 32 bits without a sign: one more than `integer` has.
  minAuctionDuration: t.int8({ mode: 'number' }).notNull(),
  firmSeconds: t.int8({ mode: 'number' }).notNull(),
  pickupWindow: t.int8({ mode: 'number' }).notNull(),
  executionWindow: t.int8({ mode: 'number' }).notNull(),
  settlementGrace: t.int8({ mode: 'number' }).notNull(),
  registry: t.hex().notNull(),
  treasury: t.hex().notNull(),
  forfeitReceiver: t.hex().notNull(),
  creationPaused: t.boolean().notNull(),
  deployedBlock: t.int8({ mode: 'number' }).notNull(),
}))

/** Allow-list of source tokens. */
export const bridgeToken = onchainTable(
  'bridge_token',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    token: t.hex().notNull(),
    /** Least and greatest escrow (amountA + reward). */
    minAmount: t.bigint().notNull(),
    maxAmount: t.bigint().notNull(),
    /** Signatures of different operators that its new intents need. */
    quorum: t.integer().notNull(),
    listed: t.boolean().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.token] }) }),
)

/** Allow-list of destination chains. */
export const bridgeDestination = onchainTable(
  'bridge_destination',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    destChainId: t.int8({ mode: 'number' }).notNull(),
    listed: t.boolean().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.destChainId] }) }),
)

/** Contracts that may create intents for users. */
export const bridgePeriphery = onchainTable(
  'bridge_periphery',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    periphery: t.hex().notNull(),
    listed: t.boolean().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.periphery] }) }),
)

/** Changes to a list or the treasury that the owner announced. Removals need no announcement. */
export const bridgeAnnouncement = onchainTable(
  'bridge_announcement',
  (t) => ({
    chainId: t.int8({ mode: 'number' }).notNull(),
    /** keccak256 of the change. */
    changeId: t.hex().notNull(),
    /** The ABI-encoded call that enacts it. */
    change: t.hex().notNull(),
    announcedAt: t.int8({ mode: 'number' }).notNull(),
    /** Anyone can enact it from here on. */
    activeAt: t.int8({ mode: 'number' }).notNull(),
    withdrawnAt: t.int8({ mode: 'number' }),
    enactedAt: t.int8({ mode: 'number' }),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.changeId] }) }),
)
