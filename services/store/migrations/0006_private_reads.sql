-- Who was told an intent's private details, and when.
create table app.private_read (
  id              bigint generated always as identity primary key,
  source_chain_id bigint not null,
  intent_id       numeric(78, 0) not null,
  reader          text not null check (reader ~ '^0x[0-9a-f]{40}$'),
  role            text not null check (role in ('sender', 'viewer')),
  request_id      text not null,
  read_at         timestamptz not null default now()
);
create index private_read_intent on app.private_read (source_chain_id, intent_id);
