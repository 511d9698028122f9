-- Safes are read back a part at a time, and those to which nothing has happened for long once in a while.
alter table app.followed_safe
  -- The first block that hasn't been read for this Safe; null: it is read with its chain.
  add column next_block bigint,
  -- Time of the block before it, in unix seconds; null while next_block is, or before the first part.
  add column read_to    bigint,
  -- Nothing is in it, and nothing has come or left for long. It is then not read with its chain.
  add column is_quiet   boolean not null default false,
  -- When all was read that there was.
  add column read_at    timestamptz not null default now(),
  -- When its recipient last asked while it was quiet.
  add column wanted_at  timestamptz,
  add check (next_block is not null or not is_quiet);
create index followed_safe_quiet on app.followed_safe (chain_id, read_at) where is_quiet;
