/**
 * A value as JSON for a terminal or a file: the characters that `printable` removes are escaped, so that the value stays the
 * same.
 */
export function printableJson(
  value: unknown,
  {
    replacer,
    indent = 2,
  }: { replacer?: (key: string, value: unknown) => unknown; indent?: number } = {},
): string {
  return JSON.stringify(value, replacer, indent).replaceAll(/[^\P{C}\n]/gu, escapeCharacter)
}

/** Beyond 16 bits a character is two units, as JSON has it. */
function escapeCharacter(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return units.map((unit) => `\\u${unit}`).join('')
}
