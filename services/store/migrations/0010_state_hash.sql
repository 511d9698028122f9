-- The state hash (docs/adr/0010-state-hash.md): for each projected table the number of its rows and
-- the sum of their digests, in four lanes of 64 bits. A row's digest is the SHA-256 of the table's name
-- and the row's text. Sums are kept as they come, unreduced; readers take them modulo 2^64.

-- What changed since the triggers were installed.
create table app.state_change (
  schema_name text not null,
  table_name  text not null,
  rows        bigint  not null default 0,
  lane_0      numeric not null default 0,
  lane_1      numeric not null default 0,
  lane_2      numeric not null default 0,
  lane_3      numeric not null default 0,
  primary key (schema_name, table_name)
);

-- What was there before: counted once, in one snapshot, at any time after the triggers were installed.
-- A schema's hash is known from then on. Base and change together are the table as it is.
create table app.state_base (
  schema_name text not null,
  table_name  text not null,
  rows        bigint  not null,
  lane_0      numeric not null,
  lane_1      numeric not null,
  lane_2      numeric not null,
  lane_3      numeric not null,
  primary key (schema_name, table_name)
);

-- After each statement, not after each row: one update of the sum, however many rows were written.
create function app.note_state() returns trigger language plpgsql as $$
declare
  change record;
begin
  if tg_op = 'INSERT' then
    select count(*) as rows, sum(('x' || substr(h, 1, 16))::bit(64)::bigint) as lane_0,
      sum(('x' || substr(h, 17, 16))::bit(64)::bigint) as lane_1,
      sum(('x' || substr(h, 33, 16))::bit(64)::bigint) as lane_2,
      sum(('x' || substr(h, 49, 16))::bit(64)::bigint) as lane_3 into change
    from (select encode(sha256(convert_to(tg_table_name || n::text, 'UTF8')), 'hex') as h
          from new_rows n offset 0) as digests;
  elsif tg_op = 'DELETE' then
    select -count(*) as rows, -sum(('x' || substr(h, 1, 16))::bit(64)::bigint) as lane_0,
      -sum(('x' || substr(h, 17, 16))::bit(64)::bigint) as lane_1,
      -sum(('x' || substr(h, 33, 16))::bit(64)::bigint) as lane_2,
      -sum(('x' || substr(h, 49, 16))::bit(64)::bigint) as lane_3 into change
    from (select encode(sha256(convert_to(tg_table_name || o::text, 'UTF8')), 'hex') as h
          from old_rows o offset 0) as digests;
  else
    select sum(sign) as rows, sum(sign * ('x' || substr(h, 1, 16))::bit(64)::bigint::numeric) as lane_0,
      sum(sign * ('x' || substr(h, 17, 16))::bit(64)::bigint::numeric) as lane_1,
      sum(sign * ('x' || substr(h, 33, 16))::bit(64)::bigint::numeric) as lane_2,
      sum(sign * ('x' || substr(h, 49, 16))::bit(64)::bigint::numeric) as lane_3 into change
    from (select 1 as sign, encode(sha256(convert_to(tg_table_name || n::text, 'UTF8')), 'hex') as h
          from new_rows n
          union all
          select -1, encode(sha256(convert_to(tg_table_name || o::text, 'UTF8')), 'hex')
          from old_rows o offset 0) as digests;
  end if;
  if change.lane_0 is null then
    return null;
  end if;
  insert into app.state_change as known (schema_name, table_name, rows, lane_0, lane_1, lane_2, lane_3)
  values (tg_table_schema, tg_table_name, change.rows, change.lane_0, change.lane_1, change.lane_2,
    change.lane_3)
  on conflict (schema_name, table_name) do update
    set rows = known.rows + excluded.rows, lane_0 = known.lane_0 + excluded.lane_0,
      lane_1 = known.lane_1 + excluded.lane_1, lane_2 = known.lane_2 + excluded.lane_2,
      lane_3 = known.lane_3 + excluded.lane_3;
  return null;
end
$$;

-- A schema's projected tables; Ponder's own ones begin with an underscore.
create function app.projected_tables(name text) returns setof text language sql stable as $$
  select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = name and c.relkind = 'r' and c.relname not like '\_%'
  order by 1
$$;

create function app.install_state_triggers(name text) returns void language plpgsql as $$
declare
  projected text;
begin
  for projected in select app.projected_tables(name) loop
    execute format('create or replace trigger cairn_state_insert after insert on %I.%I
      referencing new table as new_rows for each statement execute function app.note_state()',
      name, projected);
    execute format('create or replace trigger cairn_state_update after update on %I.%I
      referencing old table as old_rows new table as new_rows
      for each statement execute function app.note_state()', name, projected);
    execute format('create or replace trigger cairn_state_delete after delete on %I.%I
      referencing old table as old_rows for each statement execute function app.note_state()',
      name, projected);
    insert into app.state_change (schema_name, table_name)
    values (name, projected)
    on conflict do nothing;
  end loop;
end
$$;

-- As in 0002, and the state hash's triggers as well.
create or replace function app.install_row_triggers(schema_name text) returns void language plpgsql as $$
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
  perform app.install_state_triggers(schema_name);
end
$$;

-- Counts what a schema's tables hold, less what changed since the triggers were installed. One
-- statement: rows and changes are of one moment, and writers aren't held up.
create function app.measure_state(name text) returns void language plpgsql as $$
declare
  counts text;
begin
  select string_agg(format(
    'select %2$L as table_name, count(*) as rows,
       coalesce(sum((''x'' || substr(h, 1, 16))::bit(64)::bigint), 0) as lane_0,
       coalesce(sum((''x'' || substr(h, 17, 16))::bit(64)::bigint), 0) as lane_1,
       coalesce(sum((''x'' || substr(h, 33, 16))::bit(64)::bigint), 0) as lane_2,
       coalesce(sum((''x'' || substr(h, 49, 16))::bit(64)::bigint), 0) as lane_3
     from (select encode(sha256(convert_to(%2$L || n::text, ''UTF8'')), ''hex'') as h
           from %1$I.%2$I n offset 0) as digests', name, projected), ' union all ')
  into counts from app.projected_tables(name) as projected;
  execute format(
    'insert into app.state_base as known
       (schema_name, table_name, rows, lane_0, lane_1, lane_2, lane_3)
     select $1, counted.table_name, counted.rows - changed.rows, counted.lane_0 - changed.lane_0,
       counted.lane_1 - changed.lane_1, counted.lane_2 - changed.lane_2, counted.lane_3 - changed.lane_3
     from (%s) as counted join app.state_change changed
       on changed.schema_name = $1 and changed.table_name = counted.table_name
     on conflict (schema_name, table_name) do update
       set rows = excluded.rows, lane_0 = excluded.lane_0, lane_1 = excluded.lane_1,
         lane_2 = excluded.lane_2, lane_3 = excluded.lane_3', counts)
  using name;
end
$$;

create function app.forget_state() returns trigger language plpgsql as $$
begin
  delete from app.state_change where schema_name = old.schema_name;
  delete from app.state_base where schema_name = old.schema_name;
  return null;
end
$$;
create trigger forget_state after delete on app.projection
  for each row execute function app.forget_state();
