-- name: hold_place
-- Guesses from one place come one after another; the lock is held for the count and the insert, not for the hash.
SELECT pg_advisory_xact_lock(0x4c4f47, hashtext(%(place)s))

-- name: count_failures
SELECT count(*) FILTER (WHERE username = %(name)s AND address = %(place)s),
       coalesce(extract(epoch FROM clock_timestamp()
                        - max(at) FILTER (WHERE username = %(name)s AND address = %(place)s)), 0)::float8,
       count(*) FILTER (WHERE address = %(place)s),
       coalesce(extract(epoch FROM clock_timestamp() - max(at) FILTER (WHERE address = %(place)s)), 0)::float8,
       count(*) FILTER (WHERE username = %(name)s)
  FROM accounts_loginattempt
 WHERE at > clock_timestamp() - %(window)s
   AND (address = %(place)s OR username = %(name)s)

-- name: forget_failures
DELETE FROM accounts_loginattempt WHERE at < clock_timestamp() - %(window)s
