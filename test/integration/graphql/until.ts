/** Resolves once the condition holds; throws after a minute in which it didn't. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`did not come: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
