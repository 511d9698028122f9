import type { Address } from 'viem'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import type {
  ChainSnapshot,
  IntentSnapshot,
  Snapshot,
} from '../../../services/solver/plan/solverSnapshot.ts'
import type { Policy } from '../../../services/solver/policy/policy.ts'
import type { PolicyFile } from '../../../services/solver/policy/policySchema.ts'
import { resolvePolicyFile } from '../../../services/solver/policy/resolvePolicyFile.ts'

export const BASE = 84532
export const HORIZEN = 2651420
export const US: Address = '0x1111111111111111111111111111111111111111'
export const RIVAL: Address = '0x2222222222222222222222222222222222222222'
/** USDC and WETH have these addresses on both chains. */
export const USDC: Address = '0x3333333333333333333333333333333333333333'
export const WETH: Address = '0x4444444444444444444444444444444444444444'

const chain = (name: string, chainId: number): ChainConfig => ({
  name,
  chainId,
  rpcUrls: ['http://127.0.0.1:1'],
  bridge: '0x5555555555555555555555555555555555555555',
  startBlock: 0,
  confirmations: 2,
  tokens: {
    USDC: { address: USDC, decimals: 6 },
    WETH: { address: WETH, decimals: 18 },
  },
})

export const CHAINS = [chain('base_sepolia', BASE), chain('horizen_testnet', HORIZEN)]

export const POLICY_FILE: PolicyFile = {
  prices: { USDC: '1', WETH: '3000' },
  marginBps: 100,
  stakes: { USDC: '1000', WETH: '1' },
  deliverySafetySeconds: 60,
}

export function policyOf(changes: Partial<PolicyFile> = {}): Policy {
  return resolvePolicyFile({ ...POLICY_FILE, ...changes }, CHAINS, 'policy.json')
}

/** 1,000 USDC for 950 USDC, anchored unshielded (975 USDC after the fee), firm at 70, auction until 100. */
export const OPEN: IntentSnapshot = {
  sourceChainId: BASE,
  intentId: 1n,
  destChainId: HORIZEN,
  phase: 'open',
  tokenA: USDC,
  tokenB: USDC,
  amountA: 1_000_000_000n,
  expectedAmountB: 950_000_000n,
  reward: 0n,
  paramsHash: `0x${'a1'.repeat(32)}`,
  blobsHash: `0x${'b2'.repeat(32)}`,
  endTime: 100,
  firmAt: 70,
  feeBps: 250,
  recipientClass: 1,
  quorum: 1,
  asked: false,
  revealed: false,
  solver: null,
  amountB: 0n,
  fillDeadline: 0,
  isConfirmed: true,
  delivery: null,
}

/** The lock for an intent of 1,000 USDC. */
export const BOND = 50_000_000n

function chainAt(
  chainId: number,
  time: number,
  changes: Partial<ChainSnapshot> = {},
): ChainSnapshot {
  const plenty = new Map([
    [USDC, 10n ** 12n],
    [WETH, 10n ** 21n],
  ])
  return {
    chainId,
    time,
    clock: time,
    blockNumber: 1n,
    blockSeconds: 2,
    isStalled: false,
    pickupWindow: 10,
    executionWindow: 200,
    gasPrice: 10n ** 9n,
    likelyGasPrice: 5n * 10n ** 8n,
    gasPriceCap: 10n ** 10n,
    blockGas: 30_000_000n,
    native: 10n ** 18n,
    balances: plenty,
    allowances: plenty,
    decimals: new Map(),
    stakes: new Map([
      [USDC, { total: 1_000_000_000n, locked: 0n }],
      [WETH, { total: 10n ** 18n, locked: 0n }],
    ]),
    credits: new Map(),
    sealingKey: 'ours',
    ...changes,
  }
}

export function snapshotOf(
  time: number,
  intents: IntentSnapshot[],
  changes: {
    pending?: Snapshot['pending']
    isWhole?: boolean
    source?: Partial<ChainSnapshot>
    destination?: Partial<ChainSnapshot>
  } = {},
): Snapshot {
  return {
    solver: US,
    chains: new Map([
      [BASE, chainAt(BASE, time, changes.source)],
      [HORIZEN, chainAt(HORIZEN, time, changes.destination)],
    ]),
    intents,
    pending: changes.pending ?? [],
    isWhole: changes.isWhole ?? true,
  }
}
