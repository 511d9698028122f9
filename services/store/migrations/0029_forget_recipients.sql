-- Anyone may register any number of wallets: those that nobody has paid, and that don't come again, are forgotten.
alter table app.recipient
  -- Two years after the wallet last registered; never once it may have been paid.
  add column forget_at timestamptz not null default now() + interval '2 years';
update app.recipient r set forget_at = 'infinity'
  where exists (select from app.stealth_entry s where s.tag = r.tag);
create index recipient_forget on app.recipient (forget_at);
