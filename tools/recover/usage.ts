export const USAGE = `Brings the relayer's own data back from the chains and the root secret.

  npm run recover -- [options]

  --chain <name>        only this chain, repeatable
  --certificate <file>  write the completeness certificate there, as JSON
  --json                print the certificate as JSON instead of for people
  --threads <n>         threads that open blobs (default: one for each core)
  --help

DATABASE_URL       the PostgreSQL whose schema "app" is to be filled; it is migrated first
CHAINS             path of the chains file
ENCLAVE_ROOT_FILE  the root secret's file (never made here), or
ENCLAVE_SOCKET     the socket of a running enclave

What is in the database stays. A run that was ended goes on where it was.

Exit code: 0 everything was read, 1 some blobs could not be opened or Safes not derived, 2 it could not be done.`
