import type { BaseError } from 'viem'

/**
 * The first of these errors among an error and its causes. By name, as viem itself does: where a project has two copies of viem,
 * its clients throw another copy's classes.
 */
export function findViemError(error: unknown, names: readonly string[]): Error | null {
  return isViemError(error)
    ? (error.walk((cause) => names.includes((cause as Error | null)?.name ?? '')) as Error | null)
    : null
}

export function isViemError(error: unknown): error is BaseError {
  return error instanceof Error && typeof (error as Partial<BaseError>).walk === 'function'
}
