-- Layout 9: no word that looks like a secret is kept, of commands or of what scripts print.

PRAGMA secure_delete = ON;

UPDATE runs SET command = without_secrets(command) WHERE command <> without_secrets(command);
UPDATE models SET source_file = without_secrets(source_file) WHERE source_file <> without_secrets(source_file);
UPDATE OR IGNORE models SET name = without_secrets(name) WHERE name <> without_secrets(name);
UPDATE log_lines SET text = without_secrets(text)
WHERE text LIKE '%pass%' OR text LIKE '%token%' OR text LIKE '%key%' OR text LIKE '%secret%' OR text LIKE '%auth%' OR text LIKE '%://%'
   OR text LIKE '%credential%' OR text LIKE '%cookie%' OR text LIKE '%pwd%' OR text LIKE '%sk-%' OR text LIKE '%hf\_%' ESCAPE '\'
   OR text LIKE '%gh%' OR text LIKE '%glpat%' OR text LIKE '%xox%' OR text LIKE '%AKIA%' OR text LIKE '%eyJ%';
