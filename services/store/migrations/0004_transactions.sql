-- What we cause: transactions that are sent once, the reactions that asked for them, and the word of
-- each running role about itself. Amounts and ids are numeric(78,0).

-- One effect on one chain. Rows of the states chosen to mined are live: a sender looks after them.
create table app.transaction (
  id            bigint generated always as identity primary key,
  -- The effect, once: e.g. ('settle', 84532, '<intent id>').
  kind          text not null,
  chain_id      bigint not null,
  effect        text not null,
  -- Who signs and pays, lower case.
  account       text not null,
  to_address    text not null,
  data          text not null,
  value         numeric(78, 0) not null default 0,
  -- Null: estimated when it is signed.
  gas_limit     bigint,
  -- chosen: to be done; signed: its bytes are in transaction_version; sent: a node took them; mined;
  -- confirmed: deep enough; failed: it reverts; superseded: somebody else had done it already.
  state         text not null default 'chosen'
                check (state in ('chosen', 'signed', 'sent', 'mined', 'confirmed', 'failed', 'superseded')),
  nonce         bigint,
  -- The version that was mined, and where.
  tx_hash       text,
  block_number  bigint,
  block_hash    text,
  succeeded     boolean,
  -- Why it failed or waits: a stable code, and words for an operator.
  problem       text,
  detail        text,
  -- How often it was opened again.
  round         integer not null default 0,
  requested_at  timestamptz not null default clock_timestamp(),
  changed_at    timestamptz not null default clock_timestamp(),
  unique (kind, chain_id, effect)
);
create index transaction_live on app.transaction (account, chain_id, nonce)
  where state in ('chosen', 'signed', 'sent', 'mined');
create index transaction_hash on app.transaction (tx_hash);

-- Every signed form of a transaction, saved before it is sent. Of one nonce only one can be mined.
create table app.transaction_version (
  hash             text primary key,
  transaction_id   bigint not null references app.transaction on delete cascade,
  nonce            bigint not null,
  raw              text not null,
  gas_limit        bigint not null,
  max_fee          numeric(78, 0) not null,
  max_priority_fee numeric(78, 0) not null,
  -- A transfer of nothing to oneself that takes the nonce instead of the call.
  is_cancel        boolean not null default false,
  signed_at        timestamptz not null default clock_timestamp(),
  -- When a node last took it; null: not yet.
  sent_at          timestamptz
);
create index transaction_version_of on app.transaction_version (transaction_id);

create function app.notify_transaction() returns trigger language plpgsql as $$
begin
  perform pg_notify('cairn_transaction', jsonb_build_object(
    'id', new.id, 'chainId', new.chain_id, 'account', new.account, 'state', new.state)::text);
  return null;
end
$$;
create trigger cairn_transaction after insert or update of state on app.transaction
  for each row execute function app.notify_transaction();

-- What was asked for by the facts of an intent, and what became of it.
create table app.reaction (
  -- store, anchor, settle, refund, append
  kind            text not null,
  source_chain_id bigint not null,
  intent_id       numeric(78, 0) not null,
  -- waiting: wanted, and tried again at next_try_at; refused: can't be done; done.
  state           text not null default 'waiting' check (state in ('waiting', 'refused', 'done')),
  -- Why it isn't done: a stable code, and words for an operator. Never a recipient.
  reason          text,
  detail          text,
  attempts        integer not null default 0,
  wanted_since    timestamptz not null default clock_timestamp(),
  tried_at        timestamptz,
  next_try_at     timestamptz,
  done_at         timestamptz,
  primary key (kind, source_chain_id, intent_id)
);
create index reaction_waiting on app.reaction (next_try_at) where state = 'waiting';
create index reaction_intent on app.reaction (source_chain_id, intent_id);

-- A running program's word about itself, renewed every second or so.
create table app.role_status (
  role     text not null,
  instance text not null,
  status   jsonb not null,
  beat_at  timestamptz not null default clock_timestamp(),
  primary key (role, instance)
);
