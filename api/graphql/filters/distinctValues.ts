import { queryError } from '../errors/queryError.ts'
import { LIMITS } from '../limits/limits.ts'

/** The distinct values of an `in` list; undefined when it isn't given. Throws BAD_USER_INPUT for too many. */
export function distinctValues<Value>(
  name: string,
  values: readonly Value[] | null | undefined,
): Value[] | undefined {
  if (values == null) return undefined
  if (values.length > LIMITS.filterValues) {
    throw queryError('BAD_USER_INPUT', `${name} takes at most ${LIMITS.filterValues} values`)
  }
  return [...new Set(values)]
}
