-- What was paid for in the last 24 hours, on all chains.
create index sponsored_transaction_time on app.sponsored_transaction (requested_at);
