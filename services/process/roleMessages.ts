/** The messages between a role that runs as a child process and its parent. */
export type RoleMessage =
  /** It is ready; `url` is where it can be reached, if it listens. */
  | { type: 'ready'; url: string | null }
  /** Something its operator should know. */
  | { type: 'notice'; text: string }

/** Sent to a role to end it in order. */
export const END_ROLE = 'end'

/** The first message to a held role: the variables that it still needs, or that it is no longer requested. */
export type HeldRoleMessage =
  | { type: 'environment'; variables: NodeJS.ProcessEnv }
  | typeof END_ROLE
