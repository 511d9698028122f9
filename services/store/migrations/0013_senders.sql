-- The chain's head when a version was signed: it is replaced at a higher fee only once blocks have
-- come that could have held it. Null: signed before this was written down.
alter table app.transaction_version add column signed_at_block bigint;

-- Who last began to send an account's transactions on a chain, by the lock that only one can hold.
-- Whoever stops in order says so; after any other end the next one waits until the last has surely
-- stopped.
create table app.sender (
  account     text not null,
  chain_id    bigint not null,
  -- Names a running sender, never the same twice.
  holder      text not null,
  taken_at    timestamptz not null default clock_timestamp(),
  released_at timestamptz,
  primary key (account, chain_id)
);
