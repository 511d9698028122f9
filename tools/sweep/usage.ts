export const USAGE = `Usage: cairn-sweep --rpc <url> --to <address> --key-file <file> [options]

Moves all funds out of stealth addresses' Safes. Needs only the stealth private keys and a node of the
chain.

  --rpc <url>           JSON-RPC URL of a node of the chain (or variable SWEEP_RPC_URL)
  --to <address>        account that receives everything
  --key-file <file>     stealth private keys, one per line, readable only by you; "-" is standard
                        input (or variable STEALTH_PRIVATE_KEY, for one key)
  --payer-file <file>   private key of the account that pays gas (or variable PAYER_PRIVATE_KEY);
                        without it, the first stealth key's own account pays
  --token <address>     move only this token; repeatable; "native" is the chain's currency.
                        Without it, the Safes' incoming transfers are searched for tokens
  --from-block <n>      first block of that search (default 0)
  --safe <address>      refuse unless this is the only key's Safe
  --safe-contracts <file>  addresses of the Safe contracts as JSON, if the chain lacks the canonical ones
  --max-fee-gwei <n>    highest price of gas to pay (default 10; 200 on Ethereum, 2000 on Polygon)
  --dry-run             simulate and show each step; send nothing
  --json                print one JSON object
  --help                print this

A Safe that isn't deployed yet is deployed in the same transaction. Sweeping several keys together, to one
account or by one payer, shows everyone that they belong together: to avoid that, run it once per key, each
time with another --to and --payer-file. The node sees all keys' Safes of a run.

Exit codes: 0 done, or nothing to do · 1 something was left behind · 2 it failed, at least for some Safes`
