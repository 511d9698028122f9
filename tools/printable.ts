/**
 * A text without characters that move a terminal's cursor or turn its text around. Nodes, contracts and files that nobody
 * vouches for choose parts of what tools print.
 */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, '')
}
