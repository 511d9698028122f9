/**
 * The delivery that counts (`winnersDeliveryOf`), as a row of `cairn.delivery`, for a row aliased `intent`:
 * the winner's on the destination chain that the settlement names, else its first valid one, else its
 * first. One at most, however often the winner delivers.
 *
 * @param condition on a row aliased `d`, trusted SQL
 * @param knowsSettlement false to look at it as before the settlement
 */
export function winnersDeliverySql(condition = 'true', knowsSettlement = true): string {
  const named = 'd.chain2_intent_id is distinct from intent.chain2_intent_id, '
  return `select d.* from cairn.delivery d
  where d.source_chain_id = intent.source_chain_id and d.intent_id = intent.intent_id
    and d.solver = intent.solver and d.dest_chain_id = intent.dest_chain_id and ${condition}
  order by ${knowsSettlement ? named : ''}not (${IS_VALID}), d.chain2_intent_id
  limit 1`
}

/** `isValidDelivery` for the winner's deliveries on the right chain. */
const IS_VALID = `d.params_hash = intent.params_hash and d.token_b = intent.token_b
    and d.amount_b >= intent.winning_amount_b and d.solved_at < intent.fill_deadline`
