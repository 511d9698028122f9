/** Does nothing but ECDH for the given number of seconds, and posts how many it did. */
import { parentPort, workerData } from 'node:worker_threads'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import curve from 'secp256k1/bindings.js'

const seconds = workerData as number
const privateKey = new Uint8Array(32).fill(7)
const publicKey = secp256k1.getPublicKey(privateKey, false)
const [x, y, point, out] = [32, 32, 65, 65].map((size) => new Uint8Array(size)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const options = { hashfn: () => point, xbuf: x, ybuf: y }
const end = performance.now() + seconds * 1_000
let count = 0
while (performance.now() < end) {
  for (let i = 0; i < 100; i++) curve.ecdh(publicKey, privateKey, options, out)
  count += 100
}
parentPort?.postMessage(count)
