-- Anyone may register any number of wallets: those that nobody has paid, and that don't come again, are forgotten.
alter table app.recipient
  -- When the wallet last registered.
  add column seen_at timestamptz not null default now();
create index recipient_seen on app.recipient (seen_at);
