import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { type Repeated, repeat } from '../../process/repeat.ts'

const EVERY_MS = 2_000
const PATIENCE_MS = 3_000

/** Checks periodically whether the enclave answers. */
export function watchEnclave(
  enclave: Pick<Enclave, 'publicKeys'>,
): Repeated & { state(): 'ok' | 'unreachable' } {
  let state: 'ok' | 'unreachable' = 'ok'
  const watching = repeat(
    EVERY_MS,
    () => {},
    async () => {
      const asked = enclave.publicKeys().then(
        () => 'ok' as const,
        () => 'unreachable' as const,
      )
      const late = new Promise<'unreachable'>((resolve) => {
        setTimeout(() => resolve('unreachable'), PATIENCE_MS).unref()
      })
      state = await Promise.race([asked, late])
    },
  )
  return { state: () => state, stop: () => watching.stop() }
}
