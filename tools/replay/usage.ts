export const USAGE = `Replays the whole history of bridges and vaults from raw logs, with no indexer and no database.

  npm run replay -- [options]

Chains come from the file that CHAINS names, or else from .cairn/devnet.json.

  --compare            check every row of the database against the replay, at the height that the
                       database has; with --as-of, what the database says of that block: its events,
                       bids, deliveries and tranches up to it, and each intent and order as the APIs
                       tell it as of then
  --as-of <block>      stop at a block: one number for all chains, or name=block, repeatable; chains
                       that aren't named stop at the time of the latest of these blocks
  --chain <name>       only this chain, repeatable
  --export <dir>       write every row, one file a table in a folder a chain
  --format <format>    ndjson (default) or csv
  --json               the report as one JSON document on standard output
  --differences <n>    how many differences to print for each chain (default 20)
  --help

DATABASE_URL (or the devnet's file) names the database for --compare.

It prints for each chain its state hash, how many intents have which status, and what bridge and vault owe and
hold of each token, all at the end of the last block. A past block's balances take a node that keeps old
state.

Exit code: 0 all is well, 1 differences were found or money is missing, 2 it could not be done.`
