-- Tranches whose transactions reverted lately are found among a week's, at each round.
create index transaction_reverted on app.transaction (chain_id, changed_at)
  where kind = 'fireTranche' and payer is not null and tx_hash is not null and succeeded is not true;
