export const USAGE = `Restores the relayer's own data from the chains and the root secret.

  npm run recover -- [options]

  --chain <name>        only this chain; repeatable
  --certificate <file>  write the completeness certificate to this file, as JSON
  --json                print the certificate as JSON instead of text
  --threads <n>         threads that open blobs (default: one per core)
  --from-start          read everything again: if an earlier run believed a node that you don't trust now, or
                        rows were lost or changed since
  --help                print this

DATABASE_URL       the PostgreSQL whose schema "app" to fill; it is migrated first
CHAINS             path of the chains file
ENCLAVE_ROOT_FILE  an existing root secret's file, or
ENCLAVE_SOCKET     the socket of a running enclave

Existing rows stay. An interrupted run continues where it stopped.

With several rpcUrls for a chain, each range of blocks is compared. A node that receipts, hashes or most others
prove wrong is left out and named; where nothing shows who is wrong, the run fails and names both. With one,
the output says what was believed.

Exit codes: 0 everything was recovered · 1 intents are missing, or some blobs couldn't be opened or Safes derived
            2 it failed`
