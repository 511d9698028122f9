/**
 * Makes a token's name safe to show beside its address: one line of visible characters, without any that change the writing
 * direction, join, hide or overlap others. Null if nothing is left. It may still look like another token's name.
 *
 * @param most limit on characters; longer text is cut and ends with an ellipsis
 */
export function toPrintableText(text: string, most: number): string | null {
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
