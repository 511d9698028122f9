import type { StatusSqlInputs } from './statusBranches.ts'

/**
 * The rule of `status` as one SQL expression of type text. `sql` names its inputs: the alias of the
 * intent's row, and expressions for "has a valid delivery" and for the two chains' head timestamps.
 *
 * An unknown comparison (no clock) falls through to the branch that waits.
 */
export function statusSql({ intent, delivered, sourceClock, destClock }: StatusSqlInputs): string {
  return `CASE ${intent}.phase
    WHEN 'open' THEN
      CASE WHEN ${sourceClock} >= ${intent}.end_time THEN 'expired' ELSE 'pending' END
    WHEN 'bidding' THEN
      CASE WHEN ${sourceClock} >= ${intent}.pickup_deadline THEN 'expired' ELSE 'pending' END
    WHEN 'deposited' THEN
      CASE WHEN ${delivered} THEN 'settled'
           WHEN ${destClock} >= ${intent}.fill_deadline THEN 'failed'
           ELSE 'solving' END
    ELSE ${intent}.phase
  END`
}

/**
 * The rule of `isValidDelivery` as a boolean SQL expression: the intent's winner has a delivery that
 * counts. `intent` is the alias of the intent's row, `deliveries` the table or view to look in.
 */
export function validDeliverySql(intent: string, deliveries = 'cairn.delivery'): string {
  return `EXISTS (
    SELECT 1 FROM ${deliveries} AS valid_delivery
    WHERE valid_delivery.source_chain_id = ${intent}.source_chain_id
      AND valid_delivery.intent_id = ${intent}.intent_id
      AND valid_delivery.solver = ${intent}.solver
      AND valid_delivery.dest_chain_id = ${intent}.dest_chain_id
      AND valid_delivery.params_hash = ${intent}.params_hash
      AND valid_delivery.token_b = ${intent}.token_b
      AND valid_delivery.amount_b >= ${intent}.winning_amount_b
      AND valid_delivery.solved_at < ${intent}.fill_deadline)`
}
