export const USAGE = `Replays the whole history of bridges and vaults from raw logs, without an indexer or a database.

  npm run replay -- [options]

Chains come from the file that CHAINS names, or else from devnet.json in CAIRN_DIRECTORY (.cairn).

  --compare            compare every database row with the replay, at the database's height; with
                       --as-of, compare the state as of that block: events, bids, deliveries and
                       tranches up to it, and each intent and order as the APIs show it
  --as-of <block>      stop at a block: one number for all chains, or name=block, repeatable; other
                       chains stop at the time of the latest named block
  --chain <name>       only this chain; repeatable
  --export <dir>       write every row: one folder per chain, one file per table
  --format <format>    ndjson (default) or csv
  --json               print the report as one JSON document
  --differences <n>    how many differences to print per chain (default 20)
  --help               print this

DATABASE_URL (or the devnet's file) names the database for --compare.

For each chain it prints the state hash, the intents by status, and what bridge and vault owe and hold in
each token, all at the end of the last block. Balances of a past block need an archive node.

With several rpcUrls for a chain, logs, blocks and balances are compared. A node that receipts, hashes or most
others prove wrong is left out and named; where nothing shows who is wrong, the replay fails and names both.
With one, the output says what was believed.

Exit codes: 0 no problem · 1 differences were found or funds are missing · 2 it failed`
