-- The journal of what is told to others: webhooks and event streams. One line for each fact, numbered in
-- the order in which lines become visible; and where its writer stands in the change log.

-- Which log a changed row of `event` is: a reader that comes late can look it up as well.
alter table app.change_log
  add column chain_id bigint,
  add column block_number bigint,
  add column log_index integer;

create or replace function app.record_change() returns trigger language plpgsql as $$
declare
  changed  record;
  number   bigint;
  message  jsonb;
begin
  if tg_op = 'UPDATE' and old is not distinct from new then
    return null;
  end if;
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;

  -- Two chains write of the same intent. Sequences must become visible in their own order, or a
  -- reader would see a record change under an unchanged sequence. Held from Ponder's flush to its
  -- commit, a few milliseconds a block.
  perform pg_advisory_xact_lock(4848203719);

  message := jsonb_build_object(
    'sourceChainId', changed.source_chain_id,
    'intentId', changed.intent_id::text,
    'table', tg_table_name,
    'operation', lower(tg_op)
  );
  if tg_table_name = 'event' then
    insert into app.change_log
      (source_chain_id, intent_id, table_name, operation, chain_id, block_number, log_index)
    values (changed.source_chain_id, changed.intent_id, tg_table_name, lower(tg_op),
      changed.chain_id, changed.block_number, changed.log_index)
    returning sequence into number;
    message := message || jsonb_build_object(
      'chainId', changed.chain_id,
      'blockNumber', changed.block_number,
      'logIndex', changed.log_index
    );
  else
    insert into app.change_log (source_chain_id, intent_id, table_name, operation)
    values (changed.source_chain_id, changed.intent_id, tg_table_name, lower(tg_op))
    returning sequence into number;
  end if;
  perform pg_notify('cairn_change', (message || jsonb_build_object('sequence', number::text))::text);
  return null;
end
$$;

create table app.push_event (
  sequence        bigint generated always as identity primary key,
  type            text not null,
  -- What happened, so that it is told once; null for `intent.reorged`, which nothing takes back.
  key             text,
  -- False once a reorg took it back.
  stands          boolean not null default true,
  -- Where and when it happened; without a block it is a deadline that passed.
  chain_id        bigint not null,
  block_number    bigint,
  block_hash      text,
  log_index       integer,
  at              bigint not null,
  -- Whom it concerns: an intent or an order, never both.
  source_chain_id bigint not null,
  dest_chain_id   bigint not null,
  intent_id       numeric(78, 0),
  order_id        text,
  sender          text not null,
  solver          text,
  -- As receivers get it, under `data`.
  data            jsonb not null,
  recorded_at     timestamptz not null default clock_timestamp(),
  check ((intent_id is null) <> (order_id is null))
);
create unique index push_event_intent_key on app.push_event (source_chain_id, intent_id, key)
  where stands and key is not null and intent_id is not null;
create unique index push_event_order_key on app.push_event (chain_id, order_id, key)
  where stands and key is not null and order_id is not null;
create index push_event_intent on app.push_event (intent_id, sequence);
create index push_event_sender on app.push_event (sender, sequence);
create index push_event_solver on app.push_event (solver, sequence);

-- Starts at the clock, as the change log does: a position of a lost database is never reused.
do $$
begin
  execute format(
    'alter table app.push_event alter column sequence restart with %s',
    (extract(epoch from clock_timestamp()) * 1000)::bigint * 1000
  );
end
$$;

-- How far the journal's writer has read the change log, and up to where old lines were deleted.
create table app.push_cursor (
  only_one   boolean primary key default true check (only_one),
  sequence   bigint not null,
  pruned_to  bigint not null default 0
);

-- What of each chain the writer has seen: its schema, since when its changes are in the log, its head.
create table app.push_chain (
  chain_id      bigint primary key,
  schema_name   text not null,
  base_sequence bigint,
  block_number  bigint not null,
  timestamp     bigint not null
);

-- Intents and orders that may have changed and weren't looked at since.
create table app.push_pending (
  source_chain_id bigint not null,
  intent_id       numeric(78, 0) not null,
  primary key (source_chain_id, intent_id)
);
create table app.push_pending_order (
  chain_id bigint not null,
  order_id text not null,
  primary key (chain_id, order_id)
);
