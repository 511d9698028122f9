-- Functions that follow Ponder's tables. They run inside Ponder's own transactions, so a change and
-- its record stand or fall together.

-- Ponder's checkpoint text: 10 digits block time, 16 chain id, 16 block number, more.
create function app.checkpoint_time(checkpoint text) returns bigint
  language sql immutable parallel safe return substr(checkpoint, 1, 10)::bigint;
create function app.checkpoint_block(checkpoint text) returns bigint
  language sql immutable parallel safe return substr(checkpoint, 27, 16)::bigint;

create function app.record_change() returns trigger language plpgsql as $$
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

  insert into app.change_log (source_chain_id, intent_id, table_name, operation)
  values (changed.source_chain_id, changed.intent_id, tg_table_name, lower(tg_op))
  returning sequence into number;

  message := jsonb_build_object(
    'sequence', number::text,
    'sourceChainId', changed.source_chain_id,
    'intentId', changed.intent_id::text,
    'table', tg_table_name,
    'operation', lower(tg_op)
  );
  if tg_table_name = 'event' then
    message := message || jsonb_build_object(
      'chainId', changed.chain_id,
      'blockNumber', changed.block_number,
      'logIndex', changed.log_index
    );
  end if;
  perform pg_notify('cairn_change', message::text);
  return null;
end
$$;

