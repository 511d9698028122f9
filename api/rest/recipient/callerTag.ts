import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ApiContext } from '../../http/apiEnv.ts'
import { addressOf } from '../../http/limits/clientAddress.ts'
import type { WriteContext } from '../writeContext.ts'

/** An unsigned caller's tag: its network address, hashed with a key that only the enclave has. */
export async function callerTag(
  c: ApiContext,
  { enclave, trusts }: Pick<WriteContext, 'enclave' | 'trusts'>,
): Promise<Hex> {
  return (await enclave.tagCaller({ caller: addressOf(c, trusts) })).tag
}
