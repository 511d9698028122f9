-- Which of the transactions that wait comes first: the one whose time is over first, in unix seconds, and
-- of these the dearest. Nobody's many keep others' waiting: `payer` says for whom a transaction is.
alter table app.transaction add column deadline bigint;
alter table app.transaction add column worth numeric(78, 0);
alter table app.transaction add column payer text;
