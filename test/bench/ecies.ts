/**
 * `npm run bench:ecies`: encryptions and decryptions of a recovery blob per CPU second, native ECIES against eciesjs, in
 * turns within one run.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { countCiphertextBytes } from '../../core/recoveryBlob/blobLayout.ts'
import { ECIES_OVERHEAD } from '../../core/recoveryBlob/padPlaintext.ts'
import type { Ecies } from '../../services/enclave/ecies/eciesInterface.ts'
import { createPortableEcies, loadEcies } from '../../services/enclave/ecies/loadEcies.ts'
import { readOptions } from './readOptions.ts'

readOptions('npm run bench:ecies: no options', {})

const SECONDS = 2
const ROUNDS = 3

const privateKey = new Uint8Array(32).fill(7)
const publicKey = secp256k1.getPublicKey(privateKey, false)
const plaintext = new Uint8Array(countCiphertextBytes() - ECIES_OVERHEAD).fill(1)

/** Calls per CPU second over about SECONDS of CPU time. */
function rateOf(work: () => void): number {
  work()
  const begin = process.cpuUsage()
  let calls = 0
  let spent = 0
  while (spent < SECONDS) {
    for (let i = 0; i < 10; i++) work()
    calls += 10
    const { user, system } = process.cpuUsage(begin)
    spent = (user + system) / 1e6
  }
  return calls / spent
}

function ratesOf(ecies: Ecies) {
  const sealed = ecies.encrypt(publicKey, plaintext)
  return {
    encrypt: rateOf(() => ecies.encrypt(publicKey, plaintext)),
    decrypt: rateOf(() => ecies.decrypt(privateKey, sealed)),
  }
}

const native = await loadEcies()
if (native.implementation !== 'native') {
  process.stdout.write(
    'There is no native build of secp256k1 for this machine: nothing to compare.\n',
  )
  process.exit(1)
}
const portable = createPortableEcies()
const best = { native: { encrypt: 0, decrypt: 0 }, portable: { encrypt: 0, decrypt: 0 } }
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, ecies] of [
    ['native', native],
    ['portable', portable],
  ] as const) {
    const rates = ratesOf(ecies)
    best[name].encrypt = Math.max(best[name].encrypt, rates.encrypt)
    best[name].decrypt = Math.max(best[name].decrypt, rates.decrypt)
  }
}
process.stdout.write(
  `ECIES, ${plaintext.length} bytes, operations by CPU-second, best of ${ROUNDS}\n`,
)
for (const what of ['encrypt', 'decrypt'] as const) {
  const [fast, slow] = [best.native[what], best.portable[what]]
  process.stdout.write(
    `  ${what}  native ${Math.round(fast)}   eciesjs ${Math.round(slow)}   ratio ${(fast / slow).toFixed(1)}\n`,
  )
}
