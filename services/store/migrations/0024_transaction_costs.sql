-- What a transaction costs beside its gas, as estimated when it was asked for: rollups pay for data on
-- the chain below them. Wei.
alter table app.transaction add column l1_fee numeric(78, 0) not null default 0;

-- An intent's transactions are named `<intent id>:<subject>`.
create index transaction_intent on app.transaction (chain_id, split_part(effect, ':', 1));
create index transaction_payer on app.transaction (payer, requested_at) where payer is not null;
