import { type Address, isAddress } from 'viem'
import { MAX_RECIPIENTS } from '../../core/recoveryBlob/blobSize.ts'
import { CairnError } from '../errors/cairnError.ts'
import { invalidArgument } from '../errors/invalidArgument.ts'
import type { CairnChain } from './clientOptions.ts'
import type { IntentRequest } from './intentRequest.ts'
import { requireFieldTypes } from './requireFieldTypes.ts'

/** The relayer's limit in bytes of UTF-8, over all keys and values. */
const MAX_METADATA_BYTES = 4_096
const MAX_VIEWERS = 50
const MILLISECONDS = 1_000
const ZERO: Address = '0x0000000000000000000000000000000000000000'

/** The chains of a validated request. */
export type IntentChains = { source: CairnChain; destination: CairnChain }

/**
 * Checks that need no request.
 *
 * @param now unix seconds
 * @param most maximum number of recipients
 * @throws CairnError
 */
export function validateIntent(
  intent: IntentRequest,
  chains: readonly CairnChain[],
  now: number,
  most = MAX_RECIPIENTS,
): IntentChains {
  const { deadline, minAmountOut, amountIn, reward } = intent
  if (typeof deadline !== 'number') {
    throw invalidArgument('deadline', 'unix seconds, such as Math.floor(Date.now() / 1000) + 90')
  }
  requireFieldTypes(intent)
  if (!(deadline > now)) {
    const words = 'the deadline is in the past'
    throw new CairnError('INTENT_DEADLINE_PAST', words, { details: { deadline, now } })
  }
  if (deadline > (now * MILLISECONDS) / 2) {
    const words =
      'the deadline is in milliseconds: give unix seconds, Math.floor(Date.now() / 1000) + 90'
    throw new CairnError('INTENT_DEADLINE_PAST', words, { details: { deadline, now } })
  }
  const source = findChain(chains, 'sourceChain', intent.sourceChain)
  const destination = findChain(chains, 'destChain', intent.destChain)
  if (minAmountOut <= 0n) {
    throw new CairnError('MIN_OUTPUT_INVALID', 'minAmountOut must be above zero', {
      details: { field: 'minAmountOut' },
    })
  }
  if (amountIn <= 0n) {
    throw new CairnError('AMOUNT_BELOW_MINIMUM', 'amountIn must be above zero', {
      details: { field: 'amountIn' },
    })
  }
  if (reward < 0n) {
    throw new CairnError('AMOUNT_BELOW_MINIMUM', 'reward must not be negative', {
      details: { field: 'reward' },
    })
  }
  checkRecipients(intent, destination, most)
  checkMetadata(intent)
  return { source, destination }
}

function findChain(
  chains: readonly CairnChain[],
  field: 'sourceChain' | 'destChain',
  name: string,
): CairnChain {
  const chain = chains.find((one) => one.name === name)
  if (chain !== undefined) return chain
  const supported = chains.map((one) => one.name)
  const known = supported.join(', ')
  const words =
    field === 'sourceChain'
      ? `sourceChain ${name} is not supported: bridge to one of ${known} first (docs/sender.md#the-first-hop)`
      : `destChain ${name} is not in chains: add it, or choose one of ${known}`
  throw new CairnError('UNSUPPORTED_CHAIN', words, { details: { field, chain: name, supported } })
}

function checkRecipients(
  { recipients, tokenOut, minAmountOut }: IntentRequest,
  { bridge }: CairnChain,
  most: number,
): void {
  const refuse = (field: string, reason: string): never => {
    throw new CairnError('INVALID_RECIPIENT', `${field}: ${reason}`, { details: { field, reason } })
  }
  if (recipients.length === 0) refuse('recipients', 'at least one is required')
  if (recipients.length > most)
    refuse('recipients', `an intent pays at most ${most}, submitBatch any number`)
  const unpayable = new Map([
    [ZERO, 'is the zero address'],
    [tokenOut.toLowerCase(), 'is the token itself'],
    [bridge.toLowerCase(), 'is the bridge'],
  ])
  for (const [at, { address, amount }] of recipients.entries()) {
    const field = `recipients.${at}`
    if (!isAddress(address, { strict: false })) refuse(field, 'is not an address')
    // Mixed case is a checksum; a single case can't reveal typos.
    const isMixed = /[a-f]/.test(address) && /[A-F]/.test(address)
    if (isMixed && !isAddress(address)) refuse(field, 'has a wrong checksum')
    const why = unpayable.get(address.toLowerCase())
    if (why !== undefined) refuse(field, why)
    if (amount <= 0n) refuse(`${field}.amount`, 'must be above zero')
  }
  const sum = recipients.reduce((total, { amount }) => total + amount, 0n)
  if (sum > minAmountOut) refuse('recipients', 'their amounts add up to more than minAmountOut')
}

function checkMetadata({ metadata = {}, viewers = [] }: IntentRequest): void {
  const bytes = new TextEncoder().encode(Object.entries(metadata).flat().join('')).length
  if (bytes > MAX_METADATA_BYTES || viewers.length > MAX_VIEWERS) {
    const maximum = { bytes: MAX_METADATA_BYTES, viewers: MAX_VIEWERS }
    const words =
      bytes > MAX_METADATA_BYTES
        ? `metadata takes ${bytes} bytes, and an intent carries at most ${MAX_METADATA_BYTES}`
        : `there are ${viewers.length} viewers, and an intent has at most ${MAX_VIEWERS}`
    throw new CairnError('METADATA_TOO_LARGE', words, {
      details: { bytes, viewers: viewers.length, maximum },
    })
  }
}