-- Ponder moves its checkpoint with the next block only, not when a reorg takes rows back. Until then
-- readers would judge the state of before under the clock of after, and see intents as expired.
create function app.set_clock_back(schema_name text, block_number bigint, block_time bigint)
returns void language plpgsql as $$
begin
  execute format(
    'update %I._ponder_checkpoint
     set latest_checkpoint = lpad($2::text, 10, ''0'') || substr(latest_checkpoint, 11, 16)
       || lpad($1::text, 16, ''0'') || repeat(''9'', 33)
     where app.checkpoint_block(latest_checkpoint) > $1', schema_name)
  using block_number, block_time;
end
$$;

create function app.record_orphan() returns trigger language plpgsql as $$
declare
  why text;
begin
  if tg_op = 'DELETE' then
    -- Ponder takes rows back in two places: on a reorg through its `user` pool, and at a restart,
    -- where most of them come again a moment later, through its `internal` one.
    why := case when current_setting('application_name') like '%\_internal' then 'resume' else 'reorg' end;
    insert into app.orphaned_event as known (
      chain_id, block_number, log_index, block_hash, block_timestamp, transaction_hash,
      transaction_from, type, source_chain_id, intent_id, args, cause
    )
    values (
      old.chain_id, old.block_number, old.log_index, old.block_hash, old.block_timestamp,
      old.transaction_hash, old.transaction_from, old.type, old.source_chain_id, old.intent_id,
      old.args, why
    )
    on conflict (chain_id, block_hash, log_index) do update
      set orphaned_at = excluded.orphaned_at, restored_at = null;
    if why = 'reorg' then
      perform app.set_clock_back(tg_table_schema, old.block_number - 1, old.block_timestamp - 1);
    end if;
  else
    delete from app.orphaned_event
    where chain_id = new.chain_id and block_hash = new.block_hash and log_index = new.log_index
      and cause = 'resume';
    update app.orphaned_event set restored_at = clock_timestamp()
    where chain_id = new.chain_id and block_hash = new.block_hash and log_index = new.log_index
      and restored_at is null;
  end if;
  return null;
end
$$;

-- Installs the row triggers on a schema's tables. Every other projection changes only together with
-- an `event` row in the same transaction, so these four tell of everything.
create function app.install_row_triggers(schema_name text) returns void language plpgsql as $$
declare
  table_name text;
begin
  foreach table_name in array array['event', 'intent', 'bid', 'delivery'] loop
    execute format(
      'create or replace trigger cairn_change after insert or update or delete on %I.%I
       for each row execute function app.record_change()', schema_name, table_name);
  end loop;
  execute format(
    'create or replace trigger cairn_orphan after insert or delete on %I.event
     for each row execute function app.record_orphan()', schema_name);
end
$$;

-- The block that a schema's rows are up to; null before Ponder's first checkpoint.
create function app.head_of(schema_name text) returns bigint language plpgsql stable as $$
declare
  head bigint;
begin
  execute format(
    'select max(app.checkpoint_block(latest_checkpoint)) from %I._ponder_checkpoint', schema_name)
  into head;
  return head;
end
$$;

create function app.is_ponder_ready(schema_name text) returns boolean language plpgsql stable as $$
declare
  ready boolean;
begin
  execute format(
    'select bool_or(value ->> ''is_ready'' = ''1'') from %I._ponder_meta', schema_name) into ready;
  return coalesce(ready, false);
end
$$;

-- Ponder is about to start: the projection is live once it has come to the chain's present head, and
-- to where it was before.
create function app.mark_starting(name text, chain_head bigint) returns void language sql as $$
  update app.projection
  set state = case when ready_at is null then state else 'resuming' end,
      resume_block = greatest(resume_block, chain_head, app.head_of(schema_name))
  where schema_name = name
$$;

create function app.follow_meta() returns trigger language plpgsql as $$
declare
  is_ready  boolean := coalesce((new.value ->> 'is_ready')::int, 0) = 1;
  was_ready boolean := tg_op = 'UPDATE' and coalesce((old.value ->> 'is_ready')::int, 0) = 1;
begin
  if is_ready and not was_ready then
    -- Still before the first live block: no change can slip past the triggers.
    perform app.install_row_triggers(tg_table_schema);
    -- Events that a rebuild put aside and that are on the chain after all.
    execute format(
      'delete from app.orphaned_event o using %I.event e
       where o.chain_id = e.chain_id and o.block_hash = e.block_hash and o.log_index = e.log_index
         and o.cause = ''rebuild''', tg_table_schema);
    update app.projection
    set state = case
          when resume_block is null or resume_block <= app.head_of(schema_name) then 'live'
          else 'resuming' end,
        resume_block = case when resume_block > app.head_of(schema_name) then resume_block end,
        base_sequence = coalesce(base_sequence, nextval(pg_get_serial_sequence('app.change_log', 'sequence'))),
        ready_at = coalesce(ready_at, clock_timestamp()),
        progress = 1
    where schema_name = tg_table_schema;
    perform pg_notify('cairn_projection', tg_table_schema);
  elsif was_ready and not is_ready then
    -- A restart has just taken back all rows above the finalised block, in this transaction. Set
    -- the clock back with them: an old row under a new clock would look expired.
    perform app.mark_starting(tg_table_schema, null);
    execute format(
      'update %I._ponder_checkpoint set latest_checkpoint = finalized_checkpoint', tg_table_schema);
    perform pg_notify('cairn_projection', tg_table_schema);
  end if;
  return null;
end
$$;

create function app.follow_checkpoint() returns trigger language plpgsql as $$
declare
  now_at app.projection%rowtype;
begin
  select * into now_at from app.projection where schema_name = tg_table_schema;
  if now_at.ready_at is null then
    return null;
  end if;
  if now_at.state = 'resuming' and app.is_ponder_ready(tg_table_schema)
    and app.checkpoint_block(new.latest_checkpoint) >= now_at.resume_block then
    update app.projection set state = 'live', resume_block = null where schema_name = tg_table_schema;
    perform pg_notify('cairn_projection', tg_table_schema);
  end if;
  perform pg_notify('cairn_clock', jsonb_build_object(
    'chainId', new.chain_id,
    'timestamp', app.checkpoint_time(new.latest_checkpoint),
    'blockNumber', app.checkpoint_block(new.latest_checkpoint),
    'finalizedBlock', app.checkpoint_block(new.finalized_checkpoint)
  )::text);
  return null;
end
$$;

-- Makes a schema ready to be Ponder's: its two own tables, as Ponder itself would create them, with
-- our triggers already on them, so that not even the first moment goes unseen.
create function app.prepare_schema(schema_name text) returns void language plpgsql as $$
begin
  execute format('create schema if not exists %I', schema_name);
  execute format(
    'create table if not exists %I._ponder_meta ("key" text primary key, "value" jsonb not null)', schema_name);
  execute format(
    'create table if not exists %I._ponder_checkpoint (
       "chain_name" text primary key,
       "chain_id" bigint not null,
       "safe_checkpoint" varchar(75) not null,
       "latest_checkpoint" varchar(75) not null,
       "finalized_checkpoint" varchar(75) not null)', schema_name);
  execute format(
    'create or replace trigger cairn_meta after insert or update on %I._ponder_meta
     for each row execute function app.follow_meta()', schema_name);
  execute format(
    'create or replace trigger cairn_clock after insert or update on %I._ponder_checkpoint
     for each row execute function app.follow_checkpoint()', schema_name);
end
$$;
