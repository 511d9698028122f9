import { requirePort } from './requirePort.ts'

/**
 * A loopback TCP port that was free a moment ago. The caller must still expect that another program takes it
 * first.
 */
export async function findFreePort(): Promise<number> {
  return (await requirePort('127.0.0.1', 0)).port
}
