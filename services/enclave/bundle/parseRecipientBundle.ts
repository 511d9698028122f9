import { zeroHash } from 'viem'
import { z } from 'zod'
import {
  describePlace,
  parseSenderJson,
  writtenAddress,
} from '../../../core/recipientBundle/parseSenderJson.ts'
import { MAX_RECIPIENTS } from '../../../core/recoveryBlob/blobSize.ts'
import { textsByName } from '../../../core/validation/textsByName.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { MAX_METADATA_BYTES, MAX_VIEWERS } from '../bundleLimits.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { BundleContents } from '../operationSchemas.ts'

const wholeText = z.string().regex(/^\d{1,78}$/)

/** Numbers may be JSON numbers or decimal text. */
const integer = z.union([z.int().min(0), wholeText]).transform((value) => BigInt(value))

const bundleSchema = z.object({
  recipients: z.array(writtenAddress).max(MAX_RECIPIENTS),
  amounts: z.array(wholeText.transform((text) => BigInt(text))).max(MAX_RECIPIENTS),
  metadata: textsByName.optional(),
  viewers: z.array(writtenAddress).max(MAX_VIEWERS).optional(),
  n: z.union([z.int().min(0), wholeText.transform(Number).pipe(z.int())]).optional(),
  salt: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/)
    .transform((text) => text.toLowerCase() as Hex)
    .optional(),
  intentId: integer.optional(),
  chainId: integer.optional(),
  sender: writtenAddress.optional(),
})

/** What ties a bundle to one intent. */
const BINDINGS = ['intentId', 'chainId', 'sender'] as const

/** Default number of a bundle: one more than a creation's own blob. */
const FIRST = 1

/** The intent that a bundle was sent for. */
type BundleFor = {
  sourceChainId: number
  intentId: bigint
  sender?: Hex | undefined
  /** Whether the bundle must name all three: then nobody can send a copy of it for an intent of its own. */
  mustBeNamed: boolean
}

/**
 * Parses a sender's bundle: JSON in UTF-8; unknown fields are ignored.
 *
 * @throws EnclaveError that names the position of the problem, never a value
 */
export function parseRecipientBundle(plaintext: Uint8Array, intent: BundleFor): BundleContents {
  const parsed = bundleSchema.safeParse(parseSenderJson(plaintext))
  if (!parsed.success) throw toMalformedError(parsed.error)
  const { intentId, chainId, sender, n = FIRST, salt = zeroHash, ...rest } = parsed.data
  const bundle: BundleContents = { ...rest, n, salt }
  const isOthers =
    (intentId !== undefined && intentId !== intent.intentId) ||
    (chainId !== undefined && chainId !== BigInt(intent.sourceChainId)) ||
    (sender !== undefined && intent.sender !== undefined && sender !== intent.sender)
  if (isOthers) throw new EnclaveError('BUNDLE_OF_ANOTHER_INTENT')
  if (bundle.recipients.length === 0) throw new EnclaveError('RECIPIENTS_INVALID', 'recipients')
  checkBundleContents(bundle)
  const missing = BINDINGS.find((name) => parsed.data[name] === undefined)
  if (intent.mustBeNamed && missing) throw new EnclaveError('BUNDLE_MALFORMED', missing)
  return bundle
}

/** Checks recipients, amounts and metadata. @throws EnclaveError */
export function checkBundleContents(
  contents: Pick<BundleContents, 'recipients' | 'amounts' | 'metadata'>,
): void {
  const { recipients, amounts, metadata = {} } = contents
  if (recipients.length !== amounts.length) throw new EnclaveError('RECIPIENTS_INVALID', 'amounts')
  if (recipients.length > MAX_RECIPIENTS) throw new EnclaveError('RECIPIENTS_INVALID', 'recipients')
  const zero = recipients.findIndex((recipient) => /^0x0{40}$/.test(recipient))
  if (zero >= 0) throw new EnclaveError('RECIPIENTS_INVALID', `recipients.${zero}`)
  const nothing = amounts.findIndex((amount) => amount <= 0n || amount >= 1n << 96n)
  if (nothing >= 0) throw new EnclaveError('RECIPIENTS_INVALID', `amounts.${nothing}`)
  const texts = Object.entries(metadata).flat()
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (size > MAX_METADATA_BYTES) throw new EnclaveError('METADATA_TOO_LARGE')
  if (!texts.every((text) => text.isWellFormed()))
    throw new EnclaveError('BUNDLE_MALFORMED', 'metadata')
}

function toMalformedError(error: z.ZodError): EnclaveError {
  const [issue] = error.issues
  const path = issue?.path ?? []
  const [name, position] = path
  const isPayment = name === 'recipients' || name === 'amounts'
  const isMissing = isPayment && typeof position !== 'number' && issue?.code !== 'too_big'
  return new EnclaveError(
    isPayment && !isMissing ? 'RECIPIENTS_INVALID' : 'BUNDLE_MALFORMED',
    describePlace(path),
  )
}
