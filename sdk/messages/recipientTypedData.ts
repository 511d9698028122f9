import { type Hex, parseAbiParameters } from 'viem'

/** The EIP-712 forms of the messages that wallets sign; both forms are accepted. */
const RECIPIENT_DOMAIN = { name: 'Cairn', version: '1' } as const

const RECIPIENT_TYPES = {
  RegisterStealth: parseAbiParameters('address recipientAddress'),
  DeriveStealthKey: parseAbiParameters('address recipientAddress, address stealthAddress'),
  DeriveStealthKeyChallenge: parseAbiParameters(
    'address recipientAddress, address stealthAddress, uint256 timestamp',
  ),
  DeploySafe: parseAbiParameters('address stealthAddress, uint256 chainId'),
} as const

/** The typed form of `REGISTER_STEALTH:<recipientAddress>`. */
export function registerRecipientTypedData(recipientAddress: Hex) {
  return typed('RegisterStealth', { recipientAddress })
}

/** The typed form of `DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>`. */
export function deriveStealthKeyTypedData(recipientAddress: Hex, stealthAddress: Hex) {
  return typed('DeriveStealthKey', { recipientAddress, stealthAddress })
}

/** The typed form of `DERIVE_STEALTH_KEY:<recipientAddress>:<stealthAddress>:<timestamp>`. */
export function deriveStealthKeyChallengeTypedData(
  recipientAddress: Hex,
  stealthAddress: Hex,
  timestamp: number,
) {
  const message = { recipientAddress, stealthAddress, timestamp: BigInt(timestamp) }
  return typed('DeriveStealthKeyChallenge', message)
}

/** The typed form of `DEPLOY_SAFE:<stealthAddress>:<chainId>`. */
export function deploySafeTypedData(stealthAddress: Hex, chainId: number) {
  return typed('DeploySafe', { stealthAddress, chainId: BigInt(chainId) })
}

function typed<Name extends keyof typeof RECIPIENT_TYPES, Message>(
  primaryType: Name,
  message: Message,
) {
  return { domain: RECIPIENT_DOMAIN, types: RECIPIENT_TYPES, primaryType, message }
}
