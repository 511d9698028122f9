import pg from 'pg'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import { bindEnclave } from './bindEnclave.ts'

/**
 * `bindEnclave` over a connection of its own.
 *
 * @throws EnclaveBindingError
 */
export async function bindDatabase(
  databaseUrl: string,
  enclave: Pick<Enclave, 'publicKeys'>,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await bindEnclave(client, enclave)
  } finally {
    await client.end()
  }
}
