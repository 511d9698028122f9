/** Steps of an intent, one event each; `solve` is on the destination chain. */
export const REORG_STEPS = [
  ...(['create', 'anchor', 'bid', 'deposit', 'solve', 'settle'] as const),
  ...(['cancel', 'refund expired', 'refund failed'] as const),
] as const
export type ReorgStep = (typeof REORG_STEPS)[number]

/** Blocks reorganised away. Ponder follows reorganisations of up to 30. */
const DEPTHS = [1, 2, 5, 12, 29] as const

/** `gone`: the transaction is lost; `elsewhere`: it is mined again in another block. */
const FATES = ['gone', 'elsewhere'] as const

/** A reorganisation whose lowest block contains the step's event. */
export type ReorgCase = {
  step: ReorgStep
  depth: (typeof DEPTHS)[number]
  fate: (typeof FATES)[number]
}

/** Every depth at every step with both fates: 90 cases. */
export function listAllReorgCases(): ReorgCase[] {
  return REORG_STEPS.flatMap((step) =>
    DEPTHS.flatMap((depth) => FATES.map((fate) => ({ step, depth, fate }))),
  )
}

/** Every step, depth and fate at least once: 9 cases. */
export function listFewReorgCases(): ReorgCase[] {
  return REORG_STEPS.map((step, at) => ({
    step,
    depth: DEPTHS[at % DEPTHS.length]!,
    fate: FATES[at % FATES.length]!,
  }))
}
