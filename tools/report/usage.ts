export const USAGE = `Reports what bridges and vaults did in a period, from the chains' history alone.

  npx cairn report [options]                    writes a report to a folder
  npx cairn report diff [options]               prints which intents changed, and how
  npx cairn report verify <dir> [--signer <a>]  checks a report's signature and checksums

Chains come from the file that CHAINS names, or else from devnet.json in CAIRN_DIRECTORY (.cairn).

  --from <point>       start of the period; default: the start of each chain's history
  --to <point>         end of the period, inclusive; default: the last block with the chain's confirmations
                       A point is a date (2026-09-01, in UTC), a time (2026-09-01T12:00:00Z), a block
                       number for all chains, or name=block, repeatable; chains you don't name start
                       or end at the same time
  --chain <name>       report only this chain; repeatable
  --out <dir>          folder to write to, new or empty (default: cairn-report)
  --json               with diff: print one JSON document
  --signer <address>   with verify: the required signer
  --help               print this
REPORT_KEY_FILE names a file with the private key that signs the manifest (EIP-191): 64 hex digits, mode 0600.

A report consists of intents.csv, statements.csv, changes.csv, report.html, manifest.json and, with a key,
signature.json. The same blocks always give the same files, so anyone can reproduce and compare them.

Exit codes: 0 every statement closes at the contract's balance · 1 one doesn't, or verify found a problem
            2 it failed · 3 no difference was found, but the nodes no longer have some past balances`
