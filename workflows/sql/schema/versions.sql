-- The database itself refuses to change a published version, whoever asks.
CREATE OR REPLACE FUNCTION workflows_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a published version never changes; publish a new one'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE OR REPLACE TRIGGER workflowversion_immutable BEFORE UPDATE ON workflows_workflowversion
    FOR EACH ROW EXECUTE FUNCTION workflows_version_is_immutable();
