import { bytesToHex, concat, keccak256, stringToHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { AttestationQuoter } from '../attestation/attestationQuoter.ts'
import type { Handler, OperationContext } from '../operationContext.ts'
import type { ResponseOf } from '../operationSchemas.ts'

/** The latest quote over an enclave's identity: hardware makes one slowly, and anyone may ask for it. */
const latest = new WeakMap<AttestationQuoter, { data: Hex; quote: Promise<Hex> }>()

/** The public facts about this enclave, and the quote over them. */
export const attestEnclaveIdentity: Handler<'attestation'> = async (context) => {
  const { configuration, quoter } = context
  const keys = publicKeys(context)
  const { text, digest } = configuration
  return {
    kind: quoter.kind,
    quote: await quoteOnce(quoter, hashAttestedData(digest, keys)),
    measurement: quoter.measurement,
    configuration: text,
    configurationDigest: digest,
    keys,
  }
}

function quoteOnce(quoter: AttestationQuoter, data: Hex): Promise<Hex> {
  const known = latest.get(quoter)
  if (known?.data === data) return known.quote
  const quote = quoter.quote(data, null)
  latest.set(quoter, { data, quote })
  quote.catch(() => latest.delete(quoter))
  return quote
}

/** The quote's subject: keccak256 of the configuration's digest and the keys, as JSON. */
function hashAttestedData(digest: Hex, keys: ResponseOf<'publicKeys'>) {
  return keccak256(concat([digest, stringToHex(JSON.stringify(keys))]))
}

/** The public halves of the keys in use. */
export function publicKeys({ keyring, attester }: OperationContext): ResponseOf<'publicKeys'> {
  const { current, byId, relayer } = keyring
  return {
    eciesPublicKey: bytesToHex(current.publicKey),
    keyId: current.id,
    attester: attester.current.address.toLowerCase() as Hex,
    nextAttester: (attester.next?.address.toLowerCase() ?? null) as Hex | null,
    relayer: relayer.address.toLowerCase() as Hex,
    previousKeyIds: [...byId.keys()].filter((id) => id !== current.id),
  }
}
