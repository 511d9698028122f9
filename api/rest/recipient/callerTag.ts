import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ApiContext } from '../../http/apiEnv.ts'
import { addressOf } from '../../http/clientAddress.ts'
import type { WriteContext } from '../writeContext.ts'

/** What stands for a caller who has signed nothing: its network address, by a hash that only the enclave can make. */
export async function callerTag(
  c: ApiContext,
  { enclave, trusts }: Pick<WriteContext, 'enclave' | 'trusts'>,
): Promise<Hex> {
  return (await enclave.tagCaller({ caller: addressOf(c, trusts) })).tag
}
