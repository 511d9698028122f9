import * as z from 'zod/mini'
import { requestRelayer } from '../../../../sdk/relayer/requestRelayer.ts'

const answer = z.object({ intent: z.record(z.string(), z.unknown()) })

/** The server's record of an intent, whose values may be anything. @throws RelayerError */
export async function fetchIndexedRecord(
  origin: string,
  intentId: bigint,
): Promise<Record<string, unknown>> {
  const address = { baseUrl: origin, service: 'this server' }
  return (await requestRelayer(address, { path: `/intent-details/${intentId}` }, answer)).intent
}
