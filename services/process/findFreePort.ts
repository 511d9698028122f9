import { requireFreePort } from './requireFreePort.ts'

/** Finds a loopback TCP port that is free now. Another program may still take it first. */
export async function findFreePort(): Promise<number> {
  return (await requireFreePort('127.0.0.1', 0)).port
}
