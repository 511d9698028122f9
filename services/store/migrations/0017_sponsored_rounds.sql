-- What earlier tries of the same transaction did cost, in wei: each of them was paid for.
alter table app.sponsored_transaction
  add column earlier_wei numeric(78, 0) not null default 0;
