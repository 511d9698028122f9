import type { BaseError } from 'viem'

/**
 * Finds the first of these errors among an error and its causes. Compares names, as viem itself does: in a project with two
 * copies of viem, an error may be of the other copy's class.
 */
export function findViemError(error: unknown, names: readonly string[]): Error | null {
  return isViemError(error)
    ? (error.walk((cause) => names.includes((cause as Error | null)?.name ?? '')) as Error | null)
    : null
}

export function isViemError(error: unknown): error is BaseError {
  return error instanceof Error && typeof (error as Partial<BaseError>).walk === 'function'
}
