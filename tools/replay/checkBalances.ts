import { encodeFunctionData, erc20Abi, numberToHex } from 'viem'
import { z } from 'zod'
import type { InMemoryRowStore } from '../../core/rows/inMemoryRowStore.ts'
import { requestInBatches } from '../../services/chain/history/requestInBatches.ts'
import { isRevert, RpcError } from '../../services/chain/rpcPool/rpcError.ts'
import type { ComparedNodes } from '../../services/indexer/history/comparedNodes.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { EscrowRow, VaultEscrowRow } from '../../src/projection/rowTypes.ts'
import type { Replay } from './replayChain.ts'

/** What a bridge or vault owes and holds of a token at the replay's block, in base units. */
export type BalanceCheck = {
  holder: 'bridge' | 'vault'
  token: Hex
  /** Bridge: open escrow, stakes, both kinds of credits, uncollected fees. Vault: what is left of orders, credits. */
  owed: bigint
  held: bigint
  /** `held − owed`. Above zero: a donation. Below zero: missing funds. */
  surplus: bigint
}

/** The first word of an answer, as contracts read it; zero from an address without code. */
const firstWord = z
  .string()
  .regex(/^0x([0-9a-fA-F]{64,})?$/)
  .transform((answer) => (answer === '0x' ? 0n : BigInt(answer.slice(0, 66))))

/**
 * Checks the balances at an earlier block; null when no node has the state of that block any more.
 */
export async function checkPastBalances(replay: Replay): Promise<BalanceCheck[] | null> {
  try {
    return await checkBalances(replay)
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

/** Compares what bridge and vault owe with their balances on chain. */
export async function checkBalances(replay: Replay): Promise<BalanceCheck[]> {
  const { bridge, vault } = replay.chain
  const ofBridge = await checkHolder(replay, 'bridge', bridge)
  return vault ? [...ofBridge, ...(await checkHolder(replay, 'vault', vault))] : ofBridge
}

/** What a contract owes of a token, by purpose, in base units. */
export type Owed = Readonly<Record<string, bigint>>

/** What the bridge owes of each token it ever listed, or the vault of each token it took. */
export function collectOwed(
  holder: BalanceCheck['holder'],
  store: InMemoryRowStore,
): Map<Hex, Owed> {
  if (holder === 'vault') return new Map(store.rows('vaultEscrow').map(toOwed))
  const blank = { open: 0n, stakes: 0n, credits: 0n, deliveryCredits: 0n, fees: 0n }
  const owed = new Map<Hex, Owed>(store.rows('bridgeToken').map(({ token }) => [token, blank]))
  for (const row of store.rows('escrow')) {
    // The balances of a token that the bridge never listed mean nothing.
    if (owed.has(row.token)) owed.set(...toOwed(row))
  }
  return owed
}

function toOwed(row: EscrowRow | VaultEscrowRow): [token: Hex, Owed] {
  const { chainId: _, token, ...amounts } = row
  return [token, amounts]
}

export function sumOwed(owed: Owed): bigint {
  return Object.values(owed).reduce((sum, amount) => sum + amount, 0n)
}

async function checkHolder(
  { nodes, chain, block, store }: Replay,
  holder: BalanceCheck['holder'],
  address: Hex,
): Promise<BalanceCheck[]> {
  const owed = collectOwed(holder, store)
  const tokens = [...owed.keys()].sort()
  const place = { name: `the ${holder} of ${chain.name}`, address }
  const balances = await readBalances(nodes, place, tokens, block.number)
  return tokens.map((token, position) => {
    const due = sumOwed(owed.get(token) ?? {})
    const held = balances[position] ?? 0n
    return { holder, token, owed: due, held, surplus: held - due }
  })
}

/**
 * What a contract holds of each token at a block: nothing of one that reverts, which pays nobody. Each is requested singly, so
 * that such a token doesn't keep the others from being checked.
 *
 * @param holder its name in messages, and its address
 * @throws NodesDisagreeError when nothing shows which node is wrong
 */
export function readBalances(
  nodes: ComparedNodes,
  holder: { name: string; address: Hex },
  tokens: readonly Hex[],
  block: number,
): Promise<bigint[]> {
  const args = [holder.address] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args })
  const requests = tokens.map((to) => ({
    method: 'eth_call',
    params: [{ to, data }, numberToHex(block)],
  }))
  return nodes.read(
    `what ${holder.name} holds at block ${block}`,
    async (sending) => {
      const balances = requests.map((request) =>
        requestInBatches(sending, [request], firstWord).catch(nothingIfReverted),
      )
      return (await Promise.all(balances)).flat()
    },
    (held) =>
      tokens.map((token, position) => `${held[position]} of ${token}`).join(', ') || 'nothing',
  )
}

function nothingIfReverted(error: unknown): bigint[] {
  if (error instanceof RpcError && isRevert(error)) return [0n]
  throw error
}
