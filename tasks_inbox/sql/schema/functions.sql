-- What an index and a column that is computed are made of: executed before the tables. Rows and index entries that are there
-- keep what an older text gave, so a change of one of these needs a migration that writes them anew.

-- Every three letters of a text that stand beside each other, as ILIKE compares them. What pg_trgm does, which not
-- every server has.
CREATE OR REPLACE FUNCTION tasks_inbox_letters(text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT coalesce(array_agg(DISTINCT substr(u, n, 3)), '{}') FROM lower($1) u, generate_series(1, length(u) - 2) n
$$;

-- The single values of a task's facts, by label, and of what was filled in: `{"amount_in_eur": 40}`.
CREATE OR REPLACE FUNCTION tasks_inbox_told(facts jsonb, data jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_object_agg(v.key, v.value ORDER BY v.place), '{}')
          FROM (SELECT * FROM (
                   SELECT 1 AS place, replace(lower(btrim(f ->> 'label')), ' ', '_') AS key, f -> 'value' AS value
                     FROM jsonb_array_elements(CASE jsonb_typeof(facts) WHEN 'array' THEN facts ELSE '[]' END) f
                   UNION ALL
                   SELECT 2, lower(d.key), d.value
                     FROM jsonb_each(CASE jsonb_typeof(data) WHEN 'object' THEN data ELSE '{}' END) d) w
                 WHERE jsonb_typeof(w.value) IN ('string', 'number', 'boolean') AND octet_length(w.value::text) <= 400
                   AND octet_length(w.key) BETWEEN 1 AND 100
                 LIMIT 100) v);
END $$;
