-- The day's refunds of intents that nobody bid for are summed up.
create index transaction_refund on app.transaction (chain_id, requested_at)
  where kind = 'refund' and payer is not null;
