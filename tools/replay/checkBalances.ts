import { encodeFunctionData, erc20Abi, numberToHex } from 'viem'
import { z } from 'zod'
import type { RowStore } from '../../core/rows/rowStore.ts'
import { askAll } from '../../services/chain/history/askNode.ts'
import { RpcError } from '../../services/chain/rpcPool/rpcError.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
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
  const { chain, store } = replay
  const bridge = await checkHolder(replay, 'bridge', chain.bridge, owedByBridge(store))
  if (!chain.vault) return bridge
  return [...bridge, ...(await checkHolder(replay, 'vault', chain.vault, owedByVault(store)))]
}

function owedByBridge(store: RowStore): Map<Hex, bigint> {
  const owed = new Map<Hex, bigint>(store.rows('bridgeToken').map(({ token }) => [token, 0n]))
  for (const { token, open, stakes, credits, deliveryCredits, fees } of store.rows('escrow')) {
    // A token that the bridge never listed says of its balances whatever it likes.
    if (owed.has(token)) owed.set(token, open + stakes + credits + deliveryCredits + fees)
  }
  return owed
}

/** The vault takes tokens that the bridge lists, and no others. */
function owedByVault(store: RowStore): Map<Hex, bigint> {
  const rows = store.rows('vaultEscrow')
  return new Map(rows.map(({ token, orders, credits }) => [token, orders + credits]))
}

async function checkHolder(
  { pool, block }: Replay,
  holder: BalanceCheck['holder'],
  address: Hex,
  owed: ReadonlyMap<Hex, bigint>,
): Promise<BalanceCheck[]> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })
  const tokens = [...owed.keys()].sort()
  const requests = tokens.map((to) => ({
    method: 'eth_call',
    params: [{ to, data }, numberToHex(block.number)],
  }))
  const balances = await askAll(pool, requests, word)
  return tokens.map((token, position) => {
    const due = owed.get(token) ?? 0n
    const held = balances[position] ?? 0n
    return { holder, token, owed: due, held, surplus: held - due }
  })
}
