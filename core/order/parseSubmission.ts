import { z } from 'zod'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { findChainId } from '../chain/chainNames.ts'
import { findBundleProblem } from '../recipientBundle/findBundleProblem.ts'
import {
  describePlace,
  parseSenderJson,
  writtenAddress,
} from '../recipientBundle/parseSenderJson.ts'
import type { Submission, SubmissionField } from './submission.ts'

/** Shortest period, in seconds; the vault's own. */
const MIN_PERIOD = 5

/** The vault's limit. */
const MAX_SECONDS = 0xff_ff_ff_ff
const MAX_AMOUNT = (1n << 96n) - 1n

const MOST_RECIPIENTS = 200

/** A valid submission, or the position of its first problem, never a value. */
type ParsedSubmission = { ok: true; submission: Submission } | { ok: false; field: string }

const someAccount = writtenAddress.refine((text) => !/^0x0{40}$/.test(text))
const amount = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform((text) => BigInt(text))
  .refine((value) => value > 0n && value <= MAX_AMOUNT)
const seconds = z.int().min(0).max(MAX_SECONDS)
const chainId = z.int().min(1)

const schema = z.object({
  user: someAccount,
  assetIn: someAccount,
  assetOut: someAccount,
  chainIn: z.string().max(64),
  chainOut: z.string().max(64),
  sourceChainId: chainId,
  destChainId: chainId,
  totalAmountIn: amount,
  amountPerPeriod: amount,
  period: seconds.min(MIN_PERIOD),
  startTime: seconds,
  endTime: seconds,
  recipients: z.array(writtenAddress).min(1).max(MOST_RECIPIENTS),
  amounts: z.array(amount).min(1).max(MOST_RECIPIENTS),
})

/**
 * Parses an owner's submission: JSON in UTF-8; unknown fields are ignored.
 *
 * @param now unix seconds
 */
export function parseSubmission(plaintext: Uint8Array, now: number): ParsedSubmission {
  const parsed = schema.safeParse(parseSenderJson(plaintext))
  if (!parsed.success)
    return { ok: false, field: describePlace(parsed.error.issues[0]?.path ?? []) ?? '' }
  const field = findContradiction(parsed.data, now)
  return field === null ? { ok: true, submission: parsed.data } : { ok: false, field }
}

/** The position of what the destination can't pay; null when it can pay everything. */
export function findPayoutProblem(submission: Submission, destinationBridge: Hex): string | null {
  const { assetOut: tokenB, recipients, amounts } = submission
  const expectedAmountB = sumAmounts(submission)
  return findBundleProblem({ recipients, amounts }, { tokenB, destinationBridge, expectedAmountB })
}

/** Minimum that each tranche delivers, in base units of assetOut. */
export function sumAmounts({ amounts }: Pick<Submission, 'amounts'>): bigint {
  return amounts.reduce((sum, one) => sum + one, 0n)
}

function findContradiction(submission: Submission, now: number): SubmissionField | null {
  const { chainIn, chainOut, sourceChainId, destChainId } = submission
  if (findChainId(chainIn) !== sourceChainId) return 'chainIn'
  if (findChainId(chainOut) !== destChainId) return 'chainOut'
  if (sourceChainId === destChainId) return 'destChainId'
  if (submission.totalAmountIn < submission.amountPerPeriod) return 'totalAmountIn'
  if (submission.endTime <= submission.startTime || submission.endTime <= now) return 'endTime'
  if (submission.amounts.length !== submission.recipients.length) return 'amounts'
  return sumAmounts(submission) > MAX_AMOUNT ? 'amounts' : null
}
