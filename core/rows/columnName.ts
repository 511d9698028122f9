/** SQL name of a column: `chain2IntentId` is `chain2_intent_id`, `amountA` is `amount_a`. */
export function toColumnName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
