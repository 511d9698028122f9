import { accountOf, tokenOf, WORKSHOP } from './seedFunctions.ts'
import { FIRST_BLOCK, genesisOf, type SeedPlan, TOKENS, WINDOWS } from './seedPlan.ts'

/** The bridge's address, the same on both chains. */
export const BRIDGE = accountOf('bridge', 0)

const MOST = 10n ** 30n

/** The bridge of one chain, its allow-lists, and the events that tell of them. */
export function bridgeStatements(plan: SeedPlan, chain: 0 | 1): string[] {
  const { chainId, schema } = plan.chains[chain]
  const destination = plan.chains[chain === 0 ? 1 : 0].chainId
  const [relayer, treasury] = [accountOf('relayer', 0), accountOf('treasury', 0)]
  const deployed = {
    relayer,
    treasury,
    pickupWindow: String(WINDOWS.pickup),
    executionWindow: String(WINDOWS.execution),
    settlementGrace: String(WINDOWS.grace),
  }
  const events: [string, Record<string, string>][] = [
    ['BridgeDeployed', deployed],
    ...TOKENS.map(({ symbol }): [string, Record<string, string>] => [
      'TokenListed',
      { token: tokenOf(symbol, chainId), minAmount: '1', maxAmount: String(MOST) },
    ]),
    ['DestinationListed', { destChainId: String(destination) }],
  ]
  return [
    `insert into "${schema}".bridge values (${chainId}, '${BRIDGE}', ${WINDOWS.pickup}, ${WINDOWS.execution},
      ${WINDOWS.grace}, '${relayer}', '${treasury}', false, ${FIRST_BLOCK})`,
    ...TOKENS.map(
      ({ symbol }) =>
        `insert into "${schema}".bridge_token values (${chainId}, '${tokenOf(symbol, chainId)}', 1, ${MOST}, true)`,
    ),
    `insert into "${schema}".bridge_destination values (${chainId}, ${destination}, true)`,
    ...events.map(
      ([type, args], index) =>
        `insert into "${schema}".event (chain_id, block_number, log_index, block_hash, block_timestamp,
           transaction_hash, transaction_from, type, args)
         values (${chainId}, ${FIRST_BLOCK}, ${index}, ${WORKSHOP}.hash(${chainId}, ${FIRST_BLOCK}, -1),
           ${genesisOf(plan)}, ${WORKSHOP}.hash(${chainId}, ${index}, -2), '${accountOf('deployer', 0)}',
           '${type}', '${JSON.stringify(args)}')`,
    ),
  ]
}
