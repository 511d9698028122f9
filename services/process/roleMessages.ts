/** What a role that runs as a child process tells its parent, and hears from it. */
export type RoleMessage =
  /** It does its work now; `url` where it can be reached, if it listens. */
  | { type: 'ready'; url: string | null }
  /** Something its operator should know. */
  | { type: 'notice'; text: string }

/** Sent to a role to end it in order. */
export const END_ROLE = 'end'
