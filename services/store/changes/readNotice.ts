/**
 * What a notification says; null of one that can't be read. Every role of the database may notify on any channel, and
 * what a listener throws would end the process.
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
