-- What the chain can't rebuild, and the record of how the projections changed.
-- The row triggers below are installed on each chain's tables when Ponder declares them ready
-- (docs/indexer.md). Amounts and ids are numeric(78,0), block times are unix seconds.

create schema if not exists app;

-- One schema of projected tables: one chain under one build of the reducer.
create table app.projection (
  schema_name   text primary key,
  chain_id      bigint not null,
  chain_name    text not null,
  build         text not null,
  -- backfilling: first fold of the history; resuming: its rows are whole up to the chain's clock, but
  -- it has not yet come to resume_block, the head when it was (re)started; live: follows the head.
  state         text not null default 'backfilling' check (state in ('backfilling', 'live', 'resuming')),
  -- Whether the views in schema cairn read it. At most one a chain.
  active        boolean not null default false,
  -- Share of the backfill done, 0 to 1.
  progress      double precision not null default 0,
  -- The sequence of every intent of this schema without an entry in change_log.
  base_sequence bigint,
  resume_block  bigint,
  -- What keeps it from following the chain, in words for an operator; null when nothing does.
  problem       text,
  created_at    timestamptz not null default now(),
  ready_at      timestamptz
);
create unique index projection_active on app.projection (chain_id) where active;

-- One line for each row written or taken back on the tables that tell of an intent.
create table app.change_log (
  sequence        bigint generated always as identity primary key,
  source_chain_id bigint,
  intent_id       numeric(78, 0),
  table_name      text not null,
  operation       text not null check (operation in ('insert', 'update', 'delete')),
  changed_at      timestamptz not null default clock_timestamp()
);
create index change_log_intent on app.change_log (source_chain_id, intent_id, sequence desc);

-- Starts at the clock, so that sequences handed out before a lost database are never reused.
do $$
begin
  execute format(
    'alter table app.change_log alter column sequence restart with %s',
    (extract(epoch from clock_timestamp()) * 1000)::bigint * 1000
  );
end
$$;

-- Events that left the index because their block left the chain.
create table app.orphaned_event (
  chain_id         bigint not null,
  block_number     bigint not null,
  log_index        integer not null,
  block_hash       text not null,
  block_timestamp  bigint not null,
  transaction_hash text not null,
  transaction_from text not null,
  type             text not null,
  source_chain_id  bigint,
  intent_id        numeric(78, 0),
  args             jsonb not null,
  -- reorg: seen while following the chain; resume: taken back by a restart and not seen again since;
  -- rebuild: above the fork when the chain's index was rebuilt from nothing.
  cause            text not null check (cause in ('reorg', 'resume', 'rebuild')),
  orphaned_at      timestamptz not null default clock_timestamp(),
  -- When the chain came back to this very block, if it did.
  restored_at      timestamptz,
  primary key (chain_id, block_hash, log_index)
);
create index orphaned_event_intent on app.orphaned_event (source_chain_id, intent_id);

-- Hashes of blocks that were final when they were noted. One that no longer holds means that the
-- chain was reset, or reorganised deeper than Ponder can follow.
create table app.chain_anchor (
  chain_id     bigint not null,
  block_number bigint not null,
  block_hash   text not null,
  noted_at     timestamptz not null default now(),
  primary key (chain_id, block_number)
);
