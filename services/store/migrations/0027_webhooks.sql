-- Webhooks: who is told what, and each delivery. A delivery is written with its event, in one transaction.

alter table app.push_event
  -- Once this block of its chain is final, so is the event.
  add column final_block bigint not null default 0;

-- The public key to which secrets are sealed; whoever delivers holds the other half.
create table app.webhook_key (
  only_one   boolean primary key default true check (only_one),
  key_id     text not null,
  public_key text not null
);

create table app.webhook_endpoint (
  endpoint_id     text primary key,
  -- The wallet that registered it, lower case; null: an operator.
  owner           text,
  url             text not null,
  -- What it is told: all that is given must hold, and at least one is.
  intent_id       numeric(78, 0),
  sender          text,
  solver          text,
  chain_id        bigint,
  types           text[],
  mode            text not null check (mode in ('instant', 'finalized')),
  key_id          text not null,
  sealed_secret   bytea not null,
  -- The secret before the last rotation, good for a day beside the new one.
  previous_secret bytea,
  previous_until  timestamptz,
  status          text not null default 'active' check (status in ('active', 'disabled')),
  -- owner: asked for; gone: it answered 410; silent: it never answered with success.
  disabled_by     text check (disabled_by in ('owner', 'gone', 'silent')),
  -- Attempts that failed since the last success.
  failures        integer not null default 0,
  succeeded_at    timestamptz,
  -- The timestamp that its owner last signed: each change needs a later one.
  acted_at        bigint not null default 0,
  -- keccak256 of the signed registration: a signature is good once.
  request_hash    text unique,
  created_at      timestamptz not null default clock_timestamp(),
  check (num_nonnulls(intent_id, sender, solver, chain_id) > 0)
);
create index webhook_endpoint_owner on app.webhook_endpoint (owner, created_at);

create table app.webhook_delivery (
  delivery_id  bigint generated always as identity primary key,
  endpoint_id  text not null references app.webhook_endpoint on delete cascade,
  sequence     bigint not null references app.push_event on delete cascade,
  -- held: until its event is final; dropped: a reorg took it back before.
  status       text not null check (status in ('held', 'due', 'delivered', 'dead', 'dropped')),
  attempts     integer not null default 0,
  next_at      timestamptz not null default clock_timestamp(),
  -- Somebody is sending it until then.
  leased_until timestamptz,
  last_status  integer,
  last_error   text,
  attempted_at timestamptz,
  -- One delivery per endpoint and event, however often its writer dies.
  unique (endpoint_id, sequence)
);
create index webhook_delivery_due on app.webhook_delivery (endpoint_id, next_at) where status = 'due';
create index webhook_delivery_held on app.webhook_delivery (sequence) where status = 'held';
