-- The day's anchors and appends of all senders are summed up.
create index transaction_day on app.transaction (chain_id, requested_at)
  where kind in ('anchor', 'append');
