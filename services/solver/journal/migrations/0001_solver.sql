-- A solver's own memory: which intents it takes part in. What each comes to is read from the chains;
-- transactions are in app.transaction. Amounts and ids are numeric(78,0), times unix seconds.

create schema if not exists solver;

create table solver.intent (
  -- Our account, lower case.
  account            text not null,
  source_chain_id    bigint not null,
  intent_id          numeric(78, 0) not null,
  dest_chain_id      bigint not null,
  token_a            text not null,
  token_b            text not null,
  amount_a           numeric(78, 0) not null,
  expected_amount_b  numeric(78, 0) not null,
  reward             numeric(78, 0) not null,
  end_time           bigint not null,
  -- The highest we have asked to be sent; null: none.
  my_bid             numeric(78, 0),
  phase              text not null,
  -- From the deposit on: until when a delivery counts.
  fill_deadline      bigint not null default 0,
  -- settled, lost, slashed, cancelled; null while it isn't over.
  outcome            text check (outcome in ('settled', 'lost', 'slashed', 'cancelled')),
  began_at           timestamptz not null default clock_timestamp(),
  changed_at         timestamptz not null default clock_timestamp(),
  primary key (account, source_chain_id, intent_id)
);
create index intent_active on solver.intent (account) where outcome is null;

-- Whether an operator lets it bid.
create table solver.switch (
  account    text primary key,
  running    boolean not null,
  changed_at timestamptz not null default clock_timestamp()
);
