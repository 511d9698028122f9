-- The bridges that the chains file named before, lower case: what was delivered for settled intents is recorded there.
alter table app.recovery add column former_bridges text[] not null default '{}';
