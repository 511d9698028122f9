-- What is in the Safes of app.stealth_entry, by the ERC-20 transfers that name them. All of it follows from
-- the chains and may be emptied at any time: it is then read anew. Addresses in lower case.

-- How far each chain has been read.
create table app.transfer_position (
  chain_id   bigint primary key,
  -- The first block that hasn't been read yet.
  next_block bigint not null
);

-- The latest blocks up to which it was read: by their hashes a reorg is noticed, and its fork found.
create table app.transfer_checkpoint (
  chain_id     bigint not null,
  block_number bigint not null,
  block_hash   text not null,
  -- Unix seconds.
  block_time   bigint not null,
  primary key (chain_id, block_number)
);

-- Safes whose transfers have been read up to the chain's position.
create table app.followed_safe (
  chain_id     bigint not null,
  safe_address text not null,
  primary key (chain_id, safe_address)
);

-- A token that has, by its own word, moved to or from a Safe. The balance is the token's answer and not
-- the sum of its events, which anybody may make up.
create table app.safe_balance (
  chain_id     bigint not null,
  safe_address text not null,
  token        text not null,
  -- Whether the chain's configuration or the bridge lists the token.
  is_listed    boolean not null,
  -- The first and the last block with a transfer.
  first_block  bigint not null,
  last_block   bigint not null,
  -- Base units; null until the token has been asked.
  balance      numeric(78, 0),
  -- The block at which it was asked, and that block's time in unix seconds.
  asked_block  bigint,
  asked_time   bigint,
  -- Something may have changed since.
  is_stale     boolean not null default true,
  primary key (chain_id, safe_address, token)
);
create index safe_balance_stale on app.safe_balance (chain_id) where is_stale;
