/**
 * The messages between a role that runs as a child process and its parent: that it is ready, with its address if it
 * listens; a text for its operator.
 */
export type RoleMessage = { type: 'ready'; url: string | null } | { type: 'notice'; text: string }

/** Asks a role to end in order. */
export const END_ROLE = 'end'

/** The first message to a held role: the missing variables, or that the role is no longer needed. */
export type HeldRoleMessage =
  | { type: 'environment'; variables: NodeJS.ProcessEnv }
  | typeof END_ROLE
