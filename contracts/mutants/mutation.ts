/** One planted bug: `find` occurs exactly once in `file` (below contracts/src) and becomes `replace`. */
export type Mutation = { label: string; file: string; find: string; replace: string }

/** A mutation that the suite is known not to notice, and why that is right. */
export type Survivor = { label: string; reason: string }
