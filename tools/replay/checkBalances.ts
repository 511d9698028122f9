import { encodeFunctionData, erc20Abi, numberToHex } from 'viem'
import { z } from 'zod'
import type { RowStore } from '../../core/rows/rowStore.ts'
import { requestInBatches } from '../../services/chain/history/requestInBatches.ts'
import { RpcError } from '../../services/chain/rpcPool/rpcError.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { EscrowRow, VaultEscrowRow } from '../../src/projection/rows.ts'
import type { Replay } from './replayChain.ts'

/** What a bridge or a vault owes of a token, and what it has of it, in base units, at the replay's block. */
export type BalanceCheck = {
  holder: 'bridge' | 'vault'
  token: Hex
  /**
   * The bridge's: open escrow + stakes + credits of either kind + uncollected fees. The vault's: what is left
   * of orders + credits.
   */
  owed: bigint
  held: bigint
  /** `held − owed`. More is a donation and nobody's loss; less is money that is missing. */
  surplus: bigint
}

const word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform(BigInt)

/**
 * The same where the replay ends at an earlier block; null when the node no longer knows the state of then.
 */
export async function checkPastBalances(replay: Replay): Promise<BalanceCheck[] | null> {
  try {
    return await checkBalances(replay)
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

/** Reads each balance on chain of a token that the bridge ever listed. */
export async function checkBalances(replay: Replay): Promise<BalanceCheck[]> {
  const { bridge, vault } = replay.chain
  const ofBridge = await checkHolder(replay, 'bridge', bridge)
  return vault ? [...ofBridge, ...(await checkHolder(replay, 'vault', vault))] : ofBridge
}

/** What a contract owes of a token, by purpose, in base units. */
export type Owed = Readonly<Record<string, bigint>>

/** What bridge or vault owe of each token: the bridge of each that it ever listed, the vault of those it took. */
export function owedBy(holder: BalanceCheck['holder'], store: RowStore): Map<Hex, Owed> {
  if (holder === 'vault') return new Map(store.rows('vaultEscrow').map(amountsOf))
  const blank = { open: 0n, stakes: 0n, credits: 0n, deliveryCredits: 0n, fees: 0n }
  const owed = new Map<Hex, Owed>(store.rows('bridgeToken').map(({ token }) => [token, blank]))
  for (const row of store.rows('escrow')) {
    // A token that the bridge never listed says of its balances whatever it likes.
    if (owed.has(row.token)) owed.set(...amountsOf(row))
  }
  return owed
}

function amountsOf(row: EscrowRow | VaultEscrowRow): [token: Hex, Owed] {
  const { chainId: _, token, ...amounts } = row
  return [token, amounts]
}

/** The sum of all that is owed. */
export function totalOf(owed: Owed): bigint {
  return Object.values(owed).reduce((sum, amount) => sum + amount, 0n)
}

async function checkHolder(
  { pool, block, store }: Replay,
  holder: BalanceCheck['holder'],
  address: Hex,
): Promise<BalanceCheck[]> {
  const owed = owedBy(holder, store)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })
  const tokens = [...owed.keys()].sort()
  const requests = tokens.map((to) => ({
    method: 'eth_call',
    params: [{ to, data }, numberToHex(block.number)],
  }))
  const balances = await requestInBatches(pool, requests, word)
  return tokens.map((token, position) => {
    const due = totalOf(owed.get(token) ?? {})
    const held = balances[position] ?? 0n
    return { holder, token, owed: due, held, surplus: held - due }
  })
}
