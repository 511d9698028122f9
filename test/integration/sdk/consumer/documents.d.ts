// What the programs in the documents leave to their readers.
type Client = ReturnType<typeof import('@cairn/sdk').createCairnClient>
type Address = `0x${string}`
type Wallet = import('viem').WalletClient<
  import('viem').Transport,
  import('viem').Chain,
  import('viem').Account
>

declare const cairn: Client
declare const intent: ReturnType<Client['intent']>
declare const pair: { sourceChain: string; destChain: string; tokenIn: Address; tokenOut: Address }
declare const recipients: { address: Address; amount: bigint }[]
declare const amountIn: bigint, minAmountOut: bigint, reward: bigint, fromBlock: bigint
declare const startTime: number, endTime: number, chainId: number
declare const tokenIn: Address, tokenOut: Address, assetIn: Address, assetOut: Address
declare const address: Address, user: Address, recipient: Address, vault: Address, owner: Address
declare const to: Address, bridge: Address
declare const baseUrl: string, api: string, intentId: string, rawBody: string, secret: string
declare const chains: import('@cairn/sdk').CairnChain[]
declare const publicClient: import('viem').PublicClient, client: import('viem').PublicClient
declare const walletClient: Wallet, wallet: Wallet
declare const account: import('viem/accounts').PrivateKeyAccount
declare const request: Request
declare function sign(message: string): Promise<`0x${string}`>
declare function load(): Promise<import('@cairn/sdk').BatchState | undefined>
declare function store(state: string): Promise<void>
