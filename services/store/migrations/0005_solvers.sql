-- Solvers by their own word: which pairs they serve, and when they last said so. Never used to decide
-- who may do what.
create table app.solver_registration (
  solver        text primary key check (solver ~ '^0x[0-9a-f]{40}$'),
  -- [{sourceChainId, destChainId, tokenA, tokenB}], addresses in lower case.
  routes        jsonb not null,
  -- [{chainId, token, balance}] as read on chain at the last registration; balance is decimal text.
  balances      jsonb not null,
  registered_at timestamptz not null default now(),
  last_seen     timestamptz not null default now()
);
create index solver_registration_seen on app.solver_registration (last_seen);
