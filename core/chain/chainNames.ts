/** Protocol names of the chains and their EIP-155 ids. */
const CHAIN_IDS = {
  horizen_mainnet: 26514,
  horizen_testnet: 2651420,
  base_mainnet: 8453,
  base_sepolia: 84532,
  polygon_mainnet: 137,
  polygon_amoy: 80002,
  ethereum_mainnet: 1,
  ethereum_sepolia: 11155111,
  optimism_mainnet: 10,
  optimism_sepolia: 11155420,
  rari_mainnet: 1380012617,
  rari_testnet: 1918988905,
} as const satisfies Record<string, number>

/** A protocol chain name in canonical form (never an alias). */
type ChainName = keyof typeof CHAIN_IDS

const NAMES = new Map<number, ChainName>()
/** Accepted names: the canonical ones and `<chain>_testnet` for every testnet. */
const IDS = new Map<string, number>()

for (const [name, id] of Object.entries(CHAIN_IDS) as [ChainName, number][]) {
  NAMES.set(id, name)
  IDS.set(name, id)
  if (!name.endsWith('_mainnet')) IDS.set(`${name.slice(0, name.indexOf('_'))}_testnet`, id)
}

/** Canonical name of a chain id, or null when the protocol doesn't name it. */
export function findChainName(chainId: number): ChainName | null {
  return NAMES.get(chainId) ?? null
}

/** Chain id of a canonical name or a `<chain>_testnet` alias, or null when there is none. Case matters. */
export function findChainId(name: string): number | null {
  return IDS.get(name) ?? null
}

/** Whether the id belongs to a mainnet of the protocol, where real money is at stake. */
export function isMainnet(chainId: number): boolean {
  return NAMES.get(chainId)?.endsWith('_mainnet') ?? false
}
