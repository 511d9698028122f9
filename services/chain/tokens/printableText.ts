/**
 * A token's own name, made safe to show beside its address: one line of visible characters, with
 * nothing that turns the direction of writing, joins, hides or overlaps. Null if nothing is left.
 *
 * It may still look like another token's: show the address too.
 *
 * @param most characters; what is longer is cut, with an ellipsis at its end
 */
export function printableText(text: string, most: number): string | null {
  const visible = text
    .normalize('NFKC')
    .replaceAll(/[\p{Z}\s]+/gu, ' ')
    // Control and format characters (bidirectional ones are among them), marks, private use, unassigned.
    .replaceAll(/[\p{C}\p{M}\u115f\u1160\u2800\u3164\uffa0]/gu, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  const characters = [...visible]
  if (characters.length === 0) return null
  const shown = characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : visible
  return shown.length > most ? null : shown
}
