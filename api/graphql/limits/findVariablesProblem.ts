import { LIMITS } from './limits.ts'

/**
 * What is too much in an operation's variables, in words; null: nothing. Checked before they are coerced, which has no limits
 * of its own: twenty thousand empty filters keep it busy for tenths of a second.
 */
export function findVariablesProblem(variables: unknown): string | null {
  let values = 0
  const visit = (value: unknown, depth: number): string | null => {
    values += 1
    if (values > LIMITS.variableValues)
      return `variables hold at most ${LIMITS.variableValues} values`
    if (typeof value !== 'object' || value === null) return null
    if (depth > LIMITS.variableDepth) return `variables nest at most ${LIMITS.variableDepth} deep`
    for (const inner of Object.values(value)) {
      const problem = visit(inner, depth + 1)
      if (problem !== null) return problem
    }
    return null
  }
  return visit(variables, 0)
}
