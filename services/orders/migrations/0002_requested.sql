-- What was asked for lately, of all owners: the gas that no fee covers is counted from it and from the chain.
create index transaction_requested on app.transaction (chain_id, kind, requested_at);
