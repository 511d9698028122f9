import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import type secp256k1Bindings from 'secp256k1/bindings.js'
import { loadNativeCurve } from '../ecies/nativeCurve.ts'

/** What deriving recipients' keys needs of secp256k1. Public keys are given in 33 or 65 bytes. */
type Curve = {
  implementation: 'native' | 'noble'
  /** The public key of a private key, 65 bytes. */
  publicKey(privateKey: Uint8Array): Uint8Array
  /** The shared point of both keys, 33 bytes. */
  sharedPoint(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array
  /** `publicKey + scalar·G`, 65 bytes; the scalar has 32 bytes and is below the order. */
  addScalar(publicKey: Uint8Array, scalar: Uint8Array): Uint8Array
}

/** In JavaScript: works everywhere. */
export const portableCurve: Curve = {
  implementation: 'noble',
  publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, false),
  sharedPoint: (privateKey, publicKey) => secp256k1.getSharedSecret(privateKey, publicKey, true),
  addScalar: (publicKey, scalar) => {
    const { Point } = secp256k1
    const offset = Point.BASE.multiply(bytesToNumberBE(scalar))
    return Point.fromBytes(publicKey).add(offset).toBytes(false)
  },
}

/** The fastest one available: a bundle may name 200 registered wallets, and the enclave has one thread for all. */
export const curve: Curve = await loadCurve()

/** The native one is only used if it agrees with the other: keys that differ would lose what is paid to them. */
async function loadCurve(): Promise<Curve> {
  const bindings = await loadNativeCurve()
  if (bindings === null) return portableCurve
  const native = createNativeCurve(bindings)
  return agree(native, portableCurve) ? native : portableCurve
}

/** libsecp256k1, thirty times as fast. */
function createNativeCurve(bindings: typeof secp256k1Bindings): Curve {
  const x = new Uint8Array(32)
  const y = new Uint8Array(32)
  const point = new Uint8Array(33)
  /** The addon has just written the shared point to `x` and `y`. */
  const compressedPoint = () => {
    point[0] = 2 + (y[31]! & 1)
    point.set(x, 1)
    return point
  }
  const options = { hashfn: compressedPoint, xbuf: x, ybuf: y }
  return {
    implementation: 'native',
    publicKey: (privateKey) => bindings.publicKeyCreate(privateKey, false),
    sharedPoint: (privateKey, publicKey) =>
      bindings.ecdh(publicKey, privateKey, options, new Uint8Array(33)),
    addScalar: (publicKey, scalar) => bindings.publicKeyTweakAdd(publicKey, scalar, false),
  }
}

function agree(one: Curve, other: Curve): boolean {
  const [first, second] = [new Uint8Array(32).fill(5), new Uint8Array(32).fill(9)]
  const everything = (curve: Curve) => {
    const publicKey = curve.publicKey(first)
    const points = [publicKey, curve.sharedPoint(second, publicKey)]
    return Buffer.concat([...points, curve.addScalar(publicKey, second)]).toString('hex')
  }
  try {
    return everything(one) === everything(other)
  } catch {
    return false
  }
}
