import { createCipheriv } from 'node:crypto'
import { bytesToHex, encodeAbiParameters, keccak256 } from 'viem'
import { buildTrancheTerms } from '../../../core/order/buildTrancheTerms.ts'
import { sumAmounts } from '../../../core/order/parseSubmission.ts'
import { joinBlob } from '../../../core/recoveryBlob/blobLayout.ts'
import { countSealedBlocks, toRecipientClass } from '../../../core/recoveryBlob/blobSize.ts'
import { encodePlaintext } from '../../../core/recoveryBlob/encodePlaintext.ts'
import { countPaddedBytes, padPlaintext } from '../../../core/recoveryBlob/padPlaintext.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { encryptWithSeed, SEED_BYTES } from '../ecies/encryptWithSeed.ts'
import { deriveSecret } from '../keys/deriveKey.ts'
import type { OperationContext } from '../operationContext.ts'
import type { OpenedSubmission } from './openSubmission.ts'

const MAX_SECONDS = 0xff_ff_ff_ff

const TYPES = [
  { type: 'uint256' },
  { type: 'address' },
  { type: 'bytes32' },
  { type: 'uint256' },
  { type: 'bytes32' },
  { type: 'bytes32' },
] as const

/**
 * Creates the recovery blob in a tranche's creation. It follows from the order, the tranche's number and the root, so
 * every enclave creates the same blob, and the service recognises it. Its ephemeral key and nonce depend on the
 * plaintext and on the key that it is sealed to, so two plaintexts never share them.
 */
export function sealTrancheBlob(
  { keyring }: Pick<OperationContext, 'keyring'>,
  { orderId, submission, chain, root }: OpenedSubmission,
  { n, minAuctionDuration }: { n: number; minAuctionDuration: number },
): Hex {
  const { chainId, bridge, vault } = chain
  const { user, assetIn: token, assetOut: tokenB, recipients, amounts, period } = submission
  const terms = buildTrancheTerms(
    { chainId, bridge, minAuctionDuration },
    {
      owner: user,
      token,
      tokenB,
      period,
      expectedAmountB: sumAmounts(submission),
      amountPerPeriod: submission.amountPerPeriod,
      destChainId: submission.destChainId,
    },
  )
  const plaintext = encodePlaintext({
    sourceChainId: chainId,
    bridge,
    user,
    paramsHash: paramsHash(terms),
    n: 0,
    recipients: [...recipients],
    amounts: [...amounts],
    registered: [],
    salt: deriveTrancheSalt(root, orderId, n),
    createdAt: Math.min(submission.startTime + n * period, MAX_SECONDS),
  })
  const { id: keyId, publicKey } = keyring.current
  const bytes = countPaddedBytes(countSealedBlocks(toRecipientClass(recipients.length)))
  const padded = padPlaintext(
    plaintext,
    expandKey(deriveTrancheSecret(root, `filling ${orderId} ${n}`), bytes),
  )
  const about = encodeAbiParameters(TYPES, [
    BigInt(chainId),
    vault,
    orderId,
    BigInt(n),
    keccak256(publicKey),
    keccak256(padded),
  ])
  const chance = deriveTrancheSecret(root, `blob ${keccak256(about)}`, SEED_BYTES)
  const sealed = encryptWithSeed(publicKey, padded, chance)
  return joinBlob({ keyId, ciphertext: bytesToHex(sealed) })
}

/** The salt of a tranche's recipients: 32 bytes that outsiders can't guess. */
export function deriveTrancheSalt(root: Uint8Array, orderId: Hex, n: number): Hex {
  return bytesToHex(deriveTrancheSecret(root, `salt ${orderId} ${n}`))
}

function deriveTrancheSecret(root: Uint8Array, purpose: string, bytes?: number): Uint8Array {
  return deriveSecret(root, `order tranche ${purpose}`, bytes)
}

/** Derives this many bytes from a key that is used for nothing else. */
function expandKey(key: Uint8Array, bytes: number): Uint8Array {
  const cipher = createCipheriv('aes-256-ctr', key, new Uint8Array(16))
  return new Uint8Array(cipher.update(new Uint8Array(bytes)))
}
