import { decodeFunctionData, type Hex, parseAbi, toFunctionSelector } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { enclaveKeyRegistryAbi } from '../../../src/event/abi/enclaveKeyRegistry.ts'
import type { EnclaveChain } from '../chains.ts'
import { stealthOfDelivery } from '../keys/recipientKeys.ts'
import type { CheckedRequest } from '../messages.ts'
import type { Room } from '../room.ts'

/** Gas of one transaction at most. */
export const MAX_GAS = 16_000_000n

/** What the relayer's account calls on a bridge. */
const BRIDGE_CALLS = selectorsOf(bridgeIntentV2Abi, [
  'anchorIntent',
  'appendBlob',
  'settleIntent',
  'refund',
])

const REGISTRY_CALLS = selectorsOf(enclaveKeyRegistryAbi, ['register'])

/** Safe 1.4.1, the same addresses on every chain. */
const PROXY_FACTORY = '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67'
const SINGLETONS = [
  '0x41675c099f32341bf84bfc5382af534df5c7461a',
  '0x29fcb43b46531bca003ddc8fcb67ffe91900c762',
]

const safeAbi = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
])

/**
 * Whether the relayer's account may send this: no value, bounded cost, and one of the calls that
 * the relayer is there for. An empty transaction to itself is how a gap in its nonces is closed.
 */
export function isAllowed(
  room: Room,
  chain: EnclaveChain,
  transaction: CheckedRequest<'signTransaction'>,
): boolean {
  const { to, data, value = 0n, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
  if (value !== 0n || gas > MAX_GAS || maxPriorityFeePerGas > maxFeePerGas) return false
  if (gas * maxFeePerGas > chain.maxTransactionCost) return false
  if (to === room.keyring.relayer.address.toLowerCase()) return data === '0x'
  const selector = data.slice(0, 10)
  if (to === chain.bridge) return BRIDGE_CALLS.has(selector)
  if (to === chain.registry) return REGISTRY_CALLS.has(selector)
  return isSafeCall(room, transaction)
}

function isSafeCall(room: Room, { to, data, safeOf }: CheckedRequest<'signTransaction'>): boolean {
  const call = decodeSafeCall(data)
  if (call?.functionName === 'createProxyWithNonce') {
    return to === PROXY_FACTORY && SINGLETONS.includes(call.args[0].toLowerCase())
  }
  if (call?.functionName !== 'execTransaction' || safeOf === undefined) return false
  const gasPrice = call.args[6]
  if (gasPrice !== 0n) return false
  return room.keyring.roots.some((root) => {
    const { stealthAddress } = stealthOfDelivery(root, safeOf)
    return room.safeOf(stealthAddress) === to
  })
}

function decodeSafeCall(data: Hex) {
  try {
    return decodeFunctionData({ abi: safeAbi, data })
  } catch {
    return null
  }
}

function selectorsOf(
  abi: typeof bridgeIntentV2Abi | typeof enclaveKeyRegistryAbi,
  names: readonly string[],
): ReadonlySet<string> {
  const found = abi.flatMap((item) =>
    item.type === 'function' && names.includes(item.name) ? [toFunctionSelector(item)] : [],
  )
  if (found.length !== names.length) throw new Error('a call of the policy is not in the ABI')
  return new Set(found)
}
