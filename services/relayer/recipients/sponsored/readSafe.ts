import { type Hex as AnyHex, decodeFunctionResult, encodeFunctionData, keccak256 } from 'viem'
import { safeAbi } from '../../../../core/safe/safeAbi.ts'
import { PROXY_CODE_HASH } from '../../../../core/safe/safeArtifacts.ts'
import type { SafeContracts } from '../../../../core/safe/safeContracts.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { chainClient } from '../../../chain/chainClient.ts'

type SafeReader = Pick<ReturnType<typeof chainClient>, 'getCode' | 'getStorageAt' | 'call'>

/** A Safe as its chain has it at this moment. */
type SafeNow =
  | { is: 'absent' }
  /** Its code isn't a Safe's, or it delegates to other code. */
  | { is: 'foreign' }
  | { is: 'official'; owners: Hex[]; threshold: bigint; nonce: bigint }

/**
 * The most gas that a question to a Safe may cost a node: one that delegates elsewhere could take
 * for ever.
 */
const GAS = 200_000n

/**
 * Reads a Safe: first its code and what it delegates to, and its own answers only if both are the Safe
 * project's.
 *
 * @throws what keeps the chain's nodes from answering
 */
export async function readSafe(
  client: SafeReader,
  address: Hex,
  { singleton }: Pick<SafeContracts, 'singleton'>,
): Promise<SafeNow> {
  const [code, slot] = await Promise.all([
    client.getCode({ address }),
    client.getStorageAt({ address, slot: '0x0' }),
  ])
  if (code === undefined || code === '0x') return { is: 'absent' }
  const delegatesTo = `0x${(slot ?? '0x').slice(2).padStart(64, '0')}`.toLowerCase()
  const isOurs = delegatesTo === `0x${singleton.slice(2).padStart(64, '0')}`
  if (keccak256(code) !== PROXY_CODE_HASH || !isOurs) return { is: 'foreign' }
  const [owners, threshold, nonce] = await Promise.all([
    ask(client, address, 'getOwners'),
    ask(client, address, 'getThreshold'),
    ask(client, address, 'nonce'),
  ])
  const lower = (owners as AnyHex[]).map((owner) => owner.toLowerCase() as Hex)
  return { is: 'official', owners: lower, threshold: threshold as bigint, nonce: nonce as bigint }
}

async function ask(
  client: SafeReader,
  to: Hex,
  functionName: 'getOwners' | 'getThreshold' | 'nonce',
): Promise<unknown> {
  const data = encodeFunctionData({ abi: safeAbi, functionName })
  const answer = await client.call({ to, data, gas: GAS })
  return decodeFunctionResult({ abi: safeAbi, functionName, data: answer.data ?? '0x' })
}
