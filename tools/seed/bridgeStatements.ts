import {
  FIRST_BLOCK,
  genesisOf,
  QUORUM,
  type SeedPlan,
  SOLVERS,
  STAKE,
  TOKENS,
  WINDOWS,
} from './seedPlan.ts'
import { accountOf, SEED_SCHEMA, tokenOf } from './seedSqlFunctions.ts'

/** The bridge's address, the same on both chains. */
export const BRIDGE = accountOf('bridge', 0)

const LEAST = 10_000n
const MOST = 10n ** 30n

type SeededEvent = [type: string, args: Record<string, string>]

/** One chain's bridge, its allow-lists, its solvers' keys and stakes, and their events. */
export function buildBridgeStatements(plan: SeedPlan, chain: 0 | 1): string[] {
  const { chainId, schema } = plan.chains[chain]
  const destination = plan.chains[chain === 0 ? 1 : 0].chainId
  const [registry, treasury] = [accountOf('registry', 0), accountOf('treasury', 0)]
  const forfeitReceiver = accountOf('nobody', 0)
  const deployed = {
    registry,
    treasury,
    forfeitReceiver,
    minAuctionDuration: String(WINDOWS.minAuction),
    firmSeconds: String(WINDOWS.firm),
    pickupWindow: String(WINDOWS.pickup),
    executionWindow: String(WINDOWS.execution),
    settlementGrace: String(WINDOWS.grace),
  }
  const listing = { minAmount: String(LEAST), maxAmount: String(MOST), quorum: String(QUORUM) }
  const events: SeededEvent[] = [
    ['BridgeDeployed', deployed],
    ...TOKENS.map(
      ({ symbol }): SeededEvent => ['TokenListed', { token: tokenOf(symbol, chainId), ...listing }],
    ),
    ['DestinationListed', { destChainId: String(destination) }],
    ...solverEvents(chainId),
  ]
  return [
    `insert into "${schema}".bridge values (${chainId}, '${BRIDGE}', ${WINDOWS.minAuction}, ${WINDOWS.firm},
      ${WINDOWS.pickup}, ${WINDOWS.execution}, ${WINDOWS.grace}, '${registry}', '${treasury}',
      '${forfeitReceiver}', false, ${FIRST_BLOCK})`,
    ...TOKENS.map(
      ({ symbol }) =>
        `insert into "${schema}".bridge_token values (${chainId}, '${tokenOf(symbol, chainId)}', ${LEAST}, ${MOST}, ${QUORUM}, true)`,
    ),
    `insert into "${schema}".bridge_destination values (${chainId}, ${destination}, true)`,
    ...events.map((event, index) => insertEvent(plan, chain, event, index)),
    `insert into "${schema}".sealing_key (chain_id, solver, public_key, set_at, set_tx_hash)
     select ${chainId}, args ->> 'solver', '0x04' || lpad(to_hex((args ->> 'x')::bigint), 64, '0')
       || lpad(to_hex((args ->> 'y')::bigint), 64, '0'), block_timestamp, transaction_hash
     from "${schema}".event where type = 'SealingKeySet'`,
  ]
}

/** A key for every solver, and a stake in every token. */
function solverEvents(chainId: number): SeededEvent[] {
  const solvers = Array.from({ length: SOLVERS }, (_, n) => ({ n, solver: accountOf('solver', n) }))
  return solvers.flatMap(({ n, solver }): SeededEvent[] => [
    ['SealingKeySet', { solver, x: String(n + 1), y: String(n + 2) }],
    ...TOKENS.map(
      ({ symbol }): SeededEvent => [
        'StakeAdded',
        { solver, token: tokenOf(symbol, chainId), amount: String(STAKE) },
      ],
    ),
  ])
}

function insertEvent(
  plan: SeedPlan,
  chain: 0 | 1,
  [type, args]: SeededEvent,
  index: number,
): string {
  const { chainId, schema } = plan.chains[chain]
  return `insert into "${schema}".event (chain_id, block_number, log_index, block_hash, block_timestamp,
       transaction_hash, transaction_from, type, args)
     values (${chainId}, ${FIRST_BLOCK}, ${index}, ${SEED_SCHEMA}.hash(${chainId}, ${FIRST_BLOCK}, -1),
       ${genesisOf(plan)}, ${SEED_SCHEMA}.hash(${chainId}, ${index}, -2), '${args.solver ?? accountOf('deployer', 0)}',
       '${type}', '${JSON.stringify(args)}')`
}
