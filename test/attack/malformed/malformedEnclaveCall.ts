import type { OperationName, RequestOf } from '../../../services/enclave/enclaveInterface.ts'
import { MAX_FRAME_BYTES } from '../../../services/enclave/socket/messageFrames.ts'
import type { SeededRandom } from '../../rig/seededRandom.ts'
import { corruptInput, drawJson, drawText, type KnownValues } from './corruptInput.ts'

/** A request for each operation that it accepts, or at least examines closely. */
type GoodRequests = { [Name in OperationName]: RequestOf<Name> }

/** @param publicKey the enclave's key, which `sealed` was encrypted to */
export function buildValidRequests(publicKey: `0x${string}`): GoodRequests {
  const chainId = 84_532
  const intentId = String((BigInt(chainId) << 64n) | 1n)
  const recipientAddress = `0x${'ab'.repeat(20)}` as const
  const bytes = `0x${'5e'.repeat(512)}` as const
  const signature = `0x${'ab'.repeat(65)}` as const
  const hash = `0x${'33'.repeat(32)}` as const
  const bindings = {
    sourceChainId: chainId,
    bridge: recipientAddress,
    user: recipientAddress,
    intentId,
    paramsHash: hash,
  }
  const bundle = {
    recipients: [recipientAddress],
    amounts: ['5'],
    n: 1,
    salt: hash,
    metadata: { note: 'rent' },
  }
  const delivery = { recipientAddress, chainId, intentId, index: 0 }
  const storage = {
    blockNumber: 7,
    accountProof: [bytes],
    storageProofs: [{ slot: hash, proof: [bytes] }],
  }
  const blobs = [
    { kind: 1, blob: bytes },
    { kind: 2, blob: '0x' },
  ]
  const intent = { ...storage, sourceChainId: chainId, intentId, blobs }
  const signed = { signature, signer: recipientAddress }
  const registries = [{ chainId, evidence: storage }]
  return {
    publicKeys: {},
    openBundle: { ciphertext: bytes, sourceChainId: chainId, intentId, sender: recipientAddress },
    sealBlob: { ...bindings, ...bundle, createdAt: 1_700_000_000, signature },
    openBlob: { blob: bytes, expected: bindings },
    openBlobs: { blobs: [{ blob: bytes, expected: bindings }] },
    signAnchor: { intent, proposal: bytes, tickets: [bytes] },
    signAppend: { intent, proposal: bytes, tickets: [bytes] },
    revealToWinner: { intent },
    attestSettlement: { intent, destChainId: chainId, delivery: storage },
    attestNotDelivered: { intent, delivery: storage },
    signTransaction: {
      chainId,
      nonce: 0,
      to: recipientAddress,
      data: bytes,
      value: '0',
      gas: '100000',
      maxFeePerGas: '1000000000',
      maxPriorityFeePerGas: '1',
      ticket: bytes,
    },
    provePossession: {
      chainId,
      operator: recipientAddress,
      evidenceHash: hash,
      challenge: hash,
      deadline: '1900000000',
    },
    quote: { chainId, challenge: hash, verifier: recipientAddress },
    attestation: {},
    registerRecipient: { recipientAddress, signature, contractOn: chainId },
    tagRecipients: { recipients: [{ recipientAddress, contractOn: chainId }] },
    tagCaller: { caller: '198.18.0.1' },
    deriveStealth: delivery,
    deriveStealths: { deliveries: [{ ...delivery, keyId: '0x01020304' }] },
    exportStealthKey: {
      ...delivery,
      stealthAddress: recipientAddress,
      signature,
      contractOn: chainId,
      challenge: { timestamp: 1_700_000_000, signature },
    },
    formerGasAccounts: {},
    signFormerGasTransfer: {
      chainId,
      from: recipientAddress,
      value: '1',
      nonce: 0,
      gas: '21000',
      maxFeePerGas: '1000000000',
      maxPriorityFeePerGas: '1',
    },
    // There is no next key, so no variant of this request can rotate a key.
    rotateAttester: { step: 'promote' },
    requestRoot: {},
    handOverRoot: {
      transportKey: publicKey,
      ...signed,
      registries: [{ ...registries[0]!, operatorSignatures: [signature] }],
    },
    acceptRoots: { sealedRoots: bytes, ...signed, registries },
    orderKeys: {},
    signFunding: { encrypted: bytes, message: 'TWAP_ORDER', signature, deadline: 1_900_000_000 },
    signTranche: { sourceChainId: chainId, encrypted: bytes, n: 0 },
    sealTrancheBundle: { sourceChainId: chainId, encrypted: bytes, n: 0, intentId },
    signClose: {
      sourceChainId: chainId,
      orderId: hash,
      by: { encrypted: bytes, message: 'TWAP_CANCEL', signature },
    },
    readOrder: { sourceChainId: chainId, encrypted: bytes, message: 'TWAP_READ', signature },
    signOrderTransaction: {
      chainId,
      nonce: 0,
      to: recipientAddress,
      data: bytes,
      gas: '100000',
      maxFeePerGas: '1000000000',
      maxPriorityFeePerGas: '1',
    },
  }
}

/** A malformed call for the enclave's socket, as a compromised relayer could send. */
export function drawMalformedEnclaveCall(
  random: SeededRandom,
  good: GoodRequests,
  known: KnownValues,
): { operation: string; request: unknown } {
  const names = Object.keys(good) as OperationName[]
  const name = random.pick(names)
  const kind = random.fraction()
  const operation = kind < 0.05 ? drawText(random, known).slice(0, 64) : name
  if (kind < 0.1) return { operation, request: good[random.pick(names)] }
  if (kind < 0.2) return { operation, request: drawJson(random, known, 4) }
  return { operation, request: corruptInput(random, good[name], known) }
}

/** Bytes that are no call: the enclave closes the connection after them. */
export function drawGarbage(random: SeededRandom, known: KnownValues): Buffer {
  const kind = random.fraction()
  if (kind < 0.2) return Buffer.from('GET / HTTP/1.1\r\n\r\n')
  if (kind < 0.4) return addLength(Buffer.from('{"id":1,"operation":"publicKeys"'))
  if (kind < 0.6) return addLength(Buffer.from(JSON.stringify(drawJson(random, known, 3))))
  if (kind < 0.8) return addLength(Buffer.from('['.repeat(100_000)))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(MAX_FRAME_BYTES + 1 + Math.floor(random.fraction() * 2 ** 31))
  return length
}

function addLength(body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}
