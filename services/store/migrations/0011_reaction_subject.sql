-- What exactly a reaction was refused for. A refusal counts only as long as that stays the same: a
-- delivery that comes back in another block is judged anew.
alter table app.reaction add column subject text;
