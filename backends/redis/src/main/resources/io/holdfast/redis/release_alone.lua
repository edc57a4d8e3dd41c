-- The usual case of release, in as few calls as there can be: an exclusive hold, and nobody waits.
-- Stands before all else, so that what that does costs nothing here. KEYS and ARGV: see release.lua
if redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('EXISTS', KEYS[3]) == 0 then
  return redis.call('DEL', KEYS[1])
end
