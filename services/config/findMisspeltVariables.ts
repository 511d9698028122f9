import type { Environment } from './environmentVariableSchemas.ts'

/**
 * Variables that are set but probably misspelt, as sentences for the operator: without them, a role would quietly use the
 * default. One whose likeness is set as well isn't: `DATABASE_USER` beside `DATABASE_URL` is another program's.
 *
 * @param known all variables of all roles
 */
export function findMisspeltVariables(env: Environment, known: ReadonlySet<string>): string[] {
  return Object.keys(env).flatMap((name) => {
    if (known.has(name)) return []
    const meant = [...known].find((one) => env[one] === undefined && isLike(name, one))
    return meant ? [`${name} is ignored: did you mean ${meant}?`] : []
  })
}

/** Whether a name lacks the other's last words, or differs from it in a few letters. */
function isLike(name: string, known: string): boolean {
  if (name.includes('_') && known.startsWith(`${name}_`)) return true
  const most = known.length < 12 ? 1 : 3
  return Math.abs(name.length - known.length) <= most && countEdits(name, known) <= most
}

/** The least number of letters to insert, delete or replace that makes one name the other. */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1]
    for (const [at, wanted] of [...other].entries()) {
      const [left = 0, above = 0, corner = 0] = [next[at], row[at + 1], row[at]]
      next.push(Math.min(left + 1, above + 1, corner + (letter === wanted ? 0 : 1)))
    }
    row = next
  }
  return row[other.length] ?? 0
}
