import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  keccak256,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createExplorerRoutes } from '../../../api/explorer/explorerRoutes.ts'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { createAccessLog } from '../../../api/http/accessLog.ts'
import { startTokenPriceCache } from '../../../api/http/prices/tokenPriceCache.ts'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { tokenOf } from '../../../tools/seed/seedSqlFunctions.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'
import { BASE, chainConfig, HORIZEN, type SeededApi, startSeededApi } from '../rest/seededApi.ts'

/** What a token calls itself that means harm: markup, another direction of writing, and a hundred characters more. */
const HOSTILE_SYMBOL = `"><img src=x onerror="document.title='owned'">\u202eCDSU\u0000${'x'.repeat(100)}`
const HOSTILE_NAME = `<script>document.title='owned'</script>'"\``

/** An invented, unlisted token that some intents request. */
export const HOSTILE_TOKEN: Hex = '0x00000000000000000000000000000000000bad01'

/** `logged`: the lines of the access log, as an operator has them at level `debug`. */
export type ExplorerRig = SeededApi & {
  anvil: RunningAnvil
  logged: string[]
  /** A file of USD prices, which isn't there yet. */
  priceFile: string
  stop(): Promise<void>
}

/** The API with its pages over a seeded index, and one chain whose tokens answer. */
export async function startExplorerRig(intents: number): Promise<ExplorerRig> {
  const anvil = await startAnvil({ chainId: BASE, blockTime: 0 })
  await putToken(anvil, tokenOf('ZEN', BASE), ['Horizen', 'ZEN', 18])
  await putToken(anvil, HOSTILE_TOKEN, [HOSTILE_NAME, HOSTILE_SYMBOL, 6])
  const configured = (chain: number, symbols: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(symbols).map(([symbol, decimals]) => [
        symbol,
        { address: tokenOf(symbol, chain), decimals },
      ]),
    )
  const blockExplorer = {
    transaction: 'https://explorer.example/tx/{hash}',
    address: 'https://explorer.example/address/{address}',
    block: 'https://explorer.example/block/{number}',
  }
  const folder = mkdtempSync(join(tmpdir(), 'cairn-explorer-'))
  const priceFile = join(folder, 'prices.json')
  const logged: string[] = []
  const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) })
  const api = await startSeededApi({
    intents,
    onAnswer: createAccessLog(log),
    prices: startTokenPriceCache({ from: priceFile, maxAgeSeconds: 3_600, everyMs: 50 }),
    chains: [
      {
        ...chainConfig('base_sepolia', BASE, anvil.rpc),
        tokens: configured(BASE, { USDC: 6, USDT: 6, WETH: 18, cBTC: 8 }),
        blockExplorer,
      },
      {
        ...chainConfig('horizen_testnet', HORIZEN),
        tokens: configured(HORIZEN, { USDC: 6, USDT: 6, WETH: 18, cBTC: 8, ZEN: 18 }),
      },
    ],
    routes: [
      createExplorerRoutes(),
      createGraphqlRoutes({ onProblem: (error) => console.error(error) }),
    ],
  })
  const client = await api.postgres.connect()
  for (const chain of [BASE, HORIZEN])
    await client.query(`select app.install_row_triggers('cairn_${chain}_seeded')`)
  for (const chain of [BASE, HORIZEN]) {
    await client.query('select app.install_state_triggers($1)', [`cairn_${chain}_seeded`])
    await client.query('select app.measure_state($1)', [`cairn_${chain}_seeded`])
  }
  await client.end()
  return {
    ...api,
    anvil,
    logged,
    priceFile,
    stop: async () => {
      await api.stop()
      rmSync(folder, { recursive: true, force: true })
      await anvil.stop()
    },
  }
}

/** The devnet's plain token with such words, at an address of choice. */
async function putToken(
  anvil: RunningAnvil,
  address: Hex,
  [name, symbol, decimals]: [string, string, number],
) {
  const { DevnetToken } = await readCompiledContracts()
  const transport = http(anvil.rpc)
  const account = privateKeyToAccount(
    '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  )
  const wallet = createWalletClient({ account, transport })
  const node = createTestClient({ mode: 'anvil', transport })
  const reader = createPublicClient({ transport })
  const { abi, bytecode } = DevnetToken
  const hash = await wallet.deployContract({
    abi,
    bytecode,
    args: [name, symbol, decimals],
    chain: null,
  })
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  if (!contractAddress) throw new Error('the token wasn’t deployed')
  await node.setCode({
    address,
    bytecode: (await reader.getCode({ address: contractAddress })) ?? '0x',
  })
  // A short text is in its own slot; a long one from the hash of its slot on.
  for (const [slot, text] of [
    [3n, name],
    [4n, symbol],
  ] as const) {
    const start = BigInt(keccak256(toHex(slot, { size: 32 })))
    const slots = [
      slot,
      ...Array.from(
        { length: Math.ceil(Buffer.byteLength(text) / 32) },
        (_, index) => start + BigInt(index),
      ),
    ]
    for (const one of slots) {
      const index = toHex(one, { size: 32 })
      const value =
        (await reader.getStorageAt({ address: contractAddress, slot: index })) ??
        toHex(0, { size: 32 })
      await node.setStorageAt({ address, index, value })
    }
  }
}
