-- A MAC of what was requested, by the account's key, where its signer wants one: a row that somebody else wrote has none.
alter table app.transaction add column mac text;
