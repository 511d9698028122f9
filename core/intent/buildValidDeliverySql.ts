/**
 * `isValidDelivery` as a boolean SQL expression: the intent's winner has a delivery that counts. `intent` is the alias
 * of the intent's row, `deliveries` the table or view of deliveries.
 */
export function buildValidDeliverySql(intent: string, deliveries = 'cairn.delivery'): string {
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
