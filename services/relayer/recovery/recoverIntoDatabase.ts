import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { migrate } from '../../store/database/migrate.ts'
import { bindDatabase } from '../binding/bindDatabase.ts'
import type { ChainCertificate } from './certificate.ts'
import { type RecoverOptions, recover } from './recover.ts'

/**
 * `recover` into a database in any state: it is migrated and bound to the enclave's key first.
 *
 * @throws EnclaveBindingError when the database belongs to another key
 */
export async function recoverIntoDatabase(
  options: RecoverOptions & { enclave: RecoverOptions['enclave'] & Pick<Enclave, 'publicKeys'> },
): Promise<ChainCertificate[]> {
  await migrate(options.databaseUrl)
  await bindDatabase(options.databaseUrl, options.enclave)
  return recover(options)
}
