/**
 * `isValidDelivery` as a boolean SQL expression: the intent's winner has a delivery that counts.
 *
 * @param intent alias of the intent's row
 */
export function buildValidDeliverySql(intent: string): string {
  return `EXISTS (
    SELECT 1 FROM cairn.delivery AS valid_delivery
    WHERE valid_delivery.source_chain_id = ${intent}.source_chain_id
      AND valid_delivery.intent_id = ${intent}.intent_id
      AND valid_delivery.solver = ${intent}.solver
      AND valid_delivery.dest_chain_id = ${intent}.dest_chain_id
      AND valid_delivery.params_hash = ${intent}.params_hash
      AND valid_delivery.token_b = ${intent}.token_b
      AND valid_delivery.amount_b >= ${intent}.winning_amount_b
      AND valid_delivery.solved_at < ${intent}.fill_deadline)`
}
