import { concat, keccak256, stringToHex } from 'viem'
import type { ResponseOf } from '../messages.ts'
import type { Handler } from '../operationContext.ts'
import { publicKeys } from './publicKeys.ts'

/** The public facts about this enclave, and the quote over them. */
export const attestation: Handler<'attestation'> = async (context) => {
  const { configuration, quoter } = context
  const keys = publicKeys(context)
  const { text, digest } = configuration
  return {
    kind: quoter.kind,
    quote: await quoter.quote(attestedData(digest, keys), null),
    measurement: quoter.measurement,
    configuration: text,
    configurationDigest: digest,
    keys,
  }
}

/** What the quote is over: keccak256 of the digest of the configuration and the keys, as JSON. */
function attestedData(digest: `0x${string}`, keys: ResponseOf<'publicKeys'>) {
  return keccak256(concat([digest, stringToHex(JSON.stringify(keys))]))
}
