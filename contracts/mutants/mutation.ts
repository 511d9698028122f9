/** A planted bug: `find` occurs exactly once in `file` (below contracts/src) and becomes `replace`. */
export type Mutation = { label: string; file: string; find: string; replace: string }

/** A mutation the suite can't catch, and why that is acceptable. */
export type Survivor = { label: string; reason: string }
