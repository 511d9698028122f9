-- How many intents had each outcome: to count years of them would take longer each month.
create table solver.outcome_count (
  account text not null,
  outcome text not null,
  count   bigint not null,
  primary key (account, outcome)
);

create function solver.count_outcome() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.outcome is not null then
    update solver.outcome_count set count = count - 1
    where account = old.account and outcome = old.outcome;
  end if;
  if new.outcome is not null then
    insert into solver.outcome_count as known (account, outcome, count)
    values (new.account, new.outcome, 1)
    on conflict (account, outcome) do update set count = known.count + 1;
  end if;
  return null;
end
$$;
create trigger count_outcome after insert or update of outcome on solver.intent
  for each row execute function solver.count_outcome();

insert into solver.outcome_count
select account, outcome, count(*) from solver.intent where outcome is not null group by 1, 2;
