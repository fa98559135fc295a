-- The database itself refuses to change a published version, whoever asks.
CREATE OR REPLACE FUNCTION workflows_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a published version never changes; publish a new one'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE OR REPLACE TRIGGER workflowversion_immutable BEFORE UPDATE ON workflows_workflowversion
    FOR EACH ROW EXECUTE FUNCTION workflows_version_is_immutable();
-- Few versions mark fields of their input as searchable: the duty that indexes them asks for these every few seconds.
CREATE INDEX IF NOT EXISTS workflowversion_searchable ON workflows_workflowversion (id)
 WHERE NOT is_test AND jsonb_path_exists(definition, '$.input_schema.**."x-searchable" ? (@ == true)');
