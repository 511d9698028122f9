-- How many transactions of each kind were paid for on each chain, and what they cost: to sum up years of them for each
-- scrape of the metrics would take longer each month.
create table app.sponsored_total (
  chain_id bigint not null,
  kind     text not null,
  count    bigint not null,
  -- Wei; unknown costs count as their reserve.
  wei      numeric not null,
  primary key (chain_id, kind)
);

-- Nothing for a tampered row that costs NaN: the total could never be corrected again.
create function app.sponsored_cost(one app.sponsored_transaction) returns numeric language sql immutable as $$
  select case when one.earlier_wei + coalesce(one.spent_wei, one.reserved_wei) < 'NaN'
    then one.earlier_wei + coalesce(one.spent_wei, one.reserved_wei) else 0 end
$$;

create function app.count_sponsored() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from app.sponsored_total;
    return null;
  end if;
  if tg_op <> 'INSERT' then
    update app.sponsored_total set count = count - 1, wei = wei - app.sponsored_cost(old)
    where chain_id = old.chain_id and kind = old.kind;
  end if;
  if tg_op <> 'DELETE' then
    insert into app.sponsored_total as known (chain_id, kind, count, wei)
    values (new.chain_id, new.kind, 1, app.sponsored_cost(new))
    on conflict (chain_id, kind) do update
      set count = known.count + 1, wei = known.wei + excluded.wei;
  end if;
  return null;
end
$$;
create trigger count_sponsored after insert or update or delete on app.sponsored_transaction
  for each row execute function app.count_sponsored();
create trigger count_no_sponsored after truncate on app.sponsored_transaction
  for each statement execute function app.count_sponsored();

insert into app.sponsored_total
select chain_id, kind, count(*), sum(app.sponsored_cost(s)) from app.sponsored_transaction s group by 1, 2;
