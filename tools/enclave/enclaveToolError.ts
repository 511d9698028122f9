/** A command can't be done. The message says why and what to do. */
export class EnclaveToolError extends Error {
  override readonly name = 'EnclaveToolError'
}
