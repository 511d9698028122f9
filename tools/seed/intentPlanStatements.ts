import {
  BLOCK_TIME,
  FIRST_BLOCK,
  genesisOf,
  intentsOf,
  intervalOf,
  SENDERS,
  type SeedPlan,
  SOLVERS,
  TOKENS,
  WINDOWS,
} from './seedPlan.ts'
import { accountOf, SEED_SCHEMA, tokenOf } from './seedSqlFunctions.ts'

/** The working table of a source chain: one row per intent, with everything that happens to it. */
export function planTable(chain: 0 | 1): string {
  return `${SEED_SCHEMA}.plan_${chain}`
}

/** The plan without the terms' hashes, which PostgreSQL can't compute (see `hashTerms`). */
export function draftTable(chain: 0 | 1): string {
  return `${SEED_SCHEMA}.draft_${chain}`
}

/** Hashes of the terms of a source chain's intents, by their number. */
export function termsTable(chain: 0 | 1): string {
  return `${SEED_SCHEMA}.terms_${chain}`
}

/** Composes the plan from its draft and the hashes. */
export function buildIntentPlanStatements(chain: 0 | 1): string[] {
  return [
    `create unlogged table ${planTable(chain)} as
       select * from ${draftTable(chain)} join ${termsTable(chain)} using (n)`,
    `analyze ${planTable(chain)}`,
  ]
}

/** A moment's block, in SQL. */
export function blockSql(plan: SeedPlan, moment: string): string {
  return `(${FIRST_BLOCK} + (${moment} - ${genesisOf(plan)}) / ${BLOCK_TIME})`
}

/**
 * Generates the intents of one source chain. Outcomes, in per mille: 695 completed, 60 cancelled, 110 expired without a bid, 40
 * expired without a deposit, 70 failed, 25 delivered and never settled. A fifth of the expired and failed is never refunded.
 * Anything after the history's end is null, so the newest intents are still open.
 */
