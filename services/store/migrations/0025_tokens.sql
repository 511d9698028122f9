-- What tokens say of themselves, each asked once. For people to read: no row decides about money, and the
-- operator's configuration wins over it. It comes back from the chains.
create table app.token (
  chain_id bigint not null,
  -- Lower case.
  address  text not null check (address ~ '^0x[0-9a-f]{40}$'),
  -- Null where the contract doesn't answer, or answers nothing that can be shown.
  symbol   text check (length(symbol) between 1 and 32),
  name     text check (length(name) between 1 and 64),
  decimals smallint check (decimals between 0 and 77),
  read_at  timestamptz not null default clock_timestamp(),
  primary key (chain_id, address)
);
