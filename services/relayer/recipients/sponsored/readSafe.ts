import {
  type Hex as AnyHex,
  decodeFunctionResult,
  encodeFunctionData,
  keccak256,
  type PublicClient,
} from 'viem'
import { safeAbi } from '../../../../core/safe/safeAbi.ts'
import type { SafeContracts } from '../../../../core/safe/safeContracts.ts'
import { PROXY_CODE_HASH } from '../../../../core/safe/safeProxyCode.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { findMajority } from '../../../chain/transactions/medianAndMajority.ts'
import { SponsorError, type Sponsorship } from './sponsorContext.ts'

/** A Safe's present state on its chain. */
export type SafeNow =
  | { is: 'absent' }
  /** Its code isn't a Safe's, or it delegates to other code. */
  | { is: 'foreign' }
  | OfficialSafe

type OfficialSafe = { is: 'official'; owners: Hex[]; threshold: bigint; nonce: bigint }

/**
 * A Safe according to most nodes. In a tie, it counts as our Safe: the simulation shows what its call does.
 */
export async function readSafe(
  { nodes, contracts }: Pick<Sponsorship, 'nodes' | 'contracts'>,
  address: Hex,
): Promise<SafeNow> {
  const wordOf = (safe: SafeNow) => Object.values(safe).join()
  const said = await nodes.queryAll((client) => readAt(client, address, contracts), wordOf)
  const ours = said.find(({ is }) => is === 'official')
  return findMajority(said, wordOf) ?? ours ?? { is: 'absent' }
}

/**
 * Requires that a Safe is deployed, has the Safe project's code, and has its stealth address as the only owner.
 *
 * @throws SponsorError `SAFE_NOT_DEPLOYED`, `SAFE_NOT_OFFICIAL`, `SAFE_OWNER_CHANGED`
 */
export function requireUnchanged(safe: SafeNow, owner: Hex): asserts safe is OfficialSafe {
  if (safe.is === 'absent') {
    const words = 'the Safe is not deployed: call POST /recipient/deploy-safe first'
    throw new SponsorError('SAFE_NOT_DEPLOYED', words)
  }
  if (safe.is === 'foreign') {
    const words = 'the Safe’s code is no longer Safe 1.4.1: send it yourself'
    throw new SponsorError('SAFE_NOT_OFFICIAL', words)
  }
  if (safe.threshold !== 1n || safe.owners.length !== 1 || safe.owners[0] !== owner) {
    const words = 'the stealth address is no longer the Safe’s only owner: send it yourself'
    throw new SponsorError('SAFE_OWNER_CHANGED', words)
  }
}

type SafeReader = Pick<PublicClient, 'getCode' | 'getStorageAt' | 'call'>

/** Gas limit of a read from a Safe: one that delegates to other code could run forever. */
const GAS = 200_000n

/**
 * Reads a Safe: first its code and singleton, and its own answers only if both are the Safe project's.
 *
 * @throws RPC errors
 */
async function readAt(
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
