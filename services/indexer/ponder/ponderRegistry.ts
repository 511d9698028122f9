/** What the project's files know as `ponder:registry`: takes the functions that they have for Ponder. */
export const ponder = {
  fns: [] as { name: string; fn: unknown }[],
  on(name: string, fn: unknown): void {
    this.fns.push({ name, fn })
  },
}
