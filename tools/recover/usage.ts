export const USAGE = `Restores the relayer's own data from the chains and the root secret.

  npm run recover -- [options]

  --chain <name>        only this chain, repeatable
  --certificate <file>  write the completeness certificate there, as JSON
  --json                print the certificate as JSON instead of text
  --threads <n>         threads that open blobs (default: one per core)
  --help

DATABASE_URL       the PostgreSQL whose schema "app" is filled; it is migrated first
CHAINS             path of the chains file
ENCLAVE_ROOT_FILE  the root secret's file (never made here), or
ENCLAVE_SOCKET     the socket of a running enclave

Existing rows stay. An interrupted run continues where it stopped.

Exit code: 0 everything was read, 1 some blobs could not be opened or Safes not derived, 2 it could not be done.`
