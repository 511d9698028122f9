-- Anchors and appends of an intent are found by the beginning of their effect, also where the database's
-- own order of text is not that of bytes.
create index transaction_effect on app.transaction (chain_id, kind, effect text_pattern_ops);

-- What has still to be looked up of what the relayer paid for.
create index sponsored_transaction_unspent on app.sponsored_transaction (chain_id, transaction_id)
  where spent_wei is null;