export function buildDraftStatement(plan: SeedPlan, chain: 0 | 1): string {
  const { chainId } = plan.chains[chain]
  const destination = plan.chains[chain === 0 ? 1 : 0].chainId
  const dice = (salt: number, sides: number) =>
    `${SEED_SCHEMA}.dice(${chainId}::bigint * 4294967296 + n, ${salt}, ${sides})`
  const past = (moment: string, when: string) =>
    `case when ${when} and ${moment} <= ${plan.until} then ${moment} end`
  const started = `select n::bigint as n, ${genesisOf(plan)}::bigint + n * ${intervalOf(plan)} as created_at,
      ${dice(1, 1000)} as outcome_die, ${dice(2, 100)} as token_die, ${dice(3, 1_000_000)} as size,
      ${dice(4, 20)} as generosity, 2 + 2 * ${dice(5, 5)} as anchor_wait,
      60 + 2 * ${dice(6, 120)} as duration, 1 + ${dice(7, 3)} as bids, ${dice(8, SOLVERS)} as bidder,
      2 * ${dice(9, 25)} as deposit_wait, 10 + 2 * ${dice(10, 300)} as solve_wait,
      6 + 2 * ${dice(11, 30)} as settle_wait, 2 + 2 * ${dice(12, 600)} as refund_wait,
      ${dice(13, SENDERS)} as sender, case when ${dice(14, 5)} = 0 then 700 else 250 end as fee_bps,
      12 + 2 * ${dice(15, 10)} as cancel_wait, ${dice(16, 10)} as swap, 1 << ${dice(17, 4)} as recipient_class
    from generate_series(1, ${intentsOf(plan, chain)}) as n`
  const planned = `select *, ${tokenCase('token_die')} as token, created_at + duration as end_time,
      outcome_die between 695 and 754 as cancels, outcome_die between 755 and 864 as unbid,
      outcome_die between 865 and 904 as undeposited, outcome_die between 905 and 974 as undelivered
    from ${fenced(started)}`
  const priced = `select *, ${perCentCase('token')} * (100 + size) as amount_a,
      case when token = 1 and swap < 3 then 2 when token = 2 and swap < 3 then 1 else token end as token_out,
      not (cancels or unbid) as is_bid, not (cancels or unbid or undeposited) as is_deposited
    from ${fenced(planned)}`
  const bidsInTime = `((${plan.until} - created_at - anchor_wait - 2) / 6 + 1)::int`
  const timed = `select *, div(amount_a * 97, 100) as expected_amount_b, div(amount_a * (1 + generosity), 1000) as reward,
      ${past('created_at + anchor_wait', 'true')} as anchored_at,
      ${past('created_at + cancel_wait', 'cancels')} as cancelled_at,
      ${past('end_time + deposit_wait', 'is_deposited')} as deposited_at,
      ${past('end_time + deposit_wait + solve_wait', 'is_deposited and not undelivered')} as solved_at,
      ${past('end_time + deposit_wait + solve_wait + settle_wait', 'is_deposited and not undelivered and outcome_die < 975')} as settled_at,
      ${past(refundTime(), 'outcome_die % 5 > 0 and (unbid or undeposited or undelivered)')} as refunded_at,
      case when is_bid and created_at + anchor_wait + 2 <= ${plan.until} then least(bids, ${bidsInTime}) else 0 end as bid_count
    from ${fenced(priced)}`
  return `create unlogged table ${draftTable(chain)} as
    select n, ${SEED_SCHEMA}.packed(${chainId}, n) as intent_id, ${chainId}::bigint as source_chain_id,
      ${destination}::bigint as dest_chain_id, ${SEED_SCHEMA}.account('sender', sender) as sender,
      ${addressCase('token', chainId)} as token_a, ${addressCase('token_out', destination)} as token_b,
      amount_a, expected_amount_b, reward, fee_bps, recipient_class, created_at, end_time,
      end_time - least(duration / 3, ${WINDOWS.firm}) as firm_at, anchored_at, cancelled_at,
      deposited_at, deposited_at + ${WINDOWS.execution} as fill_deadline, solved_at, settled_at, refunded_at,
      bid_count, created_at + anchor_wait as bids_from,
      array[${[0, 1, 2].map((i) => `(${solvers()})[1 + (bidder + ${7 * i}) % ${SOLVERS}]`).join(', ')}] as bidders,
      array[${[0, 1, 2].map((i) => `expected_amount_b + div(expected_amount_b * ${5 + 7 * i}, 10000)`).join(', ')}] as offers,
      div((amount_a + reward) * 500, 10000) as bond, div(amount_a * fee_bps, 10000) as fee
    from ${fenced(timed)}`
}

/** Keeps PostgreSQL from merging a step into the next one, which would roll a die again at each use. */
function fenced(step: string): string {
  return `(${step} offset 0) as step`
}

/** When the refund is claimed, by what it has to wait for. */
function refundTime(): string {
  const failed = WINDOWS.execution + WINDOWS.grace
  return `(end_time + refund_wait + case when undeposited then ${2 * WINDOWS.pickup}
    when undelivered then deposit_wait + ${failed} else 0 end)`
}

function tokenCase(die: string): string {
  let bound = 0
  const cases = TOKENS.map(({ share }, index) => {
    bound += share
    return `when ${die} < ${bound} then ${index + 1}`
  })
  return `case ${cases.join(' ')} end`
}

function perCentCase(token: string): string {
  const cases = TOKENS.map(({ perCent }, index) => `when ${index + 1} then ${perCent}::numeric`)
  return `case ${token} ${cases.join(' ')} end`
}

function addressCase(token: string, chainId: number): string {
  const cases = TOKENS.map(
    ({ symbol }, index) => `when ${index + 1} then '${tokenOf(symbol, chainId)}'`,
  )
  return `case ${token} ${cases.join(' ')} end`
}

function solvers(): string {
  const addresses = Array.from({ length: SOLVERS }, (_, n) => `'${accountOf('solver', n)}'`)
  return `array[${addresses.join(', ')}]`
}
