import { END_ROLE, type HeldRoleMessage } from './roleMessages.ts'

/** Set in a role that starts before all of its variables are known. */
export const HELD_ROLE = 'CAIRN_ROLE_IS_HELD'

/**
 * Returns a role's environment. A held role loads while its parent still starts what the role needs, and receives the
 * missing variables afterwards; it ends if its parent says so or is gone.
 *
 * @param load loads the role's modules
 */
export async function awaitRoleEnvironment(
  load: () => Promise<unknown>,
): Promise<NodeJS.ProcessEnv> {
  if (!process.env[HELD_ROLE]) return process.env
  const whole = released()
  await load()
  return whole
}

function released(): Promise<NodeJS.ProcessEnv> {
  const leave = () => process.exit(0)
  if (!process.connected) leave()
  process.once('disconnect', leave)
  return new Promise((resolve) => {
    process.once('message', (message: HeldRoleMessage) => {
      if (message === END_ROLE) return leave()
      process.off('disconnect', leave)
      // This role's own children must start at once, not wait as it did.
      delete process.env[HELD_ROLE]
      resolve(Object.assign(process.env, message.variables))
    })
  })
}
