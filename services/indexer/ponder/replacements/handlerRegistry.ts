/** The project's `ponder:registry`: collects the handlers for Ponder. */
export const ponder = {
  fns: [] as { name: string; fn: unknown }[],
  on(name: string, fn: unknown): void {
    this.fns.push({ name, fn })
  },
}
