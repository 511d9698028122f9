import {
  type Address,
  createPublicClient,
  createWalletClient,
  http,
  isAddress,
  type PublicClient,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { DevnetFile } from '../devnet/devnetFile.ts'
import { type CairnChain, type CairnClient, createCairnClient } from '../sdk/index.ts'
import { ExampleError } from './runExample.ts'

type ExampleChain = CairnChain & {
  rpc: string
  publicClient: PublicClient
  usdc: Address
  /** `OrderVault`. */
  vault: Address
}

/** Where an example runs. */
export type ExampleSetup = {
  /** Base URL of the relayer. */
  api: string
  source: ExampleChain
  destination: ExampleChain
  /** Has USDC and gas on the source chain. */
  sender: PrivateKeyAccount
}

/** An example's setup on a devnet: one of the guests sends USDC from Horizen to Base. */
export function setUpExample({ api, chains, accounts }: DevnetFile, guest: number): ExampleSetup {
  const findChain = (wanted: string): ExampleChain => {
    const chain = chains.find(({ name }) => name === wanted)
    const usdc = chain?.tokens.USDC
    if (chain === undefined || usdc === undefined) throw new Error(`the devnet has no ${wanted}`)
    const publicClient = createPublicClient({ transport: http(chain.rpc), pollingInterval: 250 })
    return { ...chain, usdc, publicClient }
  }
  const key = accounts.guests[guest]
  if (key === undefined) {
    throw new ExampleError(`--guest must be 0 to ${accounts.guests.length - 1}`)
  }
  const [source, destination] = [findChain('horizen_testnet'), findChain('base_sepolia')]
  return { api, source, destination, sender: privateKeyToAccount(key) }
}

/** The SDK's client for an account. */
export function createClient(
  { api, source, destination }: ExampleSetup,
  account: PrivateKeyAccount,
): CairnClient {
  return createCairnClient({
    relayer: { baseUrl: api, requestTimeoutMs: 30_000 },
    chains: [source, destination],
    walletClient: createWalletClient({ account, transport: http(source.rpc) }),
  })
}

/** The address in `--recipient`; a new one without it. */
export function readRecipient(text: string | undefined): Address {
  if (text === undefined) return privateKeyToAccount(generatePrivateKey()).address
  if (!isAddress(text)) throw new ExampleError(`--recipient ${text} is not an address`)
  return text
}
