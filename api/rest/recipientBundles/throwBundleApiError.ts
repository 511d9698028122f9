import { EnclaveError, type EnclaveErrorCode } from '../../../services/enclave/enclaveError.ts'
import { BundleError, type BundleErrorCode } from '../../../services/relayer/terms/bundleError.ts'
import { BadRequestError, type ErrorCode, UnavailableError } from '../../http/apiError.ts'

const BUNDLE_CODES: Record<BundleErrorCode, ErrorCode> = {
  ALREADY_STORED: 'ALREADY_STORED',
  SIGNATURE_REQUIRED: 'SIGNATURE_REQUIRED',
  CIPHERTEXT_REUSED: 'CIPHERTEXT_REUSED',
  INTENT_CLOSED: 'INTENT_CLOSED',
  FEE_TIER_FIXED: 'FEE_TIER_FIXED',
  RECIPIENT_CLASS_FIXED: 'RECIPIENT_CLASS_FIXED',
  RECIPIENTS_DISPUTED: 'RECIPIENTS_DISPUTED',
  BUNDLE_INVALID: 'BUNDLE_INVALID',
  RECIPIENT_INVALID: 'INVALID_RECIPIENT',
  DESTINATION_NOT_FOLLOWED: 'UNSUPPORTED_CHAIN',
  AMOUNT_TOO_SMALL: 'AMOUNT_BELOW_MINIMUM',
  METADATA_TOO_LARGE: 'METADATA_TOO_LARGE',
  BUNDLE_UNREADABLE: 'BUNDLE_UNREADABLE',
}

const ENCLAVE_FAILURES: Partial<Record<EnclaveErrorCode, [ErrorCode, string]>> = {
  DECRYPTION_FAILED: [
    'DECRYPTION_FAILED',
    'the data can’t be decrypted: it must be ECIES ciphertext for the key of GET /ecies-pubkey',
  ],
  BUNDLE_MALFORMED: ['BUNDLE_INVALID', 'the decrypted bundle is malformed'],
  RECIPIENTS_INVALID: ['BUNDLE_INVALID', 'the recipients or amounts are not valid'],
  METADATA_TOO_LARGE: ['METADATA_TOO_LARGE', 'the metadata is too large'],
  BUNDLE_OF_ANOTHER_INTENT: [
    'BUNDLE_OF_ANOTHER_INTENT',
    'the bundle names another intent, chain or sender',
  ],
  BLOB_TOO_LARGE: ['BUNDLE_INVALID', 'the bundle is too large'],
}

/** The client's error if a bundle isn't stored or can't be opened. It never contains anything of the bundle. */
export function throwBundleApiError(error: unknown): never {
  if (error instanceof BundleError) {
    // The enclave lacks the key: the operator has to fix that, not the client.
    if (BUNDLE_CODES[error.code] === 'BUNDLE_UNREADABLE') {
      throw new UnavailableError(
        'the stored bundle can’t be opened: tell the relayer’s operator',
        'BUNDLE_UNREADABLE',
        60,
        error,
      )
    }
    const { field, reason, facts } = error
    const details = field === null ? undefined : { field, reason, ...facts }
    throw new BadRequestError(error.message, BUNDLE_CODES[error.code], details)
  }
  if (!(error instanceof EnclaveError)) throw error
  const known = ENCLAVE_FAILURES[error.code]
  if (!known) {
    const words = 'the enclave can’t answer: try again'
    throw new UnavailableError(words, 'ENCLAVE_UNREACHABLE', 2, error)
  }
  const { field } = error
  const [code, message] = isRecipient(field) ? WRONG_RECIPIENT : isUnbound(error) ? UNBOUND : known
  throw new BadRequestError(
    field === undefined ? message : `${message}: ${field}`,
    code,
    field === undefined ? undefined : { field, reason: message },
  )
}

/** The field says which recipient is wrong. The enclave doesn't reveal why, since the bundle is sealed. */
const WRONG_RECIPIENT: [ErrorCode, string] = [
  'INVALID_RECIPIENT',
  'not an address (0x and 40 hex digits, in one letter case or with a correct checksum), or one that can’t be paid',
]

/** What a sender that knows only the specification's bundle must add in strict mode. */
const UNBOUND: [ErrorCode, string] = [
  'BUNDLE_INVALID',
  'besides recipients and amounts, the bundle must name its intentId, chainId and sender',
]

function isUnbound({ code, field = '' }: EnclaveError): boolean {
  return code === 'BUNDLE_MALFORMED' && ['intentId', 'chainId', 'sender'].includes(field)
}

function isRecipient(field: string | undefined): boolean {
  return field !== undefined && /^recipients\.[0-9]+$/.test(field)
}
