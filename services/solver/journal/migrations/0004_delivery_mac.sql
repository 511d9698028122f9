-- A MAC of the delivery key, by the account's key: a key that somebody else wrote has none, and doesn't count.
alter table solver.intent add column delivery_mac text;
