import {
  encodeFunctionData,
  type Hex,
  hashTypedData,
  hexToBigInt,
  keccak256,
  parseAbiParameters,
} from 'viem'
import { creationGatewayAbi } from '../../core/abi/creationGateway.ts'
import type { CreateIntentParams } from './createIntentCall.ts'

/** An intent its user signs and anyone sends, through `CreationGateway`. */
export type SignedCreation = CreateIntentParams & {
  chainId: number
  bridge: Hex
  gateway: Hex
  /** The sender of the intent. */
  user: Hex
  /** From `sealCreationBlob`, or `0x`. */
  blob: Hex
  /** 32 bytes, unique among the user's creations. */
  salt: Hex
  /** Unix seconds; it can be sent in blocks before this time. */
  deadline: bigint
}

/** Uniswap's Permit2, at the same address on every chain. */
export const PERMIT2: Hex = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

const CREATE_INTENT = parseAbiParameters(
  'address bridge, uint256 chainId, address user, address tokenA, address tokenB, uint256 amountA, uint256 expectedAmountB, uint256 reward, uint256 destChainId, uint256 auctionDuration, bytes32 salt, uint256 deadline, bytes32 blobHash',
)

/** What the user signs after approving Permit2 for tokenA; pass it to `signTypedData`. */
export function permit2TypedData(creation: SignedCreation) {
  const { chainId, gateway, tokenA, amountA, reward, salt, deadline } = creation
  return {
    domain: { name: 'Permit2', chainId, verifyingContract: PERMIT2 },
    types: {
      PermitWitnessTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
        { name: 'witness', type: 'CreateIntent' },
      ],
      TokenPermissions: parseAbiParameters('address token, uint256 amount'),
      CreateIntent: CREATE_INTENT,
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: {
      permitted: { token: tokenA, amount: amountA + reward },
      spender: gateway,
      nonce: hexToBigInt(salt),
      deadline,
      witness: composeIntentMessage(creation),
    },
  } as const
}

/**
 * What the user signs if tokenA supports EIP-3009, as USDC does: no approval is needed. Pass it to `signTypedData`.
 *
 * @param token the token's own EIP-712 name and version: `USD Coin` and `2` for USDC
 */
export function authorizationTypedData(
  creation: SignedCreation,
  token: { name: string; version: string },
) {
  const { chainId, gateway, user, tokenA, amountA, reward, deadline } = creation
  return {
    domain: { ...token, chainId, verifyingContract: tokenA },
    types: {
      ReceiveWithAuthorization: parseAbiParameters(
        'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
      ),
    },
    primaryType: 'ReceiveWithAuthorization',
    message: {
      from: user,
      to: gateway,
      value: amountA + reward,
      validAfter: 0n,
      validBefore: deadline,
      nonce: hashCreation(creation),
    },
  } as const
}

/** The gateway call that anyone may send with the user's signature. */
export function signedCreationCall(
  by: 'createByPermit2' | 'createByAuthorization',
  creation: SignedCreation,
  signature: Hex,
): Hex {
  const { user, blob, salt, deadline } = creation
  return encodeFunctionData({
    abi: creationGatewayAbi,
    functionName: by,
    args: [{ user, terms: pickTerms(creation), salt, deadline }, blob, signature],
  })
}

/** The gateway call that turns ether from the transaction's sender into an intent. */
export function createWithEtherCall(params: CreateIntentParams, blob: Hex = '0x'): Hex {
  return encodeFunctionData({
    abi: creationGatewayAbi,
    functionName: 'createWithEther',
    args: [pickTerms(params), blob],
  })
}

/** The EIP-3009 nonce, which ties the payment to everything the user agreed to. */
function hashCreation(creation: SignedCreation): Hex {
  const { chainId, gateway } = creation
  return hashTypedData({
    domain: { name: 'CreationGateway', version: '1', chainId, verifyingContract: gateway },
    types: { CreateIntent: CREATE_INTENT },
    primaryType: 'CreateIntent',
    message: composeIntentMessage(creation),
  })
}

function composeIntentMessage(creation: SignedCreation) {
  const { chainId, bridge, user, salt, deadline, blob } = creation
  const blobHash = keccak256(blob)
  return {
    bridge,
    chainId: BigInt(chainId),
    user,
    ...pickTerms(creation),
    salt,
    deadline,
    blobHash,
  }
}

function pickTerms(params: CreateIntentParams) {
  const { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, auctionDuration } = params
  return { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, auctionDuration }
}
