-- How far the recovery of each chain has come, and what it found that can't be read.

create table app.recovery (
  chain_id    bigint primary key,
  -- The bridge whose logs are read, lower case.
  bridge      text not null,
  -- The first block that hasn't been recovered yet.
  next_block  bigint not null,
  started_at  timestamptz not null default now(),
  finished_at timestamptz,
  -- The chain's part of the completeness certificate, once it is finished.
  certificate jsonb
);

create table app.recovery_problem (
  chain_id     bigint not null references app.recovery on delete cascade,
  block_number bigint not null,
  log_index    integer not null,
  intent_id    numeric(78, 0) not null,
  -- IntentCreated, IntentAnchored or BlobAppended.
  event        text not null,
  -- Why its blob can't be used: a stable code.
  reason       text not null,
  primary key (chain_id, block_number, log_index)
);
