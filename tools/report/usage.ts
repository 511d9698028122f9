export const USAGE = `Reports what the bridges and vaults did in a period, from the chains' history alone.

  npx cairn report [options]                    writes the report's files into a folder
  npx cairn report diff [options]               prints which intents changed, and how
  npx cairn report verify <dir> [--signer <a>]  checks a report's signature and its files' checksums

Chains come from the file that CHAINS names, or else from .cairn/devnet.json.

  --from <point>       where the period begins; default: the start of each chain's history
  --to <point>         where it ends, included; default: the last block with the chain's confirmations
                       A point is a date (2026-09-01, in UTC), a time (2026-09-01T12:00:00Z), a block
                       number for all chains, or name=block, repeatable; chains not named then begin
                       or end at the same time
  --chain <name>       only this chain, repeatable
  --out <dir>          folder for the files, new or empty (default cairn-report)
  --json               with diff: one JSON document on standard output
  --signer <address>   with verify: who must have signed
  --help

REPORT_KEY_FILE names a file with a private key, 64 hex digits, mode 0600. It signs the manifest (EIP-191).

The folder gets intents.csv, statements.csv, changes.csv, report.html, manifest.json and, with a key,
signature.json. The same blocks always give the same files, so anybody can make the report again and compare.

Exit code: 0 every statement closes at what the contract holds, 1 one doesn't (or verify found something
wrong), 2 it could not be done, 3 no difference was found, but the nodes no longer have the balances of then.`
