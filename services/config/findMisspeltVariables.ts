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
  return Math.abs(name.length - known.length) <= most && isWithinEdits(name, known, most)
}

/** Whether at most `most` inserted, deleted, replaced or swapped letters make one name the other. */
function isWithinEdits(one: string, other: string, most: number): boolean {
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  const [left, right] = [one.slice(same), other.slice(same)]
  if (left === right) return true
  if (most === 0) return false
  const isSwapped = left[0] === right[1] && left[1] === right[0]
  return (
    (isSwapped && isWithinEdits(left.slice(2), right.slice(2), most - 1)) ||
    isWithinEdits(left.slice(1), right.slice(1), most - 1) ||
    isWithinEdits(left.slice(1), right, most - 1) ||
    isWithinEdits(left, right.slice(1), most - 1)
  )
}
