/**
 * Whether what a node answered can be sent on. JSON is parsed to any depth, but written only to a few thousand levels, so that
 * one node could break the proxy.
 */
export function isWritable(result: unknown): boolean {
  try {
    JSON.stringify(result)
    return true
  } catch {
    return false
  }
}
