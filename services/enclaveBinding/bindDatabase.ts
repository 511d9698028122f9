import { type Hex, hexToBytes } from 'viem'
import { OperatorError } from '../config/operatorError.ts'
import { EnclaveError } from '../enclave/enclaveError.ts'
import type { Enclave } from '../enclave/enclaveInterface.ts'
import { OPERATIONS, type OperationName } from '../enclave/operationSchemas.ts'
import { openSingleConnection } from '../store/database/openSingleConnection.ts'

/** The enclave's keys aren't those that the database was filled with. */
export class EnclaveBindingError extends OperatorError {
  override readonly name = 'EnclaveBindingError'
}

/**
 * Binds a database at its first start to the enclave to whose key its bundles are sealed, and checks this at every
 * later one. Accepts another current key if the enclave still has the old one among its previous keys, as after a
 * rotation of the root.
 *
 * @throws EnclaveBindingError when the enclave has none of the database's keys
 */
export async function bindDatabase(
  databaseUrl: string,
  enclave: Pick<Enclave, 'publicKeys'>,
): Promise<void> {
  const { eciesPublicKey, keyId, previousKeyIds } = await enclave.publicKeys()
  const [id, key] = [hexToBytes(keyId), hexToBytes(eciesPublicKey)]
  const database = await openSingleConnection(databaseUrl, 'cairn_binding')
  try {
    // If two processes start together, one writes, and both then read the same.
    await database.query(
      `insert into app.enclave_binding (key_id, public_key) values ($1, $2) on conflict (sole) do nothing`,
      [id, key],
    )
    const { rows } = await database.query(
      `select '0x' || encode(key_id, 'hex') as key_id, '0x' || encode(public_key, 'hex') as public_key
       from app.enclave_binding`,
    )
    const bound: { key_id: Hex; public_key: string } = rows[0]
    if (bound.public_key === eciesPublicKey) return
    if (!previousKeyIds.includes(bound.key_id)) {
      throw new EnclaveBindingError(
        `this database belongs to the enclave key ${bound.key_id}, and the enclave has ${[keyId, ...previousKeyIds].join(', ')}: its root file was changed or is missing. Restore the root file from its backup. Only if the earlier root is lost for good, or was used here by mistake, start with an empty database: nothing sealed in this database can be opened any more`,
      )
    }
    await database.query(
      `update app.enclave_binding set key_id = $1, public_key = $2, bound_at = now() where key_id = $3`,
      [id, key, hexToBytes(bound.key_id)],
    )
  } finally {
    await database.end()
  }
}

/** Milliseconds before a failed check of the binding is repeated. */
const AGAIN_AFTER = 2_000

/**
 * An enclave that gets no request before it is known to be the database's: what another one seals could never be opened
 * again. The binding is checked on first use.
 *
 * @param bind `bindDatabase` of the database and this enclave
 * @param onMismatch called each time that the enclave is another one; calls then reject with `ENCLAVE_UNREACHABLE`
 */
export function createBoundEnclave(
  enclave: Enclave,
  bind: () => Promise<void>,
  onMismatch: (error: EnclaveBindingError) => void,
): Enclave {
  let tie: Promise<void> | null = null

  function check(): Promise<void> {
    return bind().catch((error: unknown) => {
      setTimeout(() => {
        tie = null
      }, AGAIN_AFTER).unref()
      if (!(error instanceof EnclaveBindingError)) throw error
      onMismatch(error)
      throw new EnclaveError('ENCLAVE_UNREACHABLE')
    })
  }

  const operations = (Object.keys(OPERATIONS) as OperationName[]).map((name) => {
    const ask = enclave[name] as (request?: unknown) => Promise<unknown>
    const askBound = async (request?: unknown) => {
      tie ??= check()
      await tie
      return ask(request)
    }
    return [name, askBound]
  })
  return Object.fromEntries(operations)
}
