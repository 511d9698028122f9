/** The result of trying an effect. */
export type Outcome =
  /** A transaction was requested, or nothing more is needed: the facts will show it. */
  | { is: 'under-way' }
  /** Nothing more is to be done. */
  | { is: 'done' }
  /** It can't be done now; later it may. */
  | { is: 'waiting'; reason: string; detail?: string }
  /** It can't be done unless the intent changes. */
  | { is: 'refused'; reason: string; detail?: string }
