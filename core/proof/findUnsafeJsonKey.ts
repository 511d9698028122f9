/** A key that occurs twice in a JSON object, or is forbidden. */
type UnsafeJsonKey = { key: string; kind: 'duplicate' | 'forbidden' }

/** Keys with a meaning in JavaScript objects. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * The first suspect key of a JSON text, or null. `JSON.parse` silently keeps the last of two equal
 * keys, so two readers could see different proofs in the same file. `text` must be valid JSON; keys
 * are compared after their escapes are resolved.
 */
export function findUnsafeJsonKey(text: string): UnsafeJsonKey | null {
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{') open.push(new Set())
    else if (character === '[') open.push(null)
    else if (character === '}' || character === ']') open.pop()
    else if (character === '"') {
      const end = findEndOfString(text, at)
      if (isKey(text, end)) {
        const suspect = judgeKey(JSON.parse(text.slice(at, end)), open.at(-1))
        if (suspect !== null) return suspect
      }
      at = end - 1
    }
  }
  return null
}

/** Position after the closing quote of the string that opens at `start`. */
function findEndOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote + 1
}

function isEscaped(text: string, quote: number): boolean {
  let before = quote
  while (text[before - 1] === '\\') before--
  return (quote - before) % 2 === 1
}

/** In valid JSON only a key is followed by a colon. */
function isKey(text: string, end: number): boolean {
  let at = end
  while (' \t\n\r'.includes(text[at] ?? 'x')) at++
  return text[at] === ':'
}

function judgeKey(key: string, seen: Set<string> | null | undefined): UnsafeJsonKey | null {
  if (FORBIDDEN.has(key)) return { key, kind: 'forbidden' }
  if (seen?.has(key)) return { key, kind: 'duplicate' }
  seen?.add(key)
  return null
}
