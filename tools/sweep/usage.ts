export const USAGE = `Usage: cairn-sweep --rpc <url> --to <address> --key-file <file> [options]

Takes what was delivered to stealth addresses out of their Safes. Needs the stealth private keys and
a node of the chain, and nothing of the service.

  --rpc <url>           JSON-RPC server of the chain (or variable SWEEP_RPC_URL)
  --to <address>        who gets everything
  --key-file <file>     stealth private keys, one a line, readable by you alone; "-" is standard
                        input (or variable STEALTH_PRIVATE_KEY, for one key)
  --payer-file <file>   private key of the account that pays gas (or variable PAYER_PRIVATE_KEY);
                        without it the first stealth key's own account pays
  --token <address>     move this token only, repeatable; "native" is the chain's currency.
                        Without it the Safes' incoming transfers are searched for tokens
  --from-block <n>      first block of that search (default 0)
  --safe <address>      refuse unless this is the Safe of the only key
  --safe-contracts <file>  for a chain without Safe's own deployments: their addresses, as JSON
  --dry-run             show what would be done, and simulate it; nothing is sent
  --json                print one JSON object
  --help                print this

A Safe that isn't deployed yet is deployed in the same transaction. Several keys are swept together,
which shows everybody that they belong together: run it once for each to avoid that.

Exit codes: 0 done, or nothing was there · 1 something was left behind · 2 it could not be done`
