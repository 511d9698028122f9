/**
 * A parsed notification; null if it is unreadable. Every database role may notify on any channel, and an
 * exception in a listener would end the process.
 */
export function readNotice<Notice>(
  payload: string | undefined,
  read: (payload: string) => Notice,
): Notice | null {
  try {
    return read(payload ?? '')
  } catch {
    return null
  }
}
