/** Whether an address is there and is the other one, in any letter case. */
export function sameAddress(a: string | null, b: string): boolean {
  return a !== null && a.toLowerCase() === b.toLowerCase()
}
